import Foundation
import PatchbayStubs
import PatchbaySystem
import PatchbayTestSupport
import Testing

@testable import PatchbayFiles

/// Long lists of small documents, and the whole of what becomes of them. With `PATCHBAY_WRITE_SCREENS` set that is written
/// anew; read the difference before it is committed.
@Suite(.bounded) struct WholeStubsTests {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
    "Whole")

  private func compare(_ name: String, _ become: (String) -> [String]) throws {
    let lines = try String(contentsOf: Self.folder.appendingPathComponent(name + ".txt"), encoding: .utf8)
      .split(separator: "\n").map(String.init).filter { !$0.hasPrefix("#") }
    let seen = lines.map { line in ([line] + become(line).map { "    " + $0 }).joined(separator: "\n") }
    try expectRecorded(seen.joined(separator: "\n") + "\n", "Whole/\(name).become")
  }

  private func read(_ line: String) -> Result<[Stub], FilesError> {
    Result { () throws(FilesError) in try StubFile.parse("patchbay: 1\nstubs:\n- \(line)\n", path: "s.yaml").stubs }
  }

  @Test func eachIsReadOrItsMistakesAreNamed() throws {
    try compare("stubs") { line in
      switch read(line) {
      case .success(let stubs): stubs.map(\.json.compact)
      case .failure(let error): error.mistakes.map(\.description)
      }
    }
  }

  private static let requests: [RequestFacts] = [
    RequestFacts(
      method: "GET", url: "https://api.example.com/v1/users/7?page=2&tag=a&tag=b&empty=",
      headers: [
        HeaderField("Accept", "application/json"), HeaderField("X-Many", "one"), HeaderField("X-Many", "two"),
        HeaderField("X-Many", "three"),
      ], body: nil, process: "demo"),
    RequestFacts(
      method: "POST", url: "http://other.example:8443/graphql",
      headers: [HeaderField("Content-Type", "application/json")],
      body: Data(
        #"{"user":{"name":"Ann"},"tags":["a","b"],"query":"query Get { a }","variables":{"id":7}}"#.utf8),
      process: "worker"),
    RequestFacts(
      method: "PUT", url: "https://api.example.com/form",
      headers: [HeaderField("Content-Type", "application/x-www-form-urlencoded")], body: Data("a=1&b=x+y".utf8),
      process: "demo"),
  ]

  @Test func howRequestsStandToPatterns() throws {
    try compare("whens") { line in
      switch read("{ name: a, when: \(line), then: { pass: {} } }") {
      case .failure(let error): return error.mistakes.map(\.description)
      case .success(let stubs):
        let matcher = StubMatcher(StubSet(stubs: stubs))
        return Self.requests.map { matcher.explain($0).map(\.reason).joined() }
      }
    }
  }

  @Test func theSchemaIsAsItIs() throws {
    try expectRecorded(StubFile.jsonSchema, "Whole/schema.json")
  }

  @Test func settingsAreReadOrTheirMistakesAreNamed() throws {
    try compare("settings") { line in
      do throws(FilesError) {
        if line.hasPrefix("{ name: ") || line.hasPrefix("{ roles: ") {
          let theme = try ThemeFile.parse(line, path: "t.yaml", roles: ["text", "dim", "selection"])
          return [theme.name] + theme.roles.keys.sorted().map { "\($0): \(Self.words(theme.roles[$0]))" }
        }
        var config = try ConfigFile.parse(line, path: "/home/me/c.yaml")
        let keys = config.keys.keys.sorted().map { "key \($0): \(config.keys[$0] ?? [])" }
        (config.keys, config.keyPositions, config.positions) = ([:], [:], [:])
        return keys + ["\(config)".replacingOccurrences(of: Path.home, with: "~")]
      } catch { return error.mistakes.map(\.description) }
    }
  }

  private static func words(_ look: ThemeFile.Look?) -> String {
    guard let look else { return "none" }
    let colours = [look.foreground, look.background].map { $0.map { "\($0)" } ?? "none" }
    return (colours + look.attributes.map(\.rawValue).sorted()).joined(separator: " ")
  }
}
