import Foundation
import PatchbayServer
import PatchbayStubs
import PatchbayTestSupport
import Testing

/// Stubs are changed in every way while thousands of requests are under way in a real process.
@Suite("Stubs changed in a storm", .crowd, .bounded)
struct StubStormTests {
  /// Answers with a delay, so that many requests are between their match and their answer at each change.
  private func stub(_ version: Int, path: String = "*/storm*") -> Stub {
    Stub(
      name: "storm", when: RequestPattern(url: .glob(path)),
      then: .respond(
        CannedResponse(
          headers: [HeaderField("X-Version", "\(version)")],
          body: .text("v=\(version) n={{request.query.n}}"),
          delay: version % 2 == 0 ? .random(from: .zero, to: .milliseconds(8)) : nil)))
  }

  @Test("each answer is of one piece: the stub as it was when it matched, or the network's")
  func storm() async throws {
    let desk = try Desk()
    let server = try LoopbackServer()
    defer { server.stop() }
    let file = try desk.folder.write("patchbay: 1\nstubs: []\n", to: "stubs.yaml")
    let console = try await desk.listener("--stubs", file)
    let client = try await ControlClient.connect(socket: desk.defaultSocket, as: "test")
    let count = 6_000
    let harness = try desk.start(
      [BuiltProduct.path("attached-harness"), "storm", server.url("/storm").absoluteString, "\(count)", "48"])
    var version = 0
    var edits = 0
    while harness.exitStatus == nil {
      version += 1
      let changes: [StubEdit] = [
        .add(stub(version), at: nil), .add(Stub(name: "other", then: .pass(PassChanges())), at: nil),
        .move(name: "storm", to: 0), .replace(name: "storm", with: stub(version + 1)),
        .setEnabled(name: "storm", false), .setEnabled(name: "storm", true),
        .replace(name: "storm", with: stub(version + 2, path: "*/nothing*")),
        .replace(name: "storm", with: stub(version + 3)), .remove(name: "other"), .remove(name: "storm"),
      ]
      version += 3
      for edit in changes where harness.exitStatus == nil {
        _ = try await client.request("stubs.edit", [.init("edit", edit.json)])
        edits += 1
      }
      // The file is saved meanwhile too.
      try desk.folder.write(StubFile.yaml(version), to: "stubs.yaml")
    }
    let last = try #require(harness.lines.last, "\(harness.said)")
    let numbers = last.split(separator: " ").compactMap { Int($0) }
    try #require(numbers.count == 4, "\(harness.said)")
    #expect(harness.exitStatus == 0)
    #expect(numbers[0] + numbers[1] == count && numbers[2] == 0, "\(harness.said)")
    #expect(numbers[3] > 3, "\(edits) changes: \(last)")
    #expect(console.exitStatus == nil, "\(console.said)")
    #expect(edits > 20)
  }

  private enum StubFile {
    static func yaml(_ version: Int) -> String {
      """
      patchbay: 1
      stubs:
      - name: from the file
        when: { path: /storm }
        then: { respond: { headers: { X-Version: f\(version) }, body: "v=f\(version) n={{request.query.n}}" } }

      """
    }
  }

  /// Counters are each process's own, outlive edits of other stubs, and are set back by name or all at once.
  @Test("sequences keep their place while other stubs are edited, and are set back by command")
  func counters() async throws {
    let desk = try Desk()
    let server = try LoopbackServer()
    defer { server.stop() }
    let file = try desk.folder.write(
      """
      patchbay: 1
      stubs:
      - name: steps
        when: { path: /steps }
        then: { sequence: [ { respond: { status: 201 } }, { respond: { status: 202 } }, { respond: { status: 203 } } ] }
      - name: other
        then: { respond: { status: 299 } }
      """, to: "stubs.yaml")
    let console = try await desk.listener("--stubs", file)
    let asker = try desk.asker()
    let second = try desk.asker()
    func next(_ asker: Asker) async throws -> String { String(try await asker.ask(server.url("/steps")).prefix(3)) }
    #expect(try await next(asker) == "201")
    #expect(try await desk.run("stubs", "disable", "other").exitStatus == 0)
    #expect(try await next(asker) == "202")
    #expect(try await next(second) == "201")
    #expect(try await desk.run("stubs", "remove", "other").exitStatus == 0)
    #expect(try await next(asker) == "203")
    let client = try await ControlClient.connect(socket: desk.defaultSocket, as: "test")
    let shown = try await counted(client, hits: 4)
    guard case .array(let processes)? = shown["processes"] else {
      Issue.record("\(shown)")
      return
    }
    #expect(processes.compactMap { $0["hits"]?.integer }.sorted() == [1, 3])
    #expect(Set(processes.compactMap { $0["pid"]?.integer }) == [Int(asker.pid), Int(second.pid)])
    #expect(processes.compactMap { $0["nextStep"]?.integer }.sorted() == [2, 4])
    #expect(try await desk.run("stubs", "reset", "steps").exitStatus == 0)
    #expect(try await next(asker) == "201")
    #expect(try await next(second) == "201")
    #expect(console.exitStatus == nil)
  }

  /// The row of `steps`, as soon as so many hits are told.
  private func counted(_ client: ControlClient, hits: Int) async throws -> JSONValue {
    let deadline = ContinuousClock.now + Patience.usual
    while true {
      let reply = try await client.request("stubs.list")
      if case .array(let stubs)? = reply["stubs"], let steps = stubs.first(where: { $0["name"]?.text == "steps" }),
        steps["hits"]?.integer == hits
      {
        return steps
      }
      guard ContinuousClock.now < deadline else { throw WaitedInVain(description: "the hits: \(reply)") }
      try await Task.sleep(for: .milliseconds(5))
    }
  }
}
