import Foundation
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import Patchbay

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What each kind of request gets of each kind of stub, fault, redirect and hold, what the console is told of it, and what
/// the server was asked: all of it, as text. With `PATCHBAY_WRITE_SCREENS` set that is written anew; read the difference
/// before it is committed.
@Suite(.bounded) struct WholeRequestsTests {
  /// How the program asks.
  enum Kind: String, CaseIterable {
    case data, dataHandler, dataDelegate, download, downloadHandler, downloadDelegate, upload, uploadHandler,
      uploadDelegate

    var isUpload: Bool { rawValue.hasPrefix("upload") }
    var isDelegate: Bool { rawValue.hasSuffix("Delegate") }
  }

  private struct Case {
    var name: String
    var stubs: [Stub] = []
    var path = "/json"
    var method: String?
    var unmatched = StubSet.Unmatched.pass
    var holdAll: Action.HoldPoint?
    /// What the person says of each hold; nil lets it go on.
    var decisions: [Verdict.Decision?] = []
    var settings = HookSettings()
    /// The pieces are the stub's own, so that their number is known.
    var hasPieces = false
    /// The program's patience, in seconds; nil is the usual.
    var timeout: Double?
  }

  private static func stub(_ then: Action, _ path: String = "*") -> Stub {
    Stub(name: "stub of \(path)", when: RequestPattern(path: .glob(path)), then: then)
  }

  private static func cases(_ server: LoopbackServer) -> [Case] {
    let elsewhere = "http://127.0.0.1:\(server.port)"
    let text = CannedResponse(
      status: 201, headers: [HeaderField("X-A", "1"), HeaderField("X-A", "2")], body: .text("stubbed"))
    func answer(_ body: CannedResponse.Body, _ status: Int = 200, _ headers: [HeaderField] = [], pace: Pace? = nil)
      -> Action
    {
      .respond(CannedResponse(status: status, headers: headers, body: body, pace: pace))
    }
    func redirect(_ status: Int, _ target: String) -> Action {
      answer(.text("elsewhere"), status, [HeaderField("Location", target)])
    }
    let asked = RecordedRequest(
      method: "PUT", url: elsewhere + "/status/298", headers: [HeaderField("X-Edited", "1")], body: Data("edited".utf8))
    let said = RecordedResponse(status: 299, headers: [HeaderField("X-Said", "1")], body: Data("said".utf8))
    let requestHeld: [(String, Verdict.Decision?)] = [
      ("goes on", nil), ("is continued", .continue(request: nil, response: nil)),
      ("is edited", .continue(request: asked, response: nil)),
      ("is answered", .respond(text)), ("fails", .fail(Fault(.named("timedOut")))), ("is dropped", .drop),
    ]
    let responseHeld: [(String, Verdict.Decision?)] = [
      ("goes on", nil), ("is continued", .continue(request: nil, response: nil)),
      ("is edited", .continue(request: nil, response: said)),
      ("is answered", .respond(text)), ("fails", .fail(Fault(.named("timedOut")))), ("is dropped", .drop),
    ]
    var all: [Case] = [
      Case(name: "nothing takes it"), Case(name: "a text", stubs: [stub(.respond(text))]),
      Case(name: "no body", stubs: [stub(answer(.none))]), Case(name: "JSON", stubs: [stub(answer(.json(["a": 1])))]),
      Case(name: "204", stubs: [stub(answer(.text("x"), 204))]),
      Case(name: "HEAD", stubs: [stub(.respond(text))], method: "HEAD"),
      Case(name: "HEAD of the network", method: "HEAD"),
      Case(
        name: "too short for its length",
        stubs: [stub(answer(.text("short"), 200, [HeaderField("Content-Length", "9")]))]),
      Case(
        name: "too long for its length",
        stubs: [stub(answer(.text("too long"), 200, [HeaderField("Content-Length", "3")]))]),
      Case(
        name: "events",
        stubs: [
          stub(
            answer(.events([.init(data: "one"), .init(event: "e", data: ["n": 2], after: .fixed(.milliseconds(2)))])))
        ], hasPieces: true),
      Case(
        name: "dribbled", stubs: [stub(answer(.text("dribbled"), pace: .dribble(pieces: 3, over: .milliseconds(6))))],
        hasPieces: true),
      Case(
        name: "cut by the limit", stubs: [stub(answer(.filler(bytes: 50)))],
        settings: HookSettings(requestBodyLimit: 3, bodyLimit: 10)),
      Case(
        name: "the network cut by the limit", path: "/bytes?n=50",
        settings: HookSettings(requestBodyLimit: 3, bodyLimit: 10)),
      Case(name: "a failure", stubs: [stub(.fail(Fault(.named("timedOut"))))]),
      Case(name: "a failure of one's own", stubs: [stub(.fail(Fault(.custom(domain: "My", code: 7, message: "no"))))]),
      Case(
        name: "a failure midway",
        stubs: [stub(.fail(Fault(.named("networkConnectionLost"), after: .init(response: text, bytes: 4))))]),
      Case(
        name: "a failure before the body",
        stubs: [stub(.fail(Fault(.named("networkConnectionLost"), after: .init(response: text, bytes: 0))))]),
      Case(
        name: "a challenge",
        stubs: [stub(answer(.text("who"), 401, [HeaderField("WWW-Authenticate", "Basic realm=x")]))]),
      Case(name: "a pass", stubs: [stub(.pass(PassChanges()))]),
      Case(name: "a late pass", stubs: [stub(.pass(PassChanges(delay: .fixed(.milliseconds(3)))))]),
      Case(
        name: "another status",
        stubs: [
          stub(.pass(PassChanges(status: 418, headers: [.init("X-New", ["1", "2"]), .init("Content-Type", nil)])))
        ]),
      Case(name: "a patched answer", stubs: [stub(.pass(PassChanges(mergePatch: ["patched": true])))]),
      Case(name: "a replaced text", stubs: [stub(.pass(PassChanges(replace: [.init(find: "a", with: "AA")])))]),
      Case(name: "a slow answer", stubs: [stub(.pass(PassChanges(pace: .dribble(pieces: 2, over: .milliseconds(4)))))]),
      Case(name: "sent elsewhere", stubs: [stub(.pass(PassChanges(to: elsewhere + "/status")))], path: "/203?y=1"),
      Case(
        name: "sent as another",
        stubs: [
          stub(
            .pass(
              PassChanges(
                request: RequestChanges(
                  method: "PUT", path: "/empty", query: [.init("q", ["1"])], headers: [.init("X-R", ["1"])],
                  body: .text("other")))))
        ]),
      Case(
        name: "a redirect of a stub to a stub", stubs: [stub(redirect(302, "/b"), "/json"), stub(.respond(text), "/b")]),
      Case(name: "a redirect of a stub to the network", stubs: [stub(redirect(307, "/json"), "/a")], path: "/a"),
      Case(name: "a redirect of a stub to itself", stubs: [stub(redirect(303, "/json"))]),
      Case(
        name: "a redirect of a stub to what nothing takes", stubs: [stub(redirect(302, "/b"), "/json")],
        unmatched: .fail),
      Case(name: "a redirect of the network", path: "/chain/2"),
      Case(name: "a redirect of the network to a stub", stubs: [stub(.respond(text), "/chain/0")], path: "/chain/2"),
      Case(
        name: "a redirect of the network to what nothing takes", stubs: [stub(.pass(PassChanges()), "/chain/1")],
        path: "/chain/1", unmatched: .fail),
      Case(
        name: "a redirect of the network that is patched", stubs: [stub(.pass(PassChanges(status: 202)))],
        path: "/chain/2"),
      Case(name: "unmatched fails", unmatched: .fail), Case(name: "the network fails", path: "/drop"),
      Case(name: "the network breaks off", path: "/cut"),
      Case(
        name: "the network breaks off a patched answer", stubs: [stub(.pass(PassChanges(status: 202)))], path: "/cut"),
      Case(name: "404 of the network", path: "/status/404"), Case(name: "compressed by the network", path: "/gzip"),
      Case(name: "empty", path: "/empty"),
      Case(
        name: "compressed and patched", stubs: [stub(.pass(PassChanges(replace: [.init(find: "e", with: "E")])))],
        path: "/gzip"),
      Case(name: "a sequence", stubs: [stub(.sequence([.respond(text), .hold(.request)], afterwards: .last))]),
      Case(
        name: "everything is held at both ends", stubs: [stub(.respond(text))], holdAll: .both, decisions: [nil, nil]),
      Case(name: "unmatched is held", unmatched: .hold, decisions: [.respond(text)]),
    ]
    let late = CannedResponse(body: .text("late"), delay: .fixed(.seconds(600)))
    all += [
      Case(name: "a stub that is too late", stubs: [stub(.respond(late))], timeout: 0.05),
      Case(
        name: "a failure that is too late",
        stubs: [stub(.fail(Fault(.named("cancelled"), delay: .fixed(.seconds(600)))))], timeout: 0.05),
      Case(
        name: "a pass that is too late", stubs: [stub(.pass(PassChanges(delay: .fixed(.seconds(600)))))], timeout: 0.05),
      Case(
        name: "held for too long", stubs: [stub(.hold(.request))], settings: HookSettings(timeoutRunsWhileHeld: true),
        timeout: 0.05),
      Case(
        name: "its answer is held for too long", stubs: [stub(.hold(.response)), stub(.respond(text))],
        settings: HookSettings(timeoutRunsWhileHeld: true), timeout: 0.05),
    ]
    for (how, decision) in requestHeld {
      all.append(Case(name: "held, and \(how)", stubs: [stub(.hold(.request))], decisions: [decision]))
    }
    for (how, decision) in responseHeld {
      all.append(
        Case(name: "the network's answer is held, and \(how)", stubs: [stub(.hold(.response))], decisions: [decision]))
      all.append(
        Case(
          name: "a stub's answer is held, and \(how)", stubs: [stub(.hold(.response)), stub(.respond(text))],
          decisions: [decision]))
    }
    return all
  }

  @Test(.bounded(120), arguments: Kind.allCases) func eachKindGetsWhatItIsSaid(_ kind: Kind) async throws {
    var lines: [String] = []
    for number in Self.cases(try LoopbackServer()).indices {
      // A server of its own, so that no connection is there already.
      let server = try LoopbackServer()
      defer { server.stop() }
      let one = Self.cases(server)[number]
      lines.append("== \(one.name)")
      let seen = try await seen(one, kind, server)
      lines += seen.map { $0.replacingOccurrences(of: "127.0.0.1:\(server.port)", with: "server") }
    }
    try expectRecorded(lines.joined(separator: "\n") + "\n", "Whole/\(kind.rawValue).txt")
  }

  /// What is cancelled while it waits, is held, or has begun to be answered.
  @Test(arguments: Kind.allCases.filter { $0.rawValue.hasSuffix("Handler") || $0.isDelegate })
  func eachKindEndsWhereItIsCancelled(_ kind: Kind) async throws {
    let late = CannedResponse(body: .text("late"), delay: .fixed(.seconds(600)))
    let text = CannedResponse(status: 201, body: .text("stubbed"))
    let slow = CannedResponse(body: .text("slowly"), pace: .dribble(pieces: 3, over: .seconds(1_800)))
    let begun: @Sendable (RecordingSink) -> Bool = { !$0.exchanges.isEmpty }
    let held: @Sendable (RecordingSink) -> Bool = { $0.isHolding }
    let rows: [(Case, @Sendable (RecordingSink) -> Bool)] = [
      (Case(name: "a late stub", stubs: [Self.stub(.respond(late))]), begun),
      (
        Case(
          name: "a late failure", stubs: [Self.stub(.fail(Fault(.named("timedOut"), delay: .fixed(.seconds(600)))))]),
        begun
      ),
      (Case(name: "a late pass", stubs: [Self.stub(.pass(PassChanges(delay: .fixed(.seconds(600)))))]), begun),
      (Case(name: "a dribbled one", stubs: [Self.stub(.respond(slow))]), { $0.exchanges.first?.head != nil }),
      (Case(name: "held", stubs: [Self.stub(.hold(.request))]), held),
      (Case(name: "its answer is held", stubs: [Self.stub(.hold(.response)), Self.stub(.respond(text))]), held),
      (Case(name: "the network's answer is held", stubs: [Self.stub(.hold(.response))]), held),
      (Case(name: "the network", path: "/hang"), begun),
      (
        Case(
          name: "the network of a patched answer", stubs: [Self.stub(.pass(PassChanges(status: 202)))], path: "/hang"),
        begun
      ),
    ]
    enum Tag {}
    var lines: [String] = []
    for (one, isThere) in rows {
      let server = try LoopbackServer()
      defer { server.stop() }
      lines.append("== \(one.name)")
      let hook = HookFixture<Tag>(one.stubs)
      let delegate = CallbackRecorder()
      let session = hook.session(delegate: kind.isDelegate ? delegate : nil)
      defer { session.finishTasksAndInvalidate() }
      var request = URLRequest(url: server.url(one.path))
      request.httpMethod = kind.isUpload ? "POST" : "GET"
      let saw = SeenLock<[String]?>(nil)
      let task = task(kind, request, session) { words in saw.withLock { $0 = words } }
      task.resume()
      try await until { isThere(hook.sink) }
      if one.path == "/hang" {
        try await until { server.requests.count == 1 }
        // What the server has the program may not have been told yet.
        if kind.isDelegate, kind.isUpload { try await until { delegate.callbacks.contains(.sent(8)) } }
      }
      task.cancel()
      if kind.isDelegate {
        let callbacks = try await delegate.completed()
        saw.withLock { $0 = self.told(callbacks, hasPieces: one.hasPieces) }
      } else {
        try await until { saw.withLock { $0 != nil } }
      }
      let told = try await hook.sink.ended()
      let seen = self.lines(saw.withLock { $0 } ?? [], told, hook.sink, server) + ["unheld \(hook.sink.unheld)"]
      lines += seen.map { $0.replacingOccurrences(of: "127.0.0.1:\(server.port)", with: "server") }
    }
    try expectRecorded(lines.joined(separator: "\n") + "\n", "Whole/\(kind.rawValue)-cancelled.txt")
  }

  private func seen(_ one: Case, _ kind: Kind, _ server: LoopbackServer) async throws -> [String] {
    enum Tag {}
    let hook = HookFixture<Tag>(one.stubs, unmatched: one.unmatched, holdAll: one.holdAll, settings: one.settings)
    let delegate = CallbackRecorder()
    let session = hook.session(delegate: kind.isDelegate ? delegate : nil)
    defer { session.finishTasksAndInvalidate() }
    var request = URLRequest(url: server.url(one.path))
    request.setValue("asked", forHTTPHeaderField: "X-Asked")
    if let timeout = one.timeout { request.timeoutInterval = timeout }
    request.httpMethod = one.method ?? (kind.isUpload ? "POST" : "GET")
    let person = Task { for decision in one.decisions { try await hook.sink.decide(decision) } }
    let saw = await saw(request, kind, session, delegate, hasPieces: one.hasPieces)
    try await person.value
    let told = try await hook.sink.ended()
    return lines(saw, told, hook.sink, server)
  }

  private func lines(_ saw: [String], _ told: [RecordingSink.Told], _ sink: RecordingSink, _ server: LoopbackServer)
    -> [String]
  {
    saw.map { "saw \($0)" } + told.flatMap { lines($0) } + sink.notices.map { "notice \($0)" }
      + server.requests.map { asked in
        let fields = asked.headers.filter {
          ["x-", "co"].contains($0.name.lowercased().prefix(2)) && $0.name != "Connection"
        }
        return
          "asked \(asked.method) \(asked.target) \(fields.map { "\($0.name)=\($0.value)" }.sorted()) \(shown(Data(asked.bodyStart)))"
      }
  }

  private func lines(_ told: RecordingSink.Told) -> [String] {
    func request(_ request: RecordedRequest) -> String {
      let usual = ["User-Agent", "Accept-Encoding", "Accept-Language"]
      let fields = request.headers.filter { !usual.contains($0.name) }.map { "\($0.name)=\($0.value)" }
      return "\(request.method) \(request.url) \(fields) \(shown(request.body)) \(request.truncated)"
    }
    var lines: [String] = []
    if let start = told.start { lines.append("told \(start.task) \(request(start.request))") }
    if let answer = told.answer {
      lines.append("told by \(answer.by) \(answer.stub ?? "-") \(answer.edited.map(request) ?? "")")
    }
    if let sent = told.sent { lines.append("told sent \(request(sent))") }
    for hop in told.hops { lines.append("told hop \(hop.status) \(hop.url) → \(hop.target ?? "")") }
    if !told.held.isEmpty { lines.append("told held \(told.held)") }
    if let head = told.head {
      let fields = head.headers.filter { $0.name != "Date" }.map { "\($0.name)=\($0.value)" }
      lines.append("told head \(head.status) \(fields) \(shown(told.data))")
    }
    if let end = told.end {
      let error = end.error.map { "\($0.domain) \($0.code)" } ?? "-"
      lines.append(
        "told end \(end.outcome) \(error) sent \(end.bytesSent) received \(end.bytesReceived) cut \(end.requestTruncated) \(end.responseTruncated) body \(end.hasBody)"
      )
    }
    if told.late > 0 { lines.append("told \(told.late) more") }
    return lines
  }

  private func shown(_ data: Data?) -> String {
    guard let data else { return "nothing" }
    let text = String(validating: data, as: UTF8.self).map { $0.count > 60 ? "\($0.prefix(50))…" : $0 } ?? "bytes"
    return "\(data.count) “\(text.replacingOccurrences(of: "\n", with: "⏎"))”"
  }

  // MARK: What the program sees

  private func saw(
    _ request: URLRequest, _ kind: Kind, _ session: URLSession, _ delegate: CallbackRecorder, hasPieces: Bool
  ) async -> [String] {
    switch kind {
    case .data: return await result { try await session.data(for: request) }
    case .upload: return await result { try await session.upload(for: request, from: Self.body) }
    case .download:
      return await result {
        let (url, response) = try await session.download(for: request)
        return (Self.file(url) ?? Data(), response)
      }
    case .dataHandler, .uploadHandler, .downloadHandler:
      return await withCheckedContinuation { done in
        task(kind, request, session) { done.resume(returning: $0) }.resume()
      }
    case .dataDelegate, .uploadDelegate, .downloadDelegate: task(kind, request, session) { _ in }.resume()
    }
    guard let callbacks = try? await delegate.completed() else { return ["no end"] }
    return told(callbacks, hasPieces: hasPieces)
  }

  private static let body = Data("the body".utf8)

  private static func file(_ url: URL?) -> Data? {
    guard let url else { return nil }
    defer { try? FileManager.default.removeItem(at: url) }
    return try? Data(contentsOf: url)
  }

  /// - Parameter finish: Called with what a handler is told; not where a delegate is.
  private func task(
    _ kind: Kind, _ request: URLRequest, _ session: URLSession, _ finish: @escaping @Sendable ([String]) -> Void
  ) -> URLSessionTask {
    let done: @Sendable (Data?, URLResponse?, (any Error)?) -> Void = { finish(self.words($0, $1, $2)) }
    switch kind {
    case .dataHandler: return session.dataTask(with: request, completionHandler: done)
    case .uploadHandler: return session.uploadTask(with: request, from: Self.body, completionHandler: done)
    case .downloadHandler: return session.downloadTask(with: request) { done(Self.file($0), $1, $2) }
    case .upload, .uploadDelegate: return session.uploadTask(with: request, from: Self.body)
    case .download, .downloadDelegate: return session.downloadTask(with: request)
    case .data, .dataDelegate: return session.dataTask(with: request)
    }
  }

  private func result(_ body: () async throws -> (Data, URLResponse)) async -> [String] {
    do {
      let (data, response) = try await body()
      return words(data, response, nil)
    } catch { return words(nil, nil, error) }
  }

  private func words(_ data: Data?, _ response: URLResponse?, _ error: (any Error)?) -> [String] {
    var words: [String] = []
    if let response = response as? HTTPURLResponse {
      let fields = response.headerFields.filter { $0.name != "Date" }.map { "\($0.name)=\($0.value)" }
      words.append(
        "\(response.statusCode) \(response.url?.absoluteString ?? "") \(fields) \(response.expectedContentLength)")
    }
    if let data { words.append(shown(data)) }
    if let error = error as NSError? {
      let url = (error.userInfo[NSURLErrorFailingURLErrorKey] as? URL)?.absoluteString ?? ""
      words.append("\(error.domain) \(error.code) \(url)")
    }
    return words
  }

  /// How the network's body is cut into pieces is the network's to say.
  private func told(_ callbacks: [CallbackRecorder.Callback], hasPieces: Bool) -> [String] {
    var seen: [CallbackRecorder.Callback] = []
    for callback in callbacks {
      switch (seen.last, callback) {
      case (.data(let before)?, .data(let more)) where !hasPieces: seen[seen.count - 1] = .data(before + more)
      case (.written?, .written) where !hasPieces: seen[seen.count - 1] = callback
      case (.sent?, .sent): seen[seen.count - 1] = callback
      default: seen.append(callback)
      }
    }
    return seen.map { callback in
      switch callback {
      case .data(let text): "data \(shown(Data(text.utf8)))"
      case .file(let text): "file \(shown(Data(text.utf8)))"
      default: "\(callback)"
      }
    }
  }
}
