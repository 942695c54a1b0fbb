import Foundation
import PatchbayStubs
import PatchbayTestSupport
import Testing

@testable import Patchbay

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What each way to declare a stub makes of what it is given, whole.
@Suite(.bounded) struct ScopeDeclarationTests {
  private struct Own: Error, Equatable {}

  private let scope = Patchbay.scope()
  private let pattern = RequestPattern.get("*/a")
  private let url = URL(string: "http://a.example/a")!

  /// The stubs of this test's scope, in their order.
  private var declared: [CodeStub] {
    Hook.current.controller.code.stubs.filter { $0.scope == scope.mark }
  }

  private func head(_ status: Int) -> HTTPURLResponse {
    HTTPURLResponse(url: url, statusCode: status, httpVersion: nil, headerFields: ["A": "1"])!
  }

  @Test func answersAndFaultsAreAsTheyWereGiven() {
    let fault = Fault(
      .custom(domain: NSURLErrorDomain, code: URLError.Code.timedOut.rawValue, message: nil),
      delay: .fixed(.seconds(2)))
    let sequence = Stub(name: "whole", when: pattern, then: .sequence([.hold(.both)], afterwards: .repeat), times: 9)
    let tokens = [
      scope.stub(pattern, respond: .text("x", status: 201), name: "respond", times: 2),
      scope.stub(pattern, fail: .timedOut, delay: .seconds(2), name: "fail", times: 3),
      scope.stub(pattern, pass: PassChanges(status: 500), name: "pass", times: 4), scope.stub(sequence),
      scope.stub(pattern, respond: .status(204)), scope.stub(pattern, fail: .timedOut),
      scope.stub(pattern, pass: PassChanges()),
    ]
    let expected = [
      Stub(name: "respond", when: pattern, then: .respond(CannedResponse(status: 201, body: .text("x"))), times: 2),
      Stub(name: "fail", when: pattern, then: .fail(fault), times: 3),
      Stub(name: "pass", when: pattern, then: .pass(PassChanges(status: 500)), times: 4), sequence,
      Stub(name: "GET */a", when: pattern, then: .respond(CannedResponse(status: 204))),
      Stub(name: "GET */a", when: pattern, then: .fail(Fault(fault.error))),
      Stub(name: "GET */a", when: pattern, then: .pass(PassChanges())),
    ]
    let stubs = declared
    #expect(stubs.map(\.stub.then) == expected.map(\.then) && stubs.map(\.stub.when) == expected.map(\.when))
    #expect(stubs.map(\.stub.times) == expected.map(\.times))
    #expect(stubs.map(\.stub.name) == tokens.map(\.name) && stubs.map(\.id) == tokens.map(\.id))
    #expect(stubs.allSatisfy { $0.answer == nil && $0.accepts == nil && !$0.isHandler })
    // Names are unique in the process, and other tests declare stubs of their own meanwhile.
    for (token, stub) in zip(tokens, expected) { #expect(token.name.hasPrefix(stub.name)) }
    for token in tokens.dropFirst() { token.remove() }
    #expect(declared.map(\.id) == [tokens[0].id])
    scope.close()
    #expect(declared.isEmpty)
  }

  @Test func closuresStandInThePlaceOfTheAction() async throws {
    let tokens = [
      scope.stub(pattern, fail: Own(), name: "own", times: 1),
      scope.stub(matching: pattern, name: "matching", times: 2) { .text($0.url?.path ?? "", status: 202) },
      scope.stub(pattern, name: "closure", times: 3) { .text($0.url?.path ?? "", status: 203) },
      scope.stub(pattern, name: "responder", times: 4) { [head] in (head(204), Data(($0.url?.path ?? "").utf8)) },
      scope.stub(matching: pattern) { _ in .status(205) }, scope.stub { _ in .status(206) },
      scope.handle { _ in .status(207) },
    ]
    let stubs = declared
    #expect(stubs.map(\.id) == tokens.map(\.id) && stubs.map(\.stub.name) == tokens.map(\.name))
    #expect(stubs.map(\.stub.then) == [Action](repeating: .code, count: 7))
    #expect(stubs.map(\.stub.times) == [1, 2, 3, 4, nil, nil, nil])
    let all = RequestPattern()
    #expect(stubs.map(\.stub.when) == [pattern, pattern, pattern, pattern, pattern, all, all])
    #expect(stubs.map(\.isHandler) == [false, false, false, false, false, false, true])
    #expect(stubs.allSatisfy { $0.accepts == nil && $0.scope == scope.mark })
    let request = URLRequest(url: url)
    await #expect(throws: Own()) { try await stubs[0].answer?(request) }
    var answers: [CannedResponse?] = []
    for stub in stubs.dropFirst() { answers.append(try await stub.answer?(request)) }
    #expect(
      answers == [
        .text("/a", status: 202), .text("/a", status: 203),
        CannedResponse(status: 204, headers: [HeaderField("A", "1")], body: .data(Data("/a".utf8))), .status(205),
        .status(206), .status(207),
      ])
    let responder = scope.handle { [head] _ in (head(208), Data()) }
    #expect(declared.map(\.id) == tokens.dropLast().map(\.id) + [responder.id], "it takes the handler's place")
    #expect(responder.name == tokens[6].name)
    #expect(try await declared[6].answer?(request).status == 208)
  }

  @Test func aPredicateStandsBesideItsAnswer() {
    let token = scope.stub(where: { $0.url?.path == "/a" }, name: "p", times: 5, respond: .text("x", status: 201))
    let unnamed = scope.stub(where: { _ in false }, respond: .status(200))
    let stubs = declared
    #expect(stubs.map(\.id) == [token.id, unnamed.id] && unnamed.name.hasPrefix("predicate"))
    #expect(stubs.map(\.stub.then) == [.respond(.text("x", status: 201)), .respond(.status(200))])
    #expect(stubs.map(\.stub.times) == [5, nil] && stubs.allSatisfy { $0.answer == nil && !$0.isHandler })
    #expect(stubs[0].accepts?(URLRequest(url: url)) == true)
    #expect(stubs[0].accepts?(URLRequest(url: url.appendingPathComponent("b"))) == false)
    #expect(stubs.map(\.declared.then) == [.code, .code] && stubs[0].declared.times == 5)
  }

  @Test func whatIsNotSaidIsTheUsual() throws {
    #expect(CannedResponse.json(["a": 1]) == CannedResponse(status: 200, body: .json(["a": 1])))
    #expect(CannedResponse.data(Data([1])) == CannedResponse(status: 200, body: .data(Data([1]))))
    #expect(CannedResponse.text("x") == CannedResponse(status: 200, body: .text("x")))
    #expect(CannedResponse.status(200) == CannedResponse())
    #expect(try CannedResponse.json(encoding: [1]).status == 200)
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let body = try CannedResponse.json(encoding: ["b": 1, "a": 2], headers: [HeaderField("A", "1")], encoder: encoder)
    #expect(
      body
        == CannedResponse(
          headers: [HeaderField("A", "1"), HeaderField("Content-Type", "application/json")],
          body: .data(Data(#"{"a":2,"b":1}"#.utf8))))
    let patterns: [(RequestPattern, [String])] = [
      (.url("u"), []), (.get("u"), ["GET"]), (.head("u"), ["HEAD"]), (.post("u"), ["POST"]), (.put("u"), ["PUT"]),
      (.patch("u"), ["PATCH"]), (.delete("u"), ["DELETE"]), (.method("LOCK", "u"), ["LOCK"]),
    ]
    for (pattern, methods) in patterns { #expect(pattern == RequestPattern(methods: methods, url: .glob("u"))) }
  }
}
