import Foundation
import Patchbay
import PatchbayTestSupport
import Synchronization
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Each test has a scope of its own, so all of them run at once.
@Suite("Stubs in code, for one session", .bounded)
struct ScopeTests {
  private let scope = Patchbay.scope()

  private func get(_ url: String, in session: URLSession? = nil) async throws -> (String, HTTPURLResponse) {
    let (data, response) = try await (session ?? scope.session()).data(from: URL(string: url)!)
    return (String(decoding: data, as: UTF8.self), try #require(response as? HTTPURLResponse))
  }

  @Test func aJSONAnswer() async throws {
    scope.stub(.get("*/users/*"), respond: .json(["name": "Ann", "tags": [1, 2.5, nil]]))
    let (body, response) = try await get("https://api.example.com/users/7")
    #expect(body == #"{"name":"Ann","tags":[1,2.5,null]}"#)
    #expect(response.statusCode == 200 && response.value(forHTTPHeaderField: "content-type") == "application/json")
    #expect(response.url?.absoluteString == "https://api.example.com/users/7")
  }

  /// The code under test may have put the hook there itself.
  @Test(arguments: [false, true]) func aSessionThatHasTheHookAlreadyIsTheScopesToo(_ isOfShared: Bool) async throws {
    scope.isStrict = true
    scope.stub(.get("*/a"), respond: .text("scope"))
    let session = scope.run {
      URLSession(
        configuration: isOfShared ? URLSession.shared.configuration : URLSessionConfiguration.ephemeral.patched())
    }
    #expect(try await get("http://x.example/a", in: session).0 == "scope")
    await #expect(throws: (any Error).self) { try await get("http://x.example/b", in: session) }
    // One that was made for another scope stays its own.
    let other = Patchbay.scope()
    let own = scope.run { other.session() }
    other.stub(.get("*/a"), respond: .text("other"))
    #expect(try await get("http://x.example/a", in: own).0 == "other")
  }

  @Test func whatIsAskedIsKnownWithoutAStub() async throws {
    let server = try LoopbackServer()
    defer { server.stop() }
    let fresh = Patchbay.scope()
    _ = try await fresh.session().data(from: server.url("/json"))
    try fresh.verify(.get("*/json"), count: 1)
  }

  @Test func anEncodableAnswer() async throws {
    struct User: Codable, Equatable { var name: String }
    scope.stub(.url("*"), respond: try .json(encoding: User(name: "二"), status: 201))
    let (body, response) = try await get("http://a.example/")
    #expect(try JSONDecoder().decode(User.self, from: Data(body.utf8)) == User(name: "二"))
    #expect(response.statusCode == 201)
  }

  @Test func theFirstThatMatchesWins() async throws {
    scope.stub(.get("*/a"), respond: .text("first"))
    scope.stub(.get("*"), respond: .text("second"))
    #expect(try await get("http://x.example/a").0 == "first")
    #expect(try await get("http://x.example/b").0 == "second")
  }

  @Test func timesEndAndTheNextTakesOver() async throws {
    scope.stub(.get("*"), respond: .status(500), times: 2)
    scope.stub(.get("*"), respond: .status(200))
    var statuses: [Int] = []
    for _ in 0..<4 { statuses.append(try await get("http://x.example/").1.statusCode) }
    #expect(statuses == [500, 500, 200, 200])
  }

  @Test func aURLErrorStaysCastable() async throws {
    scope.stub(.get("*/code"), fail: .notConnectedToInternet)
    scope.stub(.get("*/error"), fail: URLError(.timedOut))
    scope.stub(matching: .get("*/thrown")) { _ in throw URLError(.cannotFindHost) }
    for (path, code) in [
      ("code", URLError.Code.notConnectedToInternet), ("error", .timedOut), ("thrown", .cannotFindHost),
    ] {
      let error = await #expect(throws: (any Error).self) { try await get("http://x.example/\(path)") }
      #expect((error as? URLError)?.code == code)
    }
  }

  @Test func thePatternStandsBeforeAClosure() async throws {
    scope.stub(.get("*/trailing")) { request in .status(request.value(forHTTPHeaderField: "A") == nil ? 201 : 202) }
    scope.stub(.get("*/named"), times: 1, respond: { _ in throw URLError(.timedOut) })
    #expect(try await get("http://x.example/trailing").1.statusCode == 201)
    let error = await #expect(throws: (any Error).self) { try await get("http://x.example/named") }
    #expect((error as? URLError)?.code == .timedOut)
  }

  @Test func anErrorOfOnesOwnKeepsDomainAndCode() async throws {
    scope.stub(matching: .get("*")) { _ in throw NSError(domain: "test.api", code: 7) }
    let error = await #expect(throws: (any Error).self) { try await get("http://x.example/") }
    let seen = error as NSError?
    #expect(seen?.domain == "test.api" && seen?.code == 7)
  }

  @Test func aClosureSeesTheRequestAndItsBody() async throws {
    scope.handle { request in
      let body = String(decoding: request.httpBody ?? Data(), as: UTF8.self)
      return .text("\(request.httpMethod ?? "") \(request.url?.path ?? "") \(body)", status: 202)
    }
    var request = URLRequest(url: URL(string: "http://x.example/up")!)
    request.httpMethod = "PUT"
    let (data, response) = try await scope.session().upload(for: request, from: Data("payload".utf8))
    #expect(String(decoding: data, as: UTF8.self) == "PUT /up payload")
    #expect((response as? HTTPURLResponse)?.statusCode == 202)
  }

  @Test func aPredicateDecides() async throws {
    scope.stub(where: { $0.value(forHTTPHeaderField: "X-Mode") == "a" }, respond: .text("a"))
    scope.stub(.url("*"), respond: .text("other"))
    var request = URLRequest(url: URL(string: "http://x.example/")!)
    #expect(try await scope.session().data(for: request).0 == Data("other".utf8))
    request.setValue("a", forHTTPHeaderField: "X-Mode")
    #expect(try await scope.session().data(for: request).0 == Data("a".utf8))
  }

  @Test func aDelayIsKept() async throws {
    scope.stub(.get("*"), respond: .text("late").delayed(by: .milliseconds(120)))
    let clock = ContinuousClock()
    let took = try await clock.measure {
      let body = try await get("http://x.example/").0
      #expect(body == "late")
    }
    #expect(took >= .milliseconds(120))
  }

  @Test func aSequenceAndTemplates() async throws {
    scope.stub(
      Stub(
        name: "steps",
        then: .sequence(
          [.respond(.status(503)), .respond(.text("{{request.path.1}} {{count}}"))], afterwards: .last)))
    #expect(try await get("http://x.example/users/9").1.statusCode == 503)
    #expect(try await get("http://x.example/users/9").0 == "9 2")
    #expect(try await get("http://x.example/users/8").0 == "8 3")
  }

  @Test func aTokenRemoves() async throws {
    scope.isStrict = true
    let token = scope.stub(.get("*"), respond: .text("on"))
    #expect(try await get("http://x.example/").0 == "on")
    token.remove()
    token.remove()
    await #expect(throws: (any Error).self) { try await get("http://x.example/") }
  }

  @Test func strictModeNamesTheRequest() async throws {
    scope.isStrict = true
    #expect(scope.isStrict)
    let error = await #expect(throws: (any Error).self) { try await get("http://x.example/missing?a=1") }
    #expect((error as? PatchbayError) == .unstubbed(method: "GET", url: "http://x.example/missing?a=1"))
    #expect(error?.localizedDescription.contains("GET http://x.example/missing?a=1") == true)
  }

  @Test func theLogHasWhatWasAskedInOrder() async throws {
    scope.stub(.get("*/a?*"), respond: .json([1]), name: "the a")
    scope.stub(.post("*"), respond: .status(204))
    let session = scope.session()
    _ = try await get("http://x.example/a?b=c", in: session)
    var post = URLRequest(url: URL(string: "http://x.example/p")!)
    post.httpMethod = "POST"
    post.httpBody = Data("hi".utf8)
    post.setValue("text/plain", forHTTPHeaderField: "Content-Type")
    _ = try await session.data(for: post)
    let log = scope.exchanges
    #expect(log.map(\.request.url) == ["http://x.example/a?b=c", "http://x.example/p"])
    #expect(log.map(\.request.method) == ["GET", "POST"])
    #expect(log.map(\.by) == [.code, .code])
    #expect(log[0].stub == "the a" && log[0].response?.body == Data("[1]".utf8) && log[0].outcome == .responded)
    #expect(log[1].request.body == Data("hi".utf8) && log[1].response?.status == 204)
    #expect(log[1].request.headers.first(named: "content-type") == "text/plain")
  }

  @Test(arguments: 0..<12)
  func scopesDoNotSeeEachOther(number: Int) async throws {
    scope.stub(.get("*/same"), respond: .text("\(number)"))
    let session = scope.session()
    for _ in 0..<20 { #expect(try await get("http://x.example/same", in: session).0 == "\(number)") }
    #expect(scope.exchanges.count == 20)
  }

  @Test func aNewScopeSeesNothingOfClosedOnes() async throws {
    for _ in 0..<600 {
      let scope = Patchbay.scope()
      defer { scope.close() }
      #expect(scope.exchanges.isEmpty)
      scope.stub(.get("*/again"), respond: .text("x"))
      _ = try await get("http://x.example/again", in: scope.session())
      #expect(scope.exchanges.count == 1)
    }
  }

  @Test func theServerSeesNothingOfIt() async throws {
    let server = try LoopbackServer()
    scope.stub(.get("*/stubbed"), respond: .text("no network"))
    _ = try await get(server.url("/json").absoluteString)
    let bare = URLSession(configuration: .ephemeral)
    _ = try await get(server.url("/json").absoluteString, in: bare)
    #expect(server.requests.count == 2)
    let headers = server.requests.map { request in request.headers.map { "\($0)" }.sorted() }
    #expect(headers[0] == headers[1])
  }

  /// Patterns see the same: what the session adds, and the body of an upload.
  @Test func codeSeesWhatTheSessionAdds() async throws {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpAdditionalHeaders = ["X-Conf": "yes", "X-Both": "session"]
    @Sendable func facts(_ request: URLRequest) -> String {
      let fields = ["X-Conf", "X-Both"].map { request.value(forHTTPHeaderField: $0) ?? "-" }
      return (fields + [String(decoding: request.httpBody ?? Data(), as: UTF8.self)]).joined(separator: " ")
    }
    let pattern = RequestPattern(
      path: .glob("/pattern"), headers: [.init("x-conf", .glob("yes")), .init("x-both", .glob("own"))],
      body: BodyPattern(equals: "up"))
    scope.stub(pattern, respond: .text("yes own up"))
    scope.stub(
      where: { $0.url?.path == "/predicate" && facts($0) == "yes own up" }, respond: .text("yes own up"))
    scope.stub(matching: .url("*/closure")) { .text(facts($0)) }
    scope.isStrict = true
    for path in ["pattern", "predicate", "closure"] {
      var request = URLRequest(url: URL(string: "http://x.example/\(path)")!)
      request.httpMethod = "PUT"
      request.setValue("own", forHTTPHeaderField: "X-Both")
      let (data, _) = try await scope.session(configuration).upload(for: request, from: Data("up".utf8))
      #expect(String(decoding: data, as: UTF8.self) == "yes own up", "\(path)")
    }
  }

  @Test func aSecondHandlerReplacesTheFirst() async throws {
    let first = scope.handle { _ in .text("first") }
    #expect(try await get("http://x.example/").0 == "first")
    let second = scope.handle { _ in .text("second") }
    #expect(try await get("http://x.example/").0 == "second")
    first.remove()
    #expect(try await get("http://x.example/").0 == "second")
    second.remove()
    scope.isStrict = true
    await #expect(throws: PatchbayError.self) { try await get("http://x.example/") }
  }

  /// It has counted to its end under that name.
  @Test func aStubOfTheSameNameBeginsToCountAtZero() async throws {
    scope.isStrict = true
    for _ in 0..<3 {
      let token = scope.stub(.get("*"), respond: .status(204), times: 1)
      #expect(try await get("http://x.example/").1.statusCode == 204)
      await #expect(throws: PatchbayError.self) { try await get("http://x.example/") }
      token.remove()
    }
  }

  @Test func aTokenOfBeforeTouchesNoLaterStub() async throws {
    let old = scope.stub(.get("*"), respond: .text("old"), name: "one")
    old.remove()
    scope.stub(.get("*"), respond: .text("new"), name: "one")
    old.remove()
    #expect(try await get("http://x.example/").0 == "new")
  }

  /// As Alamofire and its like: all they take is a configuration.
  @Test func aWrapperThatTakesAConfiguration() async throws {
    final class Client: NSObject, URLSessionDataDelegate, Sendable {
      let body = Mutex(Data())
      let done = Mutex<(@Sendable ((any Error)?) -> Void)?>(nil)

      func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        body.withLock { $0 += data }
      }

      func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        done.withLock { $0 }?(error)
      }
    }
    scope.stub(.get("*"), respond: .text("delegated"))
    let client = Client()
    let session = URLSession(configuration: scope.configuration(.default), delegate: client, delegateQueue: nil)
    let error: (any Error)? = await withCheckedContinuation { continuation in
      client.done.withLock { $0 = { continuation.resume(returning: $0) } }
      session.dataTask(with: URL(string: "http://x.example/")!).resume()
    }
    #expect(error == nil && client.body.withLock { $0 } == Data("delegated".utf8))
  }

  @Test func stubsChangeWhileThousandsAreUnderWay() async throws {
    let session = scope.session()
    scope.stub(.url("*"), respond: .text("base"))
    let answers = try await withThrowingTaskGroup(of: String.self) { group in
      group.addTask {
        for number in 0..<300 {
          let token = scope.stub(.url("*/\(number % 10)"), respond: .text("changed"))
          if number % 2 == 0 { await Task.yield() }
          token.remove()
        }
        return "base"
      }
      for number in 0..<2000 {
        group.addTask { try await get("http://x.example/\(number % 20)", in: session).0 }
      }
      return try await group.reduce(into: Set<String>()) { $0.insert($1) }
    }
    #expect(answers.isSubset(of: ["base", "changed"]) && answers.contains("base"))
  }

  /// Each declaration makes a snapshot; the stubs are compiled once, when the first request comes.
  @Test func aThousandStubsAreDeclaredOneByOne() async throws {
    let scope = Patchbay.scope()
    defer { scope.close() }
    let began = Self.ownProcessorTime
    for number in 0..<1_000 { scope.stub(.get("*/many/\(number)"), respond: .text("\(number)")) }
    // Of this thread: others may have the processors for as long as they like.
    #expect(Self.ownProcessorTime - began < 10)
    let (data, _) = try await scope.session().data(from: URL(string: "http://x.test/many/777")!)
    #expect(String(decoding: data, as: UTF8.self) == "777")
  }

  /// Of the thread, in seconds.
  private static var ownProcessorTime: Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
