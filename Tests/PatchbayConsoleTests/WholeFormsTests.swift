import Foundation
import PatchbayGrid
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayConsole

/// What fields make of keys, clicks and texts, over all their bounds. With `PATCHBAY_WRITE_SCREENS` set it is written
/// anew; read the difference before it is committed.
@Suite(.bounded) struct WholeFormsTests {
  /// One field of each kind, in groups, some of them folded away.
  private func form() -> Form {
    var form = Form(
      "A form",
      [
        .line("name", "name", "some words", help: "any"),
        .line("url", "url", "http://a.example").inGroup(.when), .line("empty", "empty", "").inGroup(.when),
        .line("rare", "rare", "").inGroup(.when, rare: true), .line("kept", "kept", "k").inGroup(.when, rare: true),
        .fold(.when, "More"),
        .choice("kind", "kind", ["one", "two", "three"], 0).inGroup(.then), .toggle("on", "on", true).inGroup(.then),
        .text("headers", "Headers", "A: 1\nBee: 日本\nC: 3"), .text("body", "Body", "first line\nsecond\n\nfourth"),
        .toggle("last", "last", false).inGroup(.often),
      ])
    form.foldFields()
    return form
  }

  /// What a person sees of it: which field has the keys, and what stands in all.
  private func digest(_ form: Form) -> String {
    var text = form.focused?.id ?? "none"
    if let editor = form.editor {
      text += " \(editor.cursor.line):\(editor.cursor.offset)"
      if let selected = editor.selectedText { text += " [\(selected)]" }
    }
    let values = ["kind", "on", "last"].map { form.text($0) }
    return text + " \(values.joined(separator: ","))" + (form["rare"]?.isShown == true ? " open" : "")
  }

  @Test func clicks() throws {
    var out = ""
    for area in [Rect(x: 3, y: 2, width: 80, height: 22), Rect(x: 1, y: 1, width: 50, height: 16)] {
      for isDouble in [false, true] {
        out += "== \(area.size.width)×\(area.size.height)\(isDouble ? ", double" : "")\n"
        for y in 0..<(area.maxY + 2) {
          var runs: [(String, Int)] = []
          for x in 0..<(area.maxX + 2) {
            var form = form()
            form.press(Point(x: x, y: y), isDouble: isDouble, in: area)
            let seen = digest(form)
            if runs.last?.0 == seen { runs[runs.count - 1].1 += 1 } else { runs.append((seen, 1)) }
          }
          out += "\(y)│" + runs.map { "\($0.1)× \($0.0)" }.joined(separator: " | ") + "\n"
        }
      }
    }
    try expectRecorded(out, "Walks/form-clicks.txt")
  }

  @Test func keysInEachField() throws {
    var out = ""
    let keys = [
      "space", "left", "right", "up", "down", "enter", "pgup", "pgdn", "x", "tab", "home", "end", "backspace",
    ]
    for id in form().fields.map(\.id) {
      var focused = form()
      focused.focus(id)
      out +=
        "== \(id): \(digest(focused)), \(focused.checking(id)), \(focused.isEmpty(id)), \(focused.text(id).count)\n"
      for name in keys {
        let key = try #require(Key(parsing: name[...]))
        var pressed = focused
        let isTaken = pressed.handle(key, pageHeight: 2)
        out += "\(name) \(isTaken) \(digest(pressed)) \(pressed.hasSameText(as: focused)) \(pressed.isTouched(id))\n"
      }
      for step in [1, -1] {
        var (moved, jumped) = (focused, focused)
        moved.moveFocus(step)
        jumped.moveGroup(step)
        out += "\(step): \(digest(moved)), by group \(digest(jumped))\n"
      }
      var (there, back) = (focused, focused)
      let before = there.toBody(from: nil)
      out += "body \(before ?? "none") \(digest(there))"
      let again = there.toBody(from: before)
      _ = back.toBody(from: "kind")
      out += ", back \(again ?? "none") \(digest(there)), with kind before \(digest(back))\n"
      var wrong = focused
      wrong.goTo(SourcePosition(line: 2, column: 3), in: id)
      out += "wrong at 2:3 \(digest(wrong))"
      wrong.goTo(SourcePosition(line: 5, column: 1), in: "body")
      out += ", at 5:1 of the body \(digest(wrong))"
      wrong.goTo(SourcePosition(line: 4, column: 1), in: "body")
      out += ", at 4:1 \(digest(wrong))\n"
    }
    for (before, after) in [
      ("a", "a\n"), ("a\n", "a\n"), ("a", "a\r\n"), ("a\r\n", "a\r\n"), ("a", "a\n\n"), ("", "\n"), ("", ""),
      ("a", "b"),
    ] {
      var form = Form("", [.text("body", "Body", before)])
      form.setEditedBody(after)
      out += "\(before.debugDescription) edited as \(after.debugDescription) is \(form.text("body").debugDescription)\n"
    }
    try expectRecorded(out, "Walks/form-keys.txt")
  }

  @Test func aTextAboveTheLimitIsLarge() {
    let most = String(repeating: "x", count: TextEditor.limit)
    for (text, isLarge) in [(most, false), (most + "x", true)] {
      var form = Form("", [.text("body", "Body", text), .text("other", "Other", "")])
      guard case .large = form["body"]?.kind else {
        #expect(!isLarge)
        form.setText("body", most + "y")
        guard case .large(let new, isTouched: true)? = form["body"]?.kind else {
          return #expect(Bool(false), "it has become too large")
        }
        #expect(new == most + "y" && form.checking("body") == .never)
        continue
      }
      #expect(isLarge && !form.isTouched("body") && form.firstLetter(of: "body") == "x" && !form.isEmpty("body"))
      form.setText("body", "small")
      #expect(form.text("body") == "small" && form.isTouched("body") && form.editor(of: "body") != nil)
    }
  }

  // MARK: Stubs of forms

  private func built(_ stub: Stub, _ fields: [(String, String)]) -> String {
    var form = StubForm(editing: stub)
    for (id, text) in fields {
      form.form.set(id) { field in
        switch field.kind {
        case .choice(let choices, _): field.kind = .choice(choices, choices.firstIndex(of: text) ?? -1)
        case .toggle: field.kind = .toggle(text == "yes")
        default: break
        }
      }
      form.form.setText(id, text)
    }
    var build = StubBuild(form)
    let made = build.stub()
    let problems = build.problems.map { "\($0.0): \($0.1)" }.joined(separator: ", ")
    return "\(fields.map { "\($0.0)=\($0.1.debugDescription)" }) → \(made?.then.json.compact ?? "✗ \(problems)")\n"
  }

  @Test func whatFieldsMakeOfAnAction() throws {
    let pass = Stub(
      name: "p",
      then: .pass(
        PassChanges(
          delay: .fixed(.seconds(1)), status: 201, headers: [.init("A", ["1"]), .init("B", nil)],
          mergePatch: ["a": 1])))
    let plain = Stub(name: "r", then: .respond(CannedResponse(status: 404, body: .text("text"))))
    let json = Stub(name: "j", then: .respond(CannedResponse(body: .json(["a": 1]))))
    let fail = Stub(name: "f", then: .fail(Fault(.custom(domain: "D", code: 4, message: "M"))))
    var out = ""
    for text in ["", "!A", "!A\nB: 2", "A: 1\nA: 2", "none", "!", "A: 1\nB: 2\n\nC:3", "A:", ": x", "!A: 1", "! A"] {
      out += built(pass, [("headers", text)]) + built(plain, [("headers", text)])
    }
    for text in ["", " ", "200", "99", "100", "599", "600", "x"] {
      out += built(pass, [("status", text)]) + built(plain, [("status", text)])
    }
    for text in ["", "  ", "{\"b\":2}", "{", "7", "{\"a\":1}"] {
      out += built(pass, [("patch", text)]) + built(pass, [("rewrite", text)])
    }
    for text in ["", "https://o.example", " https://o.example ", "o", "https://o.example/{id}"] {
      out += built(pass, [("to", text)])
    }
    for text in ["", "a → b", "a", "a => b", "x"] { out += built(pass, [("replace", text)]) }
    for text in [
      "timedOut", "timeout", "timedOot", "D 4", "D 4 some words of it", "D x", "", "http503", "offline", "E 5",
    ] {
      out += built(fail, [("error", text)])
    }
    for text in ["", " ", "4", "2kB", "x"] { out += built(fail, [("after", "yes"), ("bytes", text)]) }
    for kind in ["respond", "fail", "pass", "hold", "code", "sequence"] {
      out += built(plain, [("action", kind)]) + built(fail, [("action", kind)])
    }
    for point in ["request", "response", "both"] { out += built(plain, [("action", "hold"), ("point", point)]) }
    for source in BodySource.allCases.map(\.rawValue) {
      for text in ["", " a.json ", "."] { out += built(plain, [("source", source), ("file", text)]) }
    }
    for size in ["", "0", "1GiB", "1073741825", "5MB"] {
      out += built(plain, [("source", "filler"), ("filler", size)])
    }
    for other in ["pass", "404", "fail"] {
      out += built(plain, [("source", "folder"), ("file", "f"), ("otherwise", other)])
    }
    for body in [
      "", "plain", "{\"a\":2}", "[1]", "{x", "\"text\"", " {\"a\": {{count}}}", "{\"a\":\"{{x\"}", "{{count}}",
      "{\"n\": {{count}}}", "{\"n\": {{count}", "7", "text", "{\"a\":1}",
    ] {
      out += built(plain, [("body", body)]) + built(json, [("body", body)])
    }
    for body in ["[{\"data\":1}]", "[]", "x", "[1]"] { out += built(plain, [("source", "events"), ("body", body)]) }
    for pace in ["", "1B/s", "0/s", "5 over 2s", "0 over 2s", "1 over 1s", "5 over x", "x"] {
      out += built(pass, [("pace", pace)])
    }
    for delay in ["", "1s to 1s", "2s to 1s", "1s to 2s", "1s…3s", "1s to 2s to 3s", "x to 1s"] {
      out += built(pass, [("delay", delay)])
    }
    for (id, texts) in [
      ("skip", ["", "0", "1", "-1", "1000000000", "1000000001", "x"]),
      ("times", ["", "0", "1", "1000000000", "1000000001"]),
      ("chance", ["", "0", "1", "100", "101", "50", "50 %", "0.5", "x", "-1"]), ("seed", ["", "0", "-1", "7", "x"]),
      ("name", ["", " ", " new "]),
    ] {
      for text in texts {
        var form = StubForm(editing: pass)
        form.form.setText(id, text)
        var build = StubBuild(form)
        let made = build.stub()
        out += "\(id) \(text.debugDescription) → \(made?.json.compact ?? "✗ \(build.problems)")\n"
      }
    }
    try expectRecorded(out, "Walks/form-actions.txt")
  }

  // MARK: Templates

  @Test func templatesInBodies() throws {
    var out = ""
    for body in [
      "", "{}", "{{count}}", "{\"n\": {{count}}}", "{\"n\": {{count}, \"m\": {{x}}}", "{\"a\": {\"b\": {{count}}}}",
      "{{{count}}}", "{\"日\": {{count}}, \"b\": 1}", "{{count}", "{{count}}}", "{ {count}}",
      "{\"s\": \"a {{count}} b\"}",
      "[{{count}},{{count}}]", "{{}}", "{\"a\": [1, {{count}}", "{{nope}}", "{\"a\":\"{{nope}}\"}",
      "{\"a\":\"ok\",\n \"b\":\"x {{nope}} {{count}}\"}", "line\n  {{nope}} and\n{{other}}", "{\"a\":\"\\\"{{nope}}\"}",
    ] {
      out += "\(body.debugDescription) → \(TemplateJSON.standIn(body).debugDescription)"
      do {
        try TemplateJSON.check(body)
        out += " JSON"
      } catch { out += " \(error.message) \(error.position.map { "\($0.line):\($0.column)" } ?? "")" }
      for mistake in [TemplateCheck.body(body), TemplateCheck.headers(body)] {
        out +=
          " | \(mistake.map { "\($0.message) \($0.position.map { "\($0.line):\($0.column)" } ?? "-")" } ?? "right")"
      }
      if let value = try? JSONValue(parsing: body) { out += " | quoted \(value.quotingMistakes.compact)" }
      out += "\n"
    }
    let facts = RequestFacts(
      method: "PUT", url: "https://a.example/v1/7?x=1", headers: [HeaderField("A", "b")], body: nil, process: "p")
    for (body, headers, hits) in [
      ("none", "none", 0), ("{{count}}", "", 0), ("{{count}}", "", 4), ("plain", "X: {{count}}", 1),
      ("{\"n\":\"{{count}}\",\"m\":{\"a\":1}}", "A: 1", 2), ("{\"n\":{{count}}}", "X: {{request.method}}", 9),
    ] {
      for sample in [facts, nil] {
        let preview = TemplatePreview(body: body, headers: headers, sample: sample, hits: hits)
        out += "\(body) \(headers) \(hits) → \(preview.map { "\($0.request) \($0.text ?? "none")" } ?? "nothing")\n"
      }
    }
    try expectRecorded(out, "Walks/form-templates.txt")
  }

  @Test func aLargeBodyIsNotLookedAt() {
    let mistake = "{{nope}}"
    for (size, isFound) in [(TemplateCheck.limit, true), (TemplateCheck.limit + 1, false)] {
      let text = mistake + String(repeating: "x", count: size - mistake.utf8.count)
      #expect((TemplateCheck.body(text) != nil) == isFound, "\(size)")
      #expect((TemplateCheck.headers(text) != nil) == isFound, "\(size)")
      #expect((TemplatePreview(body: text, headers: "", sample: nil, hits: 0) != nil) == isFound, "\(size)")
    }
  }

  // MARK: Exchanges

  private func described(_ form: ExchangeForm) -> String {
    let problems = form.form.fields.compactMap { field in field.problem.map { "\(field.id): \($0)" } }
    var text = "\(form.isChanged) \(form.isBodyChanged) \(form.isJSONBody) \(problems) \(form.bodyProblem ?? "")"
    text += " \(form.bodyNote ?? "") \(form.form.mistake.map { "\($0.line):\($0.column)" } ?? "")"
    func parts(_ fields: [HeaderField], _ body: Data?, _ truncated: Bool) -> String {
      "\(fields.map { "\($0.name)=\($0.value)" }) \(body.map { String(decoding: $0, as: UTF8.self).debugDescription } ?? "none") \(truncated)"
    }
    if let request = form.request {
      text += " | \(request.method) \(request.url) \(parts(request.headers, request.body, request.truncated))"
    }
    if let response = form.response {
      text += " | \(response.status) \(parts(response.headers, response.body, response.truncated))"
    }
    switch form.effect {
    case .replay(let id, _): text += " | replay \(id)"
    case .decide(let decisions):
      for one in decisions {
        switch one.decision {
        case .continue(let request, let response):
          text += " | continue \(request?.method ?? "as it is") \(response.map { "\($0.status)" } ?? "as it is")"
        case .respond(let canned): text += " | respond \(canned.json.compact)"
        default: text += " | other"
        }
      }
    case nil: text += " | nothing"
    default: text += " | other"
    }
    return text + "\n"
  }

  private func exchange(_ id: Int64, body: Data?, truncated: Bool, phase: Exchange.Phase = .ended) -> Exchange {
    var exchange = Exchange.make(
      id, "PUT", "https://a.example/v1/7", status: 201,
      headers: [HeaderField("Content-Type", "application/json"), HeaderField("Content-Length", "7")], phase: phase)
    exchange.request.headers.append(HeaderField("Content-Length", "7"))
    exchange.request.body = body
    exchange.request.truncated = truncated
    exchange.response = RecordedResponse(
      status: 201, headers: [HeaderField("Content-Type", "text/json"), HeaderField("Content-Length", "7")], body: body,
      truncated: truncated)
    return exchange
  }

  @Test func formsOfExchanges() throws {
    var out = ""
    let bodies: [Data?] = [
      nil, Data(), Data("{\"a\":1}".utf8), Data("{\"a\":".utf8), Data([0xFF, 0xFE]), Data("日本".utf8).dropLast(),
      Data("a\r\nb\r\n".utf8),
    ]
    let changes: [[(String, String)]] = [
      [], [("url", "https://b.example/")], [("url", "b.example")], [("method", "")], [("method", "GO ON")],
      [("method", "GET")], [("headers", "A: b")], [("headers", "none")], [("status", "404")], [("status", "99")],
      [("body", "new")], [("body", "")], [("body", "{\"a\":")],
      [("headers", "Content-Type: application/json\nContent-Length: 9"), ("body", "{\"new\":1}")],
    ]
    for (place, body) in bodies.enumerated() {
      for truncated in [false, true] where place > 1 || !truncated || place == 1 {
        let ended = exchange(7, body: body, truncated: truncated)
        let forms = [
          ExchangeForm(replaying: ended),
          ExchangeForm(editing: exchange(8, body: body, truncated: truncated, phase: .heldRequest)),
          ExchangeForm(editing: exchange(9, body: body, truncated: truncated, phase: .heldResponse)),
          ExchangeForm(answering: ended), ExchangeForm(answering: ended, as: ended),
        ]
        for form in forms {
          out += "== \(form.form.title), \(form.verb), body \(place)\(truncated ? ", cut" : "")\n"
          out += "\(form.form.fields.map { "\($0.id)=\(form.form.text($0.id).debugDescription)" })\n"
          for change in changes where place == 2 || change.isEmpty || change.contains(where: { $0.0 == "body" }) {
            guard change.allSatisfy({ form.form[$0.0] != nil }) else { continue }
            var changed = form
            for (id, text) in change { changed.form.setText(id, text) }
            changed.check(readsSlowBody: true)
            out += "\(change.map { "\($0.0)=\($0.1.debugDescription)" }) → \(described(changed))"
          }
        }
      }
    }
    try expectRecorded(out, "Walks/exchange-forms.txt")
  }

  /// What is said of one that is edited while it goes on, is wrong, or is only known in part.
  @Test func whatSavingAnExchangeSays() {
    func said(_ form: ExchangeForm, _ driver: ConsoleDriver) -> [String] {
      var form = form
      var out = Outcomes()
      form.save(driver.state.context, &out)
      return out.drain().map { outcome in
        switch outcome {
        case .say(let notice, _, _): "\(notice.kind): \(notice.text)"
        case .close: "close"
        case .effect: "effect"
        case .requests(let message): "\(message)"
        default: "other"
        }
      }
    }
    let driver = Sample.driver(120, 36)
    let text = Data("text".utf8)
    var replay = ExchangeForm(replaying: exchange(7, body: text, truncated: false))
    #expect(said(replay, driver) == ["close", "effect", "awaitReplay(of: 7)", "good: Sent again."])
    replay.form.setText("url", "x")
    #expect(said(replay, driver) == ["error: Not sent: url: an absolute URL, such as https://example.com/."])
    replay.form.setText("method", "")
    #expect(said(replay, driver).first?.hasPrefix("error: Not sent: method: a method such as GET") == true)
    var cut = ExchangeForm(replaying: exchange(7, body: text, truncated: true))
    #expect(
      said(cut, driver) == ["error: Not sent: only a part of its body was recorded. Give it another one here."])
    cut.form.setText("body", "whole")
    #expect(said(cut, driver) == ["close", "effect", "awaitReplay(of: 7)", "good: Sent again."])
    let gone = "error: That request is no longer held; the program went on or cancelled it."
    #expect(
      said(ExchangeForm(editing: exchange(7, body: text, truncated: true, phase: .heldRequest)), driver) == [gone])
    #expect(said(ExchangeForm(answering: exchange(7, body: text, truncated: false)), driver) == [gone])
    let held = exchange(1195, body: text, truncated: true, phase: .heldRequest)
    #expect(said(ExchangeForm(editing: held), driver) == ["close", "effect", "good: Sent as edited."])
    let response = exchange(1195, body: text, truncated: true, phase: .heldResponse)
    #expect(said(ExchangeForm(editing: response), driver) == ["close", "effect", "good: Delivered as edited."])
    var answer = ExchangeForm(answering: held)
    #expect(said(answer, driver) == ["close", "effect", "good: Answered with 200."])
    answer.form.setText("status", "teapot")
    #expect(said(answer, driver) == ["close", "effect", "good: Answered with 418."])
  }

  // MARK: Proposals

  @Test func whatIsProposedOfRequests() throws {
    func request(_ url: String, _ body: String?, _ type: String?, _ method: String = "POST") -> RecordedRequest {
      RecordedRequest(
        method: method, url: url, headers: type.map { [HeaderField("Content-Type", $0)] } ?? [],
        body: body.map { Data($0.utf8) })
    }
    var out = ""
    let all = [
      request("https://a.example/v1/7?q=a%20b&r=&s&t=x*y", "{\"a\":[1,2]}", "application/json"),
      request("https://a.example/v1/8?q=a+b", "a=1&b=x+y&c", "application/x-www-form-urlencoded; charset=utf-8"),
      request("http://a.example:81", "{\"a\":1}", "text/plain; charset=utf-8"),
      request("https://a.example/v1/7", "", nil),
      request("https://a.example/v1/7", nil, nil, "GET"), request("https://a.example/v1/x", "some text", nil, "PUT"),
      request("https://a.example/" + String(repeating: "long/", count: 8), nil, nil),
      request("https://a.example/" + String(repeating: "long/", count: 7) + "abcd", nil, nil),
    ]
    for request in all {
      for (ids, query, body) in [
        (PatternChoices.IDs.segment, false, false), (.exact, false, false), (.segment, true, false),
        (.segment, false, true), (.exact, true, true),
      ] {
        let choices = PatternChoices(ids: ids, query: query, body: body)
        out +=
          "\(choices.pattern(of: request).json.compact) “\(StubProposal.name(of: request, ids: ids, query: query))”\n"
      }
      for other in all {
        let choices = PatternChoices.telling(apart: [request, other])
        out += "\(choices.ids == .exact ? "i" : ".")\(choices.query ? "q" : ".")\(choices.body ? "b" : ".") "
      }
      out += "\n"
    }
    for (text, type) in [
      ("", "application/json"), ("{\"a\":1}", "application/json"), ("{\"a\":1}", "text/plain"),
      ("{\"a\"", "application/json"),
      ("a {{b}}", "text/plain"), ("a { b", nil), ("[1]", nil),
    ] as [(String, String?)] {
      out += "\(text) \(type ?? "none") → \(StubProposal.body(Data(text.utf8), type: type))\n"
    }
    out += "\(StubProposal.body(nil, type: "text/plain")) \(StubProposal.body(Data([0xFF]), type: "text/plain"))\n"
    let fields = [
      "Content-Length", "content-encoding", "Transfer-Encoding", "Connection", "Keep-Alive", "Date", "Server", "ETag",
    ].map { HeaderField($0, "x") }
    out += StubProposal.canned(RecordedResponse(status: 299, headers: fields, body: nil)).json.compact + "\n"
    for exchange in [
      Exchange.make(1), .make(2, phase: .heldResponse), .make(3, phase: .receiving), .make(4, phase: .waiting),
      .make(5, error: RecordedError(domain: "NSURLErrorDomain", code: -1001, name: "timedOut")),
      .make(6, error: RecordedError(domain: "D", code: 5)),
    ] {
      out += "\(exchange.id) \(StubProposal.stub(of: exchange)?.json.compact ?? "none")"
      out += " \(StubProposal.sequence(of: [exchange])?.json.compact ?? "none")"
      out += " \(StubProposal.stub(of: exchange, name: "mine")?.name ?? "none")\n"
    }
    try expectRecorded(out, "Walks/proposals-of-requests.txt")
  }

  @Test func aBodyAboveTheLimitStaysBytes() {
    for (size, isText) in [(StubProposal.readableLimit, true), (StubProposal.readableLimit + 1, false)] {
      let data = Data(repeating: 0x61, count: size)
      let body = StubProposal.body(data, type: "text/plain")
      #expect((body == .data(data)) == !isText)
      let request = RecordedRequest(method: "POST", url: "https://a.example/", body: data)
      #expect((PatternChoices.bodyPattern(of: request) != nil) == isText)
    }
  }
}
