import Foundation
import PatchbayTestSupport
import Testing

@testable import Patchbay

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Closures that wait, and those that answer as a hand-written mock does; what can be asked of the record.
@Suite(.bounded) struct AsyncHandlerTests {
  private let scope = Patchbay.scope()

  private func ask(_ path: String, _ method: String = "GET") async throws -> (String, HTTPURLResponse?) {
    var request = URLRequest(url: URL(string: "http://async.invalid\(path)")!)
    request.httpMethod = method
    let (data, response) = try await scope.session().data(for: request)
    return (String(decoding: data, as: UTF8.self), response as? HTTPURLResponse)
  }

  @Test func aClosureMayAwait() async throws {
    scope.stub(.get("*")) { request in
      await Task.yield()
      return await Task { .text("awaited \(request.url?.path ?? "")") }.value
    }
    #expect(try await ask("/x").0 == "awaited /x")
  }

  /// Where the framework's queue is not known: its thread waits for what the closure says, and misses none of it.
  @Test func aThreadMayWaitForAClosure() {
    let request = URLRequest(url: URL(string: "http://async.invalid/x")!)
    for number in 1...500 {
      let answer = HandlerExecutor.wait(for: { _ in .text("\(number)") }, request)
      guard case .success(let response) = answer, response == .text("\(number)") else {
        Issue.record("\(number): \(answer)")
        return
      }
    }
    let failure = HandlerExecutor.wait(for: { _ in throw URLError(.cannotFindHost) }, request)
    #expect(throws: URLError(.cannotFindHost)) { try failure.get() }
  }

  @Test func whatItThrowsAfterwardsIsTheError() async {
    scope.handle { _ in
      await Task.yield()
      throw URLError(.cannotFindHost)
    }
    await #expect { try await ask("/x") } throws: { ($0 as? URLError)?.code == .cannotFindHost }
  }

  @Test func itMayAnswerAsAMockDoes() async throws {
    scope.stub(.get("*/made")) { request in
      let fields = ["X-Made": "1", "Content-Length": "99"]
      return (
        HTTPURLResponse(url: request.url!, statusCode: 201, httpVersion: nil, headerFields: fields)!, Data("made".utf8)
      )
    }
    scope.handle { request in
      (HTTPURLResponse(url: request.url!, statusCode: 404, httpVersion: nil, headerFields: nil)!, Data())
    }
    let made = try await ask("/made")
    #expect(made.0 == "made" && made.1?.statusCode == 201 && made.1?.value(forHTTPHeaderField: "X-Made") == "1")
    #expect(try await ask("/other").1?.statusCode == 404)
  }

  /// As many as these would keep every thread of Swift's tasks, which the answers need.
  @Test func closuresThatBlockKeepNobodyFromGoingOn() async throws {
    let gate = DispatchSemaphore(value: 0)
    scope.stub(.get("*/blocks")) { _ in
      gate.wait()
      return .text("blocked")
    }
    scope.stub(.get("*/quick")) { _ in .text("quick") }
    async let blocked = withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<16 { group.addTask { try await ask("/blocks").0 } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(try await ask("/quick").0 == "quick")
    for _ in 0..<16 { gate.signal() }
    #expect(try await blocked == Array(repeating: "blocked", count: 16))
  }

  /// More than have a thread.
  @Test(.alone) func manyClosuresThatBlockKeepNobodyElseFromGoingOn() async throws {
    let server = try LoopbackServer()
    let gate = DispatchSemaphore(value: 0)
    let begun = SeenLock(0)
    scope.stub(.get("*/blocks")) { _ in
      begun.withLock { $0 += 1 }
      gate.wait()
      return .text("blocked")
    }
    scope.stub(.get("*/fixed"), respond: .text("fixed"))
    scope.stub(.get("*/echo"), pass: PassChanges(to: "http://127.0.0.1:\(server.port)"))
    async let blocked = withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<300 { group.addTask { try await ask("/blocks").0 } }
      return try await group.reduce(into: 0) { $0 += $1 == "blocked" ? 1 : 0 }
    }
    try await until { begun.withLock { $0 > 200 } }
    #expect(try await ask("/fixed").0 == "fixed")
    #expect(try await ask("/echo").1?.statusCode == 200)
    for _ in 0..<300 { gate.signal() }
    #expect(try await blocked == 300)
  }

  /// Dispatch has no more threads for anybody on its common queues then.
  @Test(.alone) func aProgramThatBlocksAllCommonThreadsIsAnswered() async throws {
    let folder = try TemporaryFolder()
    try folder.write("filed", to: "a")
    let gate = DispatchSemaphore(value: 0)
    defer { for _ in 0..<300 { gate.signal() } }
    for _ in 0..<300 { DispatchQueue.global(qos: .userInitiated).async { gate.wait() } }
    scope.stub(.get("*/code")) { _ in .text("code") }
    scope.stub(
      .get("*/a"), respond: CannedResponse(body: .folder(folder.url.path, otherwise: .notFound)))
    #expect(try await ask("/code").0 == "code")
    #expect(try await ask("/a").0 == "filed")
  }

  @Test func verifyCountsWhatWasAsked() async throws {
    scope.stub(.get("*"), respond: .status(204))
    for path in ["/users/1", "/users/2", "/orders"] { _ = try await ask(path) }
    try scope.verify(.get("*/users/*"), count: 2)
    try scope.verify(.get("*/users/*"))
    try scope.verify(.get("*/users/*"), count: 1...2)
    try scope.verify(.get("*/users/*"), count: 2...)
    try scope.verify(.get("*/users/*"), count: ..<3)
    try scope.verify(.delete("*"), count: 0)
    let few = try #require(throws: PatchbayError.self) { try scope.verify(.get("*/orders"), count: 2) }
    #expect(
      few.description.hasPrefix("1 request fits GET */orders, not 2; there were also GET http://async.invalid/users/2"))
    #expect(few.description.contains("`http://async.invalid/users/2` is not `*/orders`"))
    let none = try #require(throws: PatchbayError.self) { try scope.verify(.put("*")) }
    #expect(none.description.hasPrefix("0 requests fit PUT *, not at least 1; there were also"))
    let range = try #require(throws: PatchbayError.self) { try scope.verify(.get("*"), count: 4...5) }
    #expect(range.description == "3 requests fit GET *, not 4 to 5.")
  }

  @Test func requestsAreSentElsewhereFromCode() async throws {
    let server = try LoopbackServer()
    scope.stub(
      .get("http://async.invalid/*"),
      pass: PassChanges(
        to: "http://127.0.0.1:\(server.port)", request: RequestChanges(headers: [.init("X-New", ["{{request.host}}"])]))
    )
    let answer = try await ask("/echo")
    #expect(answer.0.contains("x-new: async.invalid\n"))
    let exchange = try #require(scope.exchanges.last)
    #expect(exchange.request.url == "http://async.invalid/echo")
    #expect(exchange.sent?.url == "http://127.0.0.1:\(server.port)/echo")
  }

  /// A program may remove it as soon as it has its answer.
  @Test func theFileOfAnUploadIsToldThoughItIsGone() async throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("filed", to: "body")
    scope.stub(.post("*"), respond: .status(204))
    var request = URLRequest(url: URL(string: "http://async.invalid/x")!)
    request.httpMethod = "POST"
    _ = try await scope.session().upload(for: request, fromFile: URL(fileURLWithPath: path))
    try FileManager.default.removeItem(atPath: path)
    #expect(scope.exchanges.map(\.request.body) == [Data("filed".utf8)])
  }
}
