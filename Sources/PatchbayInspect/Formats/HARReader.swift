import Foundation
import PatchbayStubs
import PatchbayWire

/// Reads an HTTP archive entry by entry, whatever its size: bytes in, exchanges out. Takes what Chrome, Firefox, Safari,
/// Charles, Proxyman and mitmproxy write. An entry that cannot be read is named and left out; the others stay.
public struct HARReader: Sendable {
  /// An entry that was left out.
  public struct BadEntry: Hashable, Sendable, CustomStringConvertible {
    /// From 0, in the file's order.
    public var index: Int
    public var reason: String

    public var description: String { "entry \(index): \(reason)" }
  }

  /// A single entry longer than this is left out.
  public static let entryLimit = 128 << 20

  /// The bad entries so far.
  public private(set) var bad: [BadEntry] = []
  /// How many entries were met, good and bad.
  public private(set) var count = 0
  private var cutter = HAREntryCutter()

  public init() {}

  /// Takes the next bytes of the file; returns the exchanges whose entries are complete, their ids from 1.
  ///
  /// - Throws: a sentence when this is no archive at all.
  public mutating func read(_ bytes: Data) throws(StubError) -> [Exchange] {
    var found: [Exchange] = []
    for piece in try cutter.feed(bytes) {
      defer { count += 1 }
      guard let piece else {
        bad.append(BadEntry(index: count, reason: "it is larger than 128 MiB"))
        continue
      }
      do throws(StubError) {
        found.append(try HAREntry.exchange(try JSONValue(parsing: piece), id: Int64(count + 1)))
      } catch {
        bad.append(BadEntry(index: count, reason: error.description))
      }
    }
    return found
  }

  /// To be called at the end of the file.
  ///
  /// - Throws: a sentence when the archive is cut off, or there were no entries in it.
  public func finish() throws(StubError) {
    guard cutter.hasEntries else {
      throw StubError("This is no HTTP archive: it has no list `entries` in `log`.")
    }
    guard cutter.isAtEnd else {
      throw StubError("The archive is cut off: its list of entries does not end; \(count) entries were read.")
    }
  }
}
