import Foundation
import PatchbayGrid
import PatchbayStubs

/// The form in which a stub is edited. What it does not show of the stub is kept.
struct StubForm: Sendable, Equatable {
  /// The stub as it was; its name finds it on the board.
  let original: Stub
  let isNew: Bool
  var form: Form
  /// How many recorded requests the pattern fits, and what was asked.
  var preview: PreviewResult?
  var previewToken: Int?
  var previewed: RequestPattern?
  /// The newest recorded request that the pattern fits: templates are shown as it would fill them.
  var sample: RequestFacts?
  var sampleToken: Int?
  /// Where the body is no JSON: line and column from 1.
  var bodyProblem: String?
  /// What the search in the text looks for.
  var needle = ""
  private let initial: Form

  static let actions = ["respond", "fail", "pass", "hold", "sequence"]

  /// What can be chosen: code only where a program's code stands behind the stub.
  private static func kinds(_ stub: Stub) -> [String] { stub.then == .code ? actions + ["code"] : actions }
  static let methods = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"]

  init(editing stub: Stub) { self.init(stub, isNew: false) }

  init(adding name: String, pattern: RequestPattern = RequestPattern()) {
    self.init(
      Stub(name: name, when: pattern, then: .respond(CannedResponse(headers: [], body: .json(.object([]))))),
      isNew: true)
  }

  private init(_ stub: Stub, isNew: Bool) {
    original = stub
    self.isNew = isNew
    var form = Form(isNew ? "New stub" : "Stub “\(stub.name)”", StubForm.fields(of: stub))
    StubForm.showFields(&form)
    self.form = form
    initial = form
    checkBody()
  }

  /// Whether something would be lost.
  var isChanged: Bool {
    form.fields.contains { field in
      guard let before = initial[field.id] else { return true }
      return form.text(field.id) != initial.text(before.id)
    }
  }

  private static func fields(of stub: Stub) -> [Form.Field] {
    let when = stub.when
    let response = stub.then.response
    let changes = stub.then.changes
    let fault = stub.then.fault
    return [
      .line("name", "name", stub.name, help: "unique among the stubs"),
      .toggle("enabled", "on", stub.enabled, help: "space switches"),
      .line(
        "method", "method", when.methods.joined(separator: ", "), example: "any", help: "GET, or a list: POST, PUT"),
      .line(
        "url", "url", PatternText.text(when.url), example: "any", help: "* is any run; ~ begins a regular expression"),
      .line("host", "host", PatternText.text(when.host), example: "any", help: "such as *.example.com"),
      .line("path", "path", PatternText.text(when.path), example: "any", help: "such as /v1/users/*, or ~^/v[12]/"),
      .line("query", "query", PatternText.text(when.query, sign: "="), example: "any", help: "page=2; !debug"),
      .line(
        "fields", "headers", PatternText.text(when.headers, sign: ":"), example: "any",
        help: "Authorization: Bearer *; !X-Debug"),
      .line("contains", "body has", when.body?.contains ?? "", example: "anything", help: "text in the request's body"),
      .line("process", "process", PatternText.text(when.process), example: "any", help: "name of the program"),
      .choice("action", "then", kinds(stub), kinds(stub).firstIndex(of: stub.then.kindName) ?? 0, help: "← → chooses"),
      .line(
        "status", "status", String(response?.status ?? changes?.status ?? 200),
        help: "100 to 599; a name finds its code"),
      .line(
        "error", "error", fault.map { StubForm.errorText($0.error) } ?? "timedOut",
        help: "URLError code (timedOut), fault, or domain code message"),
      .choice("point", "where", Action.HoldPoint.allCases.map(\.rawValue), holdIndex(stub.then), help: "← → chooses"),
      .line("delay", "delay", delayText(stub.then), example: "none", help: "300ms, or 100ms to 900ms"),
      .line(
        "pace", "pace", paceText(response?.pace ?? changes?.pace), example: "at once", help: "20kB/s, or 5 over 2s"),
      .line("skip", "skip", stub.skip == 0 ? "" : String(stub.skip), example: "0", help: "requests let past first"),
      .line(
        "chance", "chance", stub.chance.map { Wording.percent($0).replacing(" ", with: "") } ?? "", example: "100%",
        help: "share of the requests: 50%"),
      .line("times", "times", stub.times.map(String.init) ?? "", example: "always", help: "how many it takes"),
      .text("headers", "Headers", headerText(stub.then), help: "Name: value, one a line"),
      .text("body", "Body", bodyText(response?.body), help: "what is sent"),
    ]
  }

  /// The fields that the chosen action has.
  static func showFields(_ form: inout Form) {
    let action = form.text("action")
    let used: [String: Set<String>] = [
      "respond": ["status", "delay", "pace", "headers", "body"], "fail": ["error", "delay"],
      "pass": ["status", "delay", "pace", "headers"], "hold": ["point"], "sequence": [],
    ]
    for place in form.fields.indices {
      let id = form.fields[place].id
      guard ["status", "error", "point", "delay", "pace", "headers", "body"].contains(id) else { continue }
      form.fields[place].isHidden = used[action]?.contains(id) != true
    }
  }

  mutating func paste(_ text: String) {
    guard var editor = form.editor else { return }
    editor.insert(text)
    form.editor = editor
    changed()
  }

  /// After every key: hidden fields, live checks.
  mutating func changed() {
    StubForm.showFields(&form)
    if form.focused?.isHidden == true { form.moveFocus(1) }
    check()
  }

  /// Marks what is wrong in each field and in the body.
  mutating func check() {
    for place in form.fields.indices { form.fields[place].problem = nil }
    var build = StubBuild(form: form, original: original)
    _ = build.stub()
    for (id, problem) in build.problems { form.set(id) { $0.problem = problem } }
    checkBody()
  }

  private mutating func checkBody() {
    bodyProblem = nil
    guard form.text("action") == "respond", isJSONBody else { return }
    do throws(StubError) {
      _ = try JSONValue(parsing: form.text("body"))
    } catch {
      bodyProblem = "not JSON: \(error.description)"
    }
  }

  /// Whether the body is to be JSON: it says so in its headers, was JSON, or looks like it.
  var isJSONBody: Bool {
    let text = form.text("body")
    guard let first = text.unicodeScalars.first(where: { !$0.properties.isWhitespace }) else { return false }
    if let type = form.text("headers").split(separator: "\n").first(where: {
      $0.lowercased().hasPrefix("content-type:")
    }) {
      return type.lowercased().contains("json")
    }
    if case .json = original.then.response?.body { return true }
    return first == "{" || first == "["
  }

  var problems: [String] {
    form.fields.compactMap { field in field.problem.map { "\(field.label.lowercased()): \($0)" } }
  }
}
