import Foundation
import Patchbay
import PatchbayTestSupport
import Testing
import XCTest

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The snippets of README and of the documentation work as they stand: in a program, and in a test bundle of which
/// nothing else runs.
@Suite(.bounded) struct SnippetTests {
  private static let here = URL(fileURLWithPath: #filePath)
  private static let root = here.appendingPathComponent("../../../..").standardizedFileURL

  @Test func whatIsShownIsWhatIsTried() throws {
    var tried: Set<String> = ["import Patchbay"]
    let harness = Self.root.appendingPathComponent("Tests/Fixtures/AttachedHarness/Snippets.swift")
    for file in [Self.here, harness] { tried.formUnion(try Self.lines(of: file)) }
    let manual = "Sources/PatchbayManual/PatchbayManual.docc"
    for name in ["README.md", "Sources/Patchbay/Patchbay.docc/Patchbay.md", "\(manual)/Tests.md", "\(manual)/Ways.md"] {
      var isCode = false
      var count = 0
      for line in try Self.lines(of: Self.root.appendingPathComponent(name)) {
        if line.hasPrefix("```") {
          isCode = line == "```swift"
        } else if isCode, !line.isEmpty, !line.hasPrefix("//") {
          count += 1
          #expect(tried.contains(line), "\(name) shows a line that nothing tries: \(line)")
        }
      }
      #expect(count > 1)
    }
  }

  private static func lines(of file: URL) throws -> [String] {
    try String(contentsOf: file, encoding: .utf8).split(separator: "\n", omittingEmptySubsequences: false)
      .map { $0.trimmingCharacters(in: .whitespaces) }
  }

  @Test func inAProgram() throws {
    let child = try ChildProcess("attached-harness", ["snippets"])
    #expect(child.wait() == 0)
    #expect(
      child.lines == [
        #"readme: {"name":"花子"}"#, #"users/7: 200 {"name":"Ann"}"#, "orders: 503 ", "feed: timed out",
        #"upload: 201 {"id":7}"#, "session: 204", "session: 204", "attached: true",
      ], "\(child.output)")
  }

  @Test(arguments: [
    ["--testing-library", "swift-testing", "--filter", "SnippetFixture"], ["PatchbayTests.SnippetXCTests"],
  ])
  func inATestBundle(_ arguments: [String]) throws {
    let bundle = try ChildProcess(
      "patchbayPackageTests.xctest", arguments, environment: [SnippetProcess.variable: "1"])
    #expect(bundle.wait() == 0, "\(bundle.output)")
    let said = arguments.count > 1 ? "Test run with 2 tests" : "Executed 1 test, with 0 failures"
    #expect(bundle.output.contains(said), "\(bundle.output)")
  }
}

/// What stands alone in its process: see ``SnippetTests``.
private enum SnippetProcess {
  static let variable = "PATCHBAY_TEST_SNIPPETS"
  static let isThis = ProcessInfo.processInfo.environment[variable] != nil
}

@Suite(.enabled(if: SnippetProcess.isThis), .serialized, .bounded) struct SnippetFixture {
  /// The program's own.
  private struct APIClient {
    let session: URLSession

    init(configuration: URLSessionConfiguration) { session = URLSession(configuration: configuration) }

    func loadUser(_ number: Int) async throws {
      _ = try await session.data(from: URL(string: "https://api.example.com/users/\(number)")!)
    }
  }

  @Test func readme() async throws {
    _ = try? await URLSession.shared.data(from: URL(string: "http://127.0.0.1:9/")!)
    Patchbay.stub(.get("*/users/*"), respond: .json(["name": "花子"]))
    let (data, _) = try await URLSession.shared.data(from: URL(string: "https://api.example.com/users/7")!)
    #expect(String(decoding: data, as: UTF8.self) == #"{"name":"花子"}"#)
    Patchbay.reset()
  }

  @Test func scope() async throws {
    let scope = Patchbay.scope()
    scope.isStrict = true
    scope.stub(.get("*/users/7"), respond: .json(["name": "Ann"]))
    let client = APIClient(configuration: scope.configuration(.ephemeral))
    try await client.loadUser(7)
    #expect(scope.exchanges.map(\.request.url) == ["https://api.example.com/users/7"])
  }
}

/// The same by XCTest.
final class SnippetXCTests: XCTestCase {
  func testReadme() async throws {
    try XCTSkipUnless(SnippetProcess.isThis, "It has a process of its own.")
    _ = try? await URLSession.shared.data(from: URL(string: "http://127.0.0.1:9/")!)
    Patchbay.stub(.get("*/users/*"), respond: .json(["name": "花子"]))
    let (data, _) = try await URLSession.shared.data(from: URL(string: "https://api.example.com/users/7")!)
    XCTAssertEqual(String(decoding: data, as: UTF8.self), #"{"name":"花子"}"#)
    Patchbay.reset()
  }
}
