import Foundation
import PatchbayHistory
import PatchbayInspect
import PatchbayStubs
import PatchbaySystem
import PatchbayWire

/// A file of recorded exchanges that is browsed without a program: a history, an HTTP archive (HAR) or JSON Lines. Which
/// of them it is tells its content, not its name.
package struct OpenedFile: Sendable {
  package enum Kind: String, Sendable {
    case history
    case archive = "HAR"
    case jsonLines = "JSON Lines"
  }

  package let kind: Kind
  /// Absolute, or `-`.
  let path: String
  /// Only read; marks and notes on what came from an archive or from lines last as long as the screen.
  let history: HistoryStore
  /// What could not be read of it, for the screen.
  private(set) var notices: [String] = []

  /// What is called so in the header.
  var name: String { path == "-" ? "standard input" : (path as NSString).lastPathComponent }

  /// Reads all of it, but of a history only its beginning.
  ///
  /// - Throws: a sentence that names the file, and what can be opened.
  package init(_ named: String) async throws {
    path = named == "-" ? named : AbsolutePath.of(named)
    let shown = named == "-" ? "Standard input" : named
    do {
      let input = try InputFile(path)
      let head = try Self.head(of: input)
      guard !head.isEmpty else { throw RuntimeError("\(shown) is empty: there is nothing to open.") }
      switch Kind(head) {
      case .history?:
        kind = .history
        guard input.size != nil else { throw RuntimeError("A history cannot be read from a pipe: name its file.") }
        history = try HistoryStore.open(.file(path), access: .read)
        return
      case let found?:
        kind = found
        let all = try Self.all(found.reader, head, input)
        history = try await Self.store(all.exchanges)
        notices = all.notices
      case nil:
        throw RuntimeError(
          "\(shown) is no history, no HTTP archive (HAR) and no JSON Lines of exchanges: name one of these.")
      }
    } catch let error as FileReadError {
      throw RuntimeError("\(shown) \(error.reason).")
    } catch let error as RuntimeError {
      throw error.description.hasPrefix(shown) || error.description.hasPrefix("A history")
        ? error : RuntimeError("\(shown): \(error.description)")
    }
  }

  private static let piece = 1 << 20
  /// Enough to tell by.
  private static let headSize = 4_096

  static func head(of input: InputFile) throws(FileReadError) -> [UInt8] {
    var head: [UInt8] = []
    while head.count < headSize, let next = try input.next(upTo: piece) { head += next }
    return head
  }

  private typealias Found = (exchanges: [Exchange], notices: [String])

  /// All exchanges of it. What came before a place where it cannot be read on is kept.
  private static func all(_ reader: any ExchangeReader, _ head: [UInt8], _ input: InputFile) throws -> Found {
    var reader = reader
    var found: [Exchange] = []
    var next: [UInt8]? = head
    do {
      while let bytes = next {
        found += try reader.read(Data(bytes))
        next = try input.next(upTo: piece)
      }
      found += try reader.finish()
    } catch let error as StubError {
      guard !found.isEmpty else { throw RuntimeError(error.description) }
      return (found, [error.description])
    }
    return (found, leftOut(reader.bad.map { "\($0)" }, of: found.count + reader.bad.count))
  }

  private static func leftOut(_ bad: [String], of count: Int) -> [String] {
    guard let first = bad.first else { return [] }
    return ["\(Quantity.count(bad.count)) of \(Quantity.count(count)) could not be read: \(first)"]
  }

  /// In memory, as much as there is: the person asked for all of it.
  private static func store(_ exchanges: [Exchange]) async throws -> HistoryStore {
    let history = try HistoryStore.open(.memory, retention: Retention(count: .max, bytes: .max))
    let ordered = FileRuns.ordered(exchanges)
    for start in stride(from: 0, to: ordered.count, by: 1_000) {
      if !history.record(Array(ordered[start..<min(ordered.count, start + 1_000)])) { await history.room() }
    }
    try await history.flush()
    return history
  }
}

/// The runs of exchanges that come from a file.
enum FileRuns {
  /// The exchanges of a run together, the runs in the order in which they begin in the file, each with its number. Where
  /// all name their run that is their number; else those without one belong together by their process. Ids stay where
  /// they still rise.
  static func ordered(_ exchanges: [Exchange]) -> [Exchange] {
    enum Key: Hashable {
      case run(Int64)
      case process(HarnessProcess)
    }
    let keys = exchanges.map { $0.run.map(Key.run) ?? .process($0.process) }
    var places: [Key: Int] = [:]
    for key in keys where places[key] == nil { places[key] = places.count }
    let areNamed = exchanges.allSatisfy { $0.run != nil }
    var numbers = places.mapValues { Int64($0 + 1) }
    if areNamed {
      for case .run(let run) in places.keys { numbers[.run(run)] = run }
    }
    let order = exchanges.indices.sorted { left, right in
      let (one, other) = (numbers[keys[left]] ?? 0, numbers[keys[right]] ?? 0)
      return (one, left) < (other, right)
    }
    var ordered = order.map { place in
      var exchange = exchanges[place]
      exchange.run = numbers[keys[place]]
      return exchange
    }
    let rise = ordered.indices.dropFirst().allSatisfy { ordered[$0 - 1].id < ordered[$0].id }
    if !rise || (ordered.first?.id ?? 1) < 1 {
      for place in ordered.indices { ordered[place].id = Int64(place + 1) }
    }
    return ordered
  }
}

extension OpenedFile.Kind {
  /// What begins like that; nil where it is none of them.
  package init?(_ head: [UInt8]) {
    self = .history
    if head.starts(with: Array("SQLite format 3\u{0}".utf8)) { return }
    var text = head[...]
    if text.starts(with: [0xEF, 0xBB, 0xBF]) { text = text.dropFirst(3) }
    text = text.drop { $0 == 0x20 || $0 >= 0x09 && $0 <= 0x0D }
    guard text.first == UInt8(ascii: "{") else { return nil }
    // The one member of an archive is its log; a line of exchanges has many, none of that name.
    let name = text.dropFirst().drop { $0 == 0x20 || $0 >= 0x09 && $0 <= 0x0D }
    guard name.first == UInt8(ascii: "\"") else { return nil }
    self = name.starts(with: Array("\"log\"".utf8)) ? .archive : .jsonLines
  }

  /// What reads it; of a history there is none, which is not read to its end.
  var reader: any ExchangeReader { self == .jsonLines ? JSONLinesReader() : HARReader() }
}
