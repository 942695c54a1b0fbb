import Foundation
import PatchbayStubs
import PatchbayWire

/// Reads exchanges out of a file whatever its size: bytes in, exchanges out. What cannot be read is named and left out;
/// the rest stays.
package protocol ExchangeReader: Sendable {
  /// What was left out so far.
  var bad: [BadEntry] { get }

  /// Takes the next bytes of the file; returns the exchanges that are complete.
  ///
  /// - Throws: a sentence when this is no such file at all.
  mutating func read(_ bytes: Data) throws(StubError) -> [Exchange]

  /// To be called at the end of the file; returns what was still open.
  ///
  /// - Throws: a sentence when it is cut off, or there was nothing in it.
  mutating func finish() throws(StubError) -> [Exchange]
}

/// Something in a file of exchanges that was left out.
package struct BadEntry: Hashable, Sendable, CustomStringConvertible {
  /// In the file's order: of an archive's entries from 0, of lines from 1.
  package var index: Int
  package var reason: String
  /// What it is.
  package var kind = "entry"

  package var description: String { "\(kind) \(index): \(reason)" }
}

/// Reads the lines that `--log`, `--json` and `export jsonl` write.
package struct JSONLinesReader: ExchangeReader {
  /// A single line longer than this is left out.
  private static let lineLimit = 256 << 20

  package private(set) var bad: [BadEntry] = []
  /// How many lines were met that are not blank, good and bad.
  package private(set) var count = 0
  private var number = 0
  private var rest = Data()
  private var isTooLong = false

  package init() {}

  package mutating func read(_ bytes: Data) -> [Exchange] {
    var found: [Exchange] = []
    var start = bytes.startIndex
    while let end = bytes[start...].firstIndex(of: 0x0A) {
      gather(bytes[start..<end])
      found += take()
      start = end + 1
    }
    gather(bytes[start...])
    return found
  }

  package mutating func finish() throws(StubError) -> [Exchange] {
    let last = take()
    guard count > bad.count else {
      throw StubError("Nothing of it is an exchange (\(bad.first?.description ?? "no line")).")
    }
    return last
  }

  private mutating func gather(_ piece: Data) {
    guard rest.count + piece.count <= Self.lineLimit else {
      isTooLong = true
      return
    }
    rest.append(piece)
  }

  /// The line that has been gathered.
  private mutating func take() -> [Exchange] {
    defer {
      rest.removeAll(keepingCapacity: rest.count < 1 << 20)
      isTooLong = false
    }
    number += 1
    if number == 1, rest.starts(with: [0xEF, 0xBB, 0xBF]) { rest = Data(rest.dropFirst(3)) }
    guard isTooLong || rest.contains(where: { $0 != 0x20 && $0 != 0x09 && $0 != 0x0D }) else { return [] }
    count += 1
    guard !isTooLong else {
      bad.append(BadEntry(index: number, reason: "it is larger than 256 MiB", kind: "line"))
      return []
    }
    do throws(FormatError) {
      return [try JSONLines.exchange(rest)]
    } catch {
      bad.append(BadEntry(index: number, reason: "\(error)", kind: "line"))
      return []
    }
  }
}
