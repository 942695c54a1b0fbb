import Foundation
import PatchbayStubs
import PatchbayTestSupport
import Testing

@testable import PatchbayInspect

/// The entries of an archive that comes in pieces, beside a parser that has all of it.
@Suite(.bounded) struct HAREntryCutterTests {
  private func cut(_ text: String, by size: Int) throws -> (entries: [String], hasEntries: Bool, isAtEnd: Bool) {
    var cutter = HAREntryCutter()
    var found: [String] = []
    let bytes = Array(text.utf8)
    for start in stride(from: 0, to: bytes.count, by: size) {
      for entry in try cutter.feed(Data(bytes[start..<min(start + size, bytes.count)])) {
        found.append(entry.map { String(decoding: $0, as: UTF8.self) } ?? "too long")
      }
    }
    return (found, cutter.hasEntries, cutter.isAtEnd)
  }

  @Test(arguments: 1...60 as ClosedRange<UInt64>) func agreesWithTheParser(_ seed: UInt64) throws {
    var random = RandomStubs(seed)
    func entries() -> JSONValue { .array((0..<random.int(0...5)).map { _ in random.json() }) }
    // What stands beside the list, and looks like it.
    let decoys: [JSONValue.Member] = [
      .init("log", .string("entries")), .init("entries", .array([1])),
      .init("a", .members(["entries": .array([2]), "log": .members(["entries": .array([3])])])),
      .init("b", .array([.members(["log": .members(["entries": .array([4])])])])), .init("\\\"log", .string("{[\"")),
      .init("entries", .object([])),
    ]
    let list = entries()
    var log: [JSONValue.Member] = [
      .init("version", "1.2"), .init("pages", .array([.members(["entries": .array([5])])])),
    ]
    if random.chance(0.5) { log.append(.init("creator", .members(["name": "]}{["]))) }
    log += [.init("entries", list), .init("comment", "entries")]
    var document: [JSONValue.Member] = (0..<random.int(0...3)).map { _ in decoys[random.int(0...5)] }
    document.append(.init("log", .object(log)))
    let value = JSONValue.object(document)
    for text in [value.compact, value.indented(), "\u{FEFF} \n" + value.compact] {
      guard case .array(let wanted) = list else { return }
      for size in [1, 2, 3, 7, 64, 100_000] {
        let seen = try cut(text, by: size)
        #expect(try seen.entries.map { try JSONValue(parsing: $0) } == wanted, "\(size): \(text)")
        #expect(seen.hasEntries && seen.isAtEnd)
      }
    }
  }

  @Test(arguments: ["[]", "x", "  7", "\"log\""]) func whatIsNoObjectIsNoArchive(_ text: String) {
    #expect(throws: StubError.self) { try cut(text, by: 1) }
    #expect(throws: StubError.self) { try cut(text, by: 100) }
  }

  @Test(
    arguments: [
      ("{}", [], false, false), ("", [], false, false), ("{\"log\":{}}", [], false, false),
      ("{\"log\":{\"entries\":{}}}", [], false, false),
      ("{\"log\":{\"entries\":[", [], true, false),
      ("{\"log\":{\"entries\":[{\"a\":1},{\"b\"", ["{\"a\":1}"], true, false),
      ("{\"log\":{\"entries\":[{\"a\":1} x {\"b\":2}]", ["{\"a\":1}", "x {\"b\":2}"], true, true),
      ("{\"log\":{\"entries\":[1 , \"]\" ,[2]]}}", ["1 ", "\"]\" ", "[2]"], true, true),
      ("{\"entries\":[1]}", [], false, false), ("{\"log\":[{\"entries\":[1]}]}", [], false, false),
      ("{\"log\":{\"x\":{\"entries\":[1]}}}", [], false, false),
      ("{\"log\":{\"entries\":[{\"a\":\"\\\"}\"},{}]} trailing [", ["{\"a\":\"\\\"}\"}", "{}"], true, true),
    ] as [(String, [String], Bool, Bool)])
  func whatIsBrokenIsCutAsFarAsItGoes(_ text: String, _ entries: [String], _ hasEntries: Bool, _ isAtEnd: Bool) throws {
    for size in [1, 2, 5, 1_000] {
      let seen = try cut(text, by: size)
      #expect(seen.entries == entries && seen.hasEntries == hasEntries && seen.isAtEnd == isAtEnd, "\(size)")
    }
  }
}
