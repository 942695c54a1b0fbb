import Foundation
import Patchbay

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Every way to declare a stub for all sessions: the name that it got, and what two requests get of it, the second of
/// which is one more than it takes.
enum Declarations {
  private struct Own: Error, CustomStringConvertible {
    let description = "own"
  }

  static func run() {
    Patchbay.isStrict = true
    let head = HTTPURLResponse(
      url: URL(string: "http://other.example/")!, statusCode: 209, httpVersion: nil, headerFields: nil)!
    tell(Patchbay.stub(.get("*/respond"), respond: .text("1", status: 201), name: "respond", times: 1))
    tell(Patchbay.stub(.get("*/fail"), fail: .timedOut, delay: .milliseconds(1), name: "fail", times: 1))
    tell(
      Patchbay.stub(.get("*/late"), fail: .cannotFindHost, delay: .seconds(600), name: "late", times: 1), timeout: 0.05)
    tell(Patchbay.stub(.get("*/error"), fail: Own(), name: "error", times: 1))
    tell(Patchbay.stub(matching: .get("*/matching"), name: "matching", times: 1) { _ in .text("22", status: 202) })
    tell(Patchbay.stub(.get("*/closure"), name: "closure", times: 1) { _ in .text("333", status: 203) })
    tell(Patchbay.stub(.get("*/responder"), name: "responder", times: 1) { _ in (head, Data("4444".utf8)) })
    tell(Patchbay.stub(.get("*/pass"), pass: PassChanges(to: "http://127.0.0.1:9"), name: "pass", times: 1))
    let isAsked: @Sendable (URLRequest) -> Bool = { $0.url?.path == "/predicate" }
    tell(Patchbay.stub(where: isAsked, name: "predicate", times: 1, respond: .text("55555", status: 205)))
    tell(Patchbay.stub(Stub(name: "stub", when: .get("*/stub"), then: .respond(.status(206)), times: 1)))
    let unnamed = [
      Patchbay.stub(.get("*/a"), respond: .status(200)), Patchbay.stub(.get("*/b"), fail: .timedOut),
      Patchbay.stub(.get("*/c"), fail: Own()), Patchbay.stub(.get("*/d")) { _ in .status(200) },
      Patchbay.stub(.get("*/e"), pass: PassChanges()), Patchbay.stub(where: { _ in false }, respond: .status(200)),
      Patchbay.stub(matching: .get("*/f")) { _ in .status(200) },
      Patchbay.stub(matching: .get("*/f")) { _ in .status(200) },
    ]
    say("unnamed:", unnamed.map(\.name).joined(separator: ", "))
    for token in unnamed { token.remove() }
    let handler = Patchbay.handle { request in .text(request.url?.path ?? "", status: 207) }
    say(handler.name, fetch("anything"))
    let responder = Patchbay.handle { _ in (head, Data()) }
    say(responder.name, fetch("anything"))
    handler.remove()
    say("replaced:", fetch("anything"))
    responder.remove()
    say("removed:", fetch("anything"))
    Patchbay.reset()
    let all = Patchbay.stub { _ in .status(299) }
    say(all.name, fetch("anything"))
  }

  private static func tell(_ token: StubToken, timeout: Double = 60) {
    say(token.name, [fetch(token.name, timeout), fetch(token.name, timeout)].joined(separator: ", then "))
  }

  private static func fetch(_ path: String, _ timeout: Double = 60) -> String {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.timeoutIntervalForRequest = timeout
    let session = URLSession(configuration: configuration)
    defer { session.invalidateAndCancel() }
    let line = Fetch.wait(URL(string: "http://nowhere.example/\(path)"), session).line
    let words = line.split(separator: " ")
    guard words.first == "error", words.count > 2 else { return line }
    return words[1] == "0" ? "error " + words[2...].prefix(2).joined(separator: " ") : "error \(words[1])"
  }
}
