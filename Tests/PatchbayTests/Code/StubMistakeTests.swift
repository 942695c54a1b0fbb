import Foundation
import PatchbayStubs
import PatchbayTestSupport
import Testing

@testable import Patchbay

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What is wrong with a stub in code is said: by a trap in a debug build, else by the requests that it takes.
@Suite(.bounded) struct StubMistakeTests {
  struct Mistake: Sendable, CustomTestStringConvertible {
    var stub: Stub
    var says: String
    var testDescription: String { says }

    init(_ says: String, when: RequestPattern = .get("*/a*"), then: Action = .respond(.status(204))) {
      stub = Stub(name: "wrong", when: when, then: then)
      self.says = says
    }
  }

  private static let broken = TextPattern.matches("([a-z")
  static let mistakes = [
    Mistake("`timedOutt` is neither a URLError code", then: .fail(Fault(.named("timedOutt")))),
    Mistake(
      "did you mean `timedOut`?",
      then: .sequence([.respond(.status(200)), .fail(Fault(.named("timedOutt")))], afterwards: .last)),
    Mistake("`{{nonsense}}` is not known", then: .respond(.text("{{nonsense}}"))),
    Mistake("`{{` is not closed", then: .respond(.json(["a": ["{{ oh"]]))),
    Mistake("`{{x}}` is not known", then: .respond(.status(200, headers: [HeaderField("X", "{{x}}")]))),
    Mistake(
      "`{{x}}` is not known",
      then: .fail(Fault(.named("timedOut"), after: Fault.Partial(response: .text("{{x}}"))))),
    Mistake("the file `a.json` is read for stub files only", then: .respond(CannedResponse(body: .file("a.json")))),
    Mistake("([a-z", when: RequestPattern(url: broken)),
    Mistake("([a-z", when: RequestPattern(path: broken)),
    Mistake("([a-z", when: RequestPattern(host: broken, path: .glob("/a*"))),
    Mistake("([a-z", when: RequestPattern(query: [.init("q", broken)])),
    Mistake("([a-z", when: RequestPattern(headers: [.init("X", broken)])),
    Mistake("([a-z", when: RequestPattern(body: BodyPattern(matches: "([a-z"))),
    Mistake("([a-z", when: RequestPattern(body: BodyPattern(form: [.init("q", broken)]))),
    Mistake(
      "the JSON Pointer `a` must begin with `/`",
      when: RequestPattern(body: BodyPattern(pointer: [.init("a", 1)]))),
  ]

  @Test(arguments: mistakes) func requestsFailWithItInARelease(_ mistake: Mistake) async throws {
    let scope = Patchbay.scope()
    let token = StubDeclaration(scope: scope.mark, traps: false).declare(mistake.stub, handler: nil, where: nil)
    let url = URL(string: "http://x.example/abc")!
    let error = await #expect(throws: (any Error).self) { try await scope.session().data(from: url) }
    guard case .wrongStub(let name, let reason)? = error as? PatchbayError else {
      Issue.record("\(error as Any)")
      return
    }
    #expect(name == "wrong" && reason.contains(mistake.says), "\(reason)")
    #expect(error?.localizedDescription.hasPrefix("The stub `wrong` in the program's code is wrong: ") == true)
    // Numbered where tests beside this one have declared their own by that name.
    #expect(scope.exchanges.count == 1 && scope.exchanges[0].stub?.hasPrefix("wrong") == true)
    token.remove()
  }

  @Test func whatTheRestOfThePatternLeavesOutIsLeftAlone() async throws {
    let scope = Patchbay.scope()
    scope.isStrict = true
    let stub = Stub(
      name: "wrong", when: RequestPattern(methods: ["POST"], path: .matches("([a-z")), then: .respond(.status(204)))
    StubDeclaration(scope: scope.mark, traps: false).declare(stub, handler: nil, where: nil)
    let url = URL(string: "http://x.example/")!
    await #expect(throws: PatchbayError.unstubbed(method: "GET", url: url.absoluteString)) {
      try await scope.session().data(from: url)
    }
  }

  @Test func aStubThatIsRightIsNot() {
    let right = Stub(
      name: "right",
      when: RequestPattern(
        url: .matches("^http"), query: [.init("a", nil)], headers: [.init("X", .glob("("))],
        body: BodyPattern(matches: "[a-z]", pointer: [.init("/a", 1), .init("", 2)])),
      then: .sequence(
        [
          .fail(Fault(.named("timedOut"))), .fail(Fault(.named("connectionLostMidway"))),
          .fail(Fault(.custom(domain: "d", code: 1, message: "{{no template}}"))),
          .respond(.text("{{request.path.1}} {{\"{{\"}}")), .respond(.data(Data("{{x}}".utf8))),
        ], afterwards: .repeat))
    #expect(right.mistakes == [] && right.when.withoutMistakes == right.when)
  }

  @Test func theConsoleIsToldOfTheMistake() {
    let scope = Patchbay.scope()
    let stub = Stub(name: "told", when: .get("*/a*"), then: .fail(Fault(.named("timedOutt"))))
    StubDeclaration(scope: scope.mark, traps: false).declare(stub, handler: nil, where: nil)
    let sentence = "The stub `told` in the program's code is wrong: `timedOutt` is neither a URLError code"
    #expect(Hook.current.controller.sentences.contains { $0.hasPrefix(sentence) })
  }

  /// Nobody reads it for the program.
  @Test func aFileThatAClosureAnswersWithIsSaidToo() async throws {
    let scope = Patchbay.scope()
    scope.handle { _ in CannedResponse(body: .file("a.json")) }
    let url = URL(string: "http://x.example/")!
    let error = await #expect(throws: (any Error).self) { try await scope.session().data(from: url) }
    guard case .wrongStub(let name, _)? = error as? PatchbayError, name.hasPrefix("handler") else {
      Issue.record("\(error as Any)")
      return
    }
  }

  #if DEBUG
    @Test func aDebugBuildTraps() throws {
      let child = try ChildProcess("attached-harness", ["wrong"], environment: ["SWIFT_BACKTRACE": "enable=no"])
      #expect(child.wait() != 0)
      #expect(
        child.output.contains(
          "The stub `flaky` in the program's code is wrong: `timedOutt` is neither a URLError code such as timedOut "
            + "nor a named fault; did you mean `timedOut`?"), "\(child.output)")
      #expect(!child.output.contains("declared"))
    }
  #endif
}
