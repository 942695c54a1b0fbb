import Foundation
import PatchbayTestSupport
import Testing

@testable import PatchbayStubs

/// Small questions to values: files of bodies, templates in actions, rendered answers, named faults, scenarios.
@Suite(.bounded) struct ActionValueTests {
  private static func respond(_ body: CannedResponse.Body) -> Action { .respond(CannedResponse(body: body)) }
  private static func fail(_ body: CannedResponse.Body) -> Action {
    .fail(Fault(.named("timedOut"), after: .init(response: CannedResponse(body: body), bytes: 3)))
  }
  private static func pass(_ body: CannedResponse.Body) -> Action {
    .pass(PassChanges(request: RequestChanges(body: body)))
  }

  @Test func filesOfBodies() {
    let file = CannedResponse.Body.file("a.json")
    let others: [CannedResponse.Body] = [
      .none, .text("a"), .json(1), .data(Data()), .folder("a", otherwise: .pass), .events([]), .filler(bytes: 1),
      .file("{{uuid}}.json"),
    ]
    #expect(
      Self.respond(file).bodyFiles == ["a.json"] && Self.fail(file).bodyFiles == ["a.json"]
        && Self.pass(file).bodyFiles == ["a.json"])
    #expect(
      Action.sequence(
        [Self.respond(.file("b")), Self.fail(file), Self.pass(.file("c")), .hold(.both)], afterwards: .pass
      ).bodyFiles
        == ["b", "a.json", "c"])
    for body in others {
      for action in [Self.respond(body), Self.fail(body), Self.pass(body)] { #expect(action.bodyFiles == []) }
    }
    for action in [Action.hold(.both), .code, .fail(Fault(.named("x"))), .pass(PassChanges())] {
      #expect(action.bodyFiles == [])
    }
    // The bytes take their place, with the type that the name tells.
    let bytes = ["a.json": Data("{}".utf8)]
    let type = HeaderField("Content-Type", "application/json")
    #expect(
      Self.respond(file).withFiles(bytes) == .respond(CannedResponse(headers: [type], body: .data(Data("{}".utf8)))))
    #expect(
      Self.fail(file).withFiles(bytes)
        == .fail(
          Fault(
            .named("timedOut"),
            after: .init(response: CannedResponse(headers: [type], body: .data(Data("{}".utf8))), bytes: 3))))
    #expect(
      Self.pass(file).withFiles(bytes)
        == .pass(
          PassChanges(
            request: RequestChanges(
              headers: [.init("Content-Type", ["application/json"])], body: .data(Data("{}".utf8))))))
    let own = RequestChanges(headers: [.init("content-type", ["x/y"])], body: file)
    #expect(
      Action.pass(PassChanges(request: own)).withFiles(bytes)
        == .pass(
          PassChanges(request: RequestChanges(headers: [.init("content-type", ["x/y"])], body: .data(Data("{}".utf8)))))
    )
    #expect(
      Action.sequence([Self.respond(file), .hold(.both)], afterwards: .pass).withFiles(bytes)
        == .sequence([Self.respond(file).withFiles(bytes), .hold(.both)], afterwards: .pass))
    for body in others + [.file("b")] {
      for action in [Self.respond(body), Self.fail(body), Self.pass(body)] {
        #expect(action.withFiles(bytes) == action)
      }
    }
    for action in [Action.hold(.both), .code, .fail(Fault(.named("x"))), .pass(PassChanges())] {
      #expect(action.withFiles(bytes) == action)
    }
  }

  @Test func pathsThatAreRelativeToAFolder() {
    for (body, whole) in [
      (.folder("a", otherwise: .notFound), .folder("/f/a", otherwise: .notFound)),
      (.folder("/a", otherwise: .pass), .folder("/a", otherwise: .pass)),
      (.file("a/{{uuid}}"), .file("/f/a/{{uuid}}")), (.file("/a/{{uuid}}"), .file("/a/{{uuid}}")),
      (.file("a"), .file("a")), (.text("a"), .text("a")),
    ] as [(CannedResponse.Body, CannedResponse.Body)] {
      #expect(Self.respond(body).withPaths(from: "/f") == Self.respond(whole))
      #expect(Self.fail(body).withPaths(from: "/f") == Self.fail(whole))
      #expect(
        Action.sequence([Self.respond(body), .code], afterwards: .last).withPaths(from: "/f")
          == .sequence([Self.respond(whole), .code], afterwards: .last))
      #expect(Self.pass(body).withPaths(from: "/f") == Self.pass(body))
    }
    for action in [Action.hold(.both), .code, .fail(Fault(.named("x")))] {
      #expect(action.withPaths(from: "/f") == action)
    }
  }

  @Test(
    arguments: [
      ("/r/a-{{request.path.0}}.json", "/r", "a-x.json"), ("/{{request.path.0}}", "/", "x"),
      ("{{request.path.0}}", ".", "x"), ("a{{request.path.0}}", ".", "ax"),
      ("/r/s/{{request.path.0}}/t", "/r/s", "x/t"), ("r/{{request.path.0}}", "r", "x"),
      ("/r/{{request.query.q}}", "/r", "ab"),
    ] as [(String, String, String)])
  func filesNamedByTheRequest(_ path: String, _ root: String, _ rest: String) throws {
    let context = TemplateContext(RequestFacts(method: "GET", url: "http://h/x?q=a%00b"), count: 1)
    let filled = CannedResponse(body: .file(path)).filled(in: context)
    #expect(filled.body == .file("\(root)\0\(rest)") && filled.headers == [])
    let file = try #require(CannedResponse.FilledFile("\(root)\0\(rest)"))
    #expect(
      file.root == root && file.rest == rest && file.path == "\(root)\0\(rest)"
        && CannedResponse.FilledFile(path) == nil)
  }

  private static let event = CannedResponse.Event(
    event: "{{count}}", id: "{{count}}", data: ["a": "{{count}}"], after: .fixed(.seconds(1)))

  @Test func answersAreFilledIn() {
    let context = TemplateContext(RequestFacts(method: "GET", url: "http://h/x"), count: 4)
    let pace = Pace.throttle(bytesPerSecond: 1)
    func filled(_ body: CannedResponse.Body, _ headers: [HeaderField] = []) -> CannedResponse {
      CannedResponse(status: 201, headers: headers, body: body, delay: .fixed(.seconds(1)), pace: pace).filled(
        in: context)
    }
    func expected(_ body: CannedResponse.Body, _ headers: [HeaderField] = []) -> CannedResponse {
      CannedResponse(status: 201, headers: headers, body: body, delay: .fixed(.seconds(1)), pace: pace)
    }
    let json = HeaderField("Content-Type", "application/json")
    #expect(filled(.text("n {{count}}")) == expected(.data(Data("n 4".utf8))))
    #expect(filled(.text("n")) == expected(.text("n")), "without templates it stays as it is")
    #expect(
      filled(.text("n"), [HeaderField("A", "{{count}}")]) == expected(.data(Data("n".utf8)), [HeaderField("A", "4")]))
    #expect(filled(.json(["a": "{{counter}}"])) == expected(.data(Data(#"{"a":4}"#.utf8)), [json]))
    #expect(
      filled(.events([Self.event]))
        == expected(
          .events([.init(event: "4", id: "4", data: ["a": "4"], after: .fixed(.seconds(1)))]),
          [HeaderField("Content-Type", "text/event-stream")]))
    for body: CannedResponse.Body in [.none, .data(Data([1])), .folder("f", otherwise: .pass), .filler(bytes: 2)] {
      #expect(filled(body, [HeaderField("A", "{{count}}")]) == expected(body, [HeaderField("A", "4")]))
    }
    #expect(filled(.file("{{nope}}")) == expected(.file("{{nope}}")))
    // Worked out once where nothing depends on the request.
    #expect(
      CannedResponse(body: .json(["a": 1])).settled
        == CannedResponse(headers: [json], body: .data(Data(#"{"a":1}"#.utf8))))
    #expect(CannedResponse(body: .text("a")).settled == CannedResponse(body: .data(Data("a".utf8))))
    #expect(
      CannedResponse(body: .json(["a": "{{count}}"])).settled
        == CannedResponse(headers: [json], body: .json(["a": "{{count}}"])))
    #expect(CannedResponse(headers: [HeaderField("A", "{{count}}")], body: .text("a")).settled.body == .text("a"))
    #expect(CannedResponse(body: .filler(bytes: 1)).settled == CannedResponse(body: .filler(bytes: 1)))
    #expect(
      Self.fail(.text("a")).settled == Self.fail(.data(Data("a".utf8)))
        && Action.fail(Fault(.named("x"))).settled == .fail(Fault(.named("x"))))
    #expect(
      Self.respond(.text("a")).settled == Self.respond(.data(Data("a".utf8)))
        && Self.pass(.text("a")).settled == Self.pass(.text("a")))
    #expect(
      Action.sequence([Self.respond(.text("a"))], afterwards: .last).settled
        == .sequence([Self.respond(.text("a"))], afterwards: .last))
  }

  @Test func typesThatBodiesTell() {
    let rows: [(CannedResponse.Body, String?)] = [
      (.json(1), "application/json"), (.events([]), "text/event-stream"), (.file("a.png"), "image/png"),
      (.file("a"), "application/octet-stream"),
      (.file("{{uuid}}.png"), nil), (.text("a"), nil), (.data(Data()), nil), (.none, nil),
      (.folder("a.png", otherwise: .pass), nil), (.filler(bytes: 1), nil),
    ]
    for (body, type) in rows {
      #expect(
        CannedResponse(body: body).withGuessedType.headers == (type.map { [HeaderField("Content-Type", $0)] } ?? []))
      let own = CannedResponse(headers: [HeaderField("CONTENT-TYPE", "x/y")], body: body)
      #expect(own.withGuessedType == own)
    }
  }

  @Test func bytesOfBodies() {
    func text(_ body: CannedResponse.Body) -> String {
      String(decoding: CannedResponse(body: body).bytes, as: UTF8.self)
    }
    #expect(
      text(.none) == "" && text(.file("a")) == "" && text(.folder("a", otherwise: .pass)) == ""
        && text(.text("a{{")) == "a{{")
    #expect(
      text(.json(["a": 1])) == #"{"a":1}"# && text(.data(Data("x".utf8))) == "x" && text(.filler(bytes: 3)) == "xxx"
        && text(.filler(bytes: -1)) == "")
    #expect(
      text(.events([.init(event: "e", id: "i", data: "a\nb\r\nc\rd"), .init(data: ["x": 1]), .init(id: "j"), .init()]))
        == "event: e\nid: i\ndata: a\ndata: b\ndata: c\ndata: d\n\ndata: {\"x\":1}\n\nid: j\n\n\n")
    #expect(text(.events([.init(event: "a\nb", id: "c\r\nd", data: "")])) == "event: a b\nid: c d\ndata: \n\n")
    let context = TemplateContext(RequestFacts(method: "GET", url: "http://h/"), count: 5)
    let rendered = CannedResponse(status: 202, headers: [HeaderField("A", "{{count}}")], body: .events([Self.event]))
      .rendered(in: context)
    #expect(
      rendered.status == 202
        && rendered.headers == [HeaderField("A", "5"), HeaderField("Content-Type", "text/event-stream")])
    #expect(String(decoding: rendered.body, as: UTF8.self) == "event: 5\nid: 5\ndata: {\"a\":\"5\"}\n\n")
  }

  @Test func templatesInActions() {
    let text = "{{count}}"
    let with: [Action] = [
      .respond(CannedResponse(headers: [HeaderField("A", text)])), Self.respond(.text(text)),
      Self.respond(.json(["a": [.string(text)]])), Self.respond(.file(text)),
      Self.respond(.events([.init(event: text)])), Self.respond(.events([.init(id: text)])),
      Self.respond(.events([.init(data: .string(text))])), Self.fail(.text(text)),
      .pass(PassChanges(to: text)), .pass(PassChanges(headers: [.init("A", [text])])),
      .pass(PassChanges(request: RequestChanges(scheme: text))),
      .pass(PassChanges(request: RequestChanges(host: text))), .pass(PassChanges(request: RequestChanges(path: text))),
      .pass(PassChanges(request: RequestChanges(query: [.init("a", ["b", text])]))),
      .pass(PassChanges(request: RequestChanges(headers: [.init("a", [text])]))),
      Self.pass(.text(text)), Self.pass(.json([.string(text)])),
      .sequence([.code, Self.respond(.text(text))], afterwards: .last),
    ]
    for action in with { #expect(action.hasTemplates && action.templates.count == 1, "\(action)") }
    let without: [Action] = [
      .hold(.both), .code, .pass(PassChanges()), .respond(CannedResponse()), Self.respond(.data(Data(text.utf8))),
      Self.respond(.folder(text, otherwise: .pass)),
      Self.respond(.json(["x", 1])), .fail(Fault(.named(text))),
      .pass(PassChanges(mergePatch: .string(text), replace: [.init(find: text, with: text)])),
      .sequence([], afterwards: .last), Self.respond(.events([])),
    ]
    for action in without { #expect(!action.hasTemplates && action.templates.isEmpty, "\(action)") }
    #expect(Self.respond(.text("{{nope}}")).hasTemplates && Self.respond(.text("{{nope}}")).templates.isEmpty)
  }

  @Test func changesAreFilledInOneByOne() {
    let context = TemplateContext(RequestFacts(method: "PUT", url: "http://h/x"), count: 4)
    let t = "{{count}}"
    let changes = PassChanges(
      to: "http://\(t)",
      request: RequestChanges(
        method: t, scheme: t, host: t, port: 7, path: t, query: [.init(t, [t, "a"]), .init("b", nil)],
        headers: [.init(t, [t]), .init("c", nil)], body: .text(t),
        mergePatch: .string(t), replace: [.init(find: t, with: t)]), delay: .fixed(.seconds(1)), status: 201,
      headers: [.init(t, [t]), .init("d", nil)], mergePatch: .string(t))
    var expected = changes
    expected.to = "http://4"
    expected.headers = [.init(t, ["4"]), .init("d", nil)]
    expected.request = RequestChanges(
      method: t, scheme: "4", host: "4", port: 7, path: "4", query: [.init(t, ["4", "a"]), .init("b", nil)],
      headers: [.init(t, ["4"]), .init("c", nil)], body: .text("4"),
      mergePatch: .string(t), replace: [.init(find: t, with: t)])
    #expect(changes.filled(in: context) == expected)
    #expect(
      PassChanges(request: RequestChanges(body: .json([.string(t), 1]))).filled(in: context).request?.body
        == .json(["4", 1]))
    #expect(
      PassChanges(request: RequestChanges(body: .data(Data(t.utf8)))).filled(in: context).request?.body
        == .data(Data(t.utf8)))
    #expect(PassChanges().filled(in: context) == PassChanges())
  }
}
