import Foundation
import PatchbayGrid
import PatchbayStubs
import PatchbayWire

/// The form in which a request or a response is edited: one that is held, one to be sent again, an answer of one's own.
struct ExchangeForm: Sendable, Equatable {
  enum Purpose: Sendable, Equatable {
    case replay
    case heldRequest
    case heldResponse
    /// The person answers in the place of the network.
    case answer
  }

  let purpose: Purpose
  let exchange: Exchange
  var form: Form
  var bodyProblem: String?
  var editing = FormEditing()
  /// As it was opened.
  let initial: Form

  init(replaying exchange: Exchange) { self.init(exchange, .replay) }

  /// What is held of it: the request, or the response.
  init(editing exchange: Exchange) {
    self.init(exchange, exchange.phase == .heldResponse ? .heldResponse : .heldRequest)
  }

  /// - Parameter answer: with what it begins: an exchange that the network answered.
  init(answering exchange: Exchange, as answer: Exchange? = nil) { self.init(exchange, .answer, answer) }

  private init(_ exchange: Exchange, _ purpose: Purpose, _ answer: Exchange? = nil) {
    self.purpose = purpose
    self.exchange = exchange
    let canned = answer.flatMap(ExchangeForm.answer)
    form = Form(ExchangeForm.title(purpose, exchange), ExchangeForm.fields(purpose, exchange, canned))
    if let answer, canned != nil { form.title += ", from the answer of \(answer.id)" }
    form.selectLine()
    initial = form
    check(readsSlowBody: true)
  }

  private static func title(_ purpose: Purpose, _ exchange: Exchange) -> String {
    switch purpose {
    case .replay: "Send request \(exchange.id) again"
    case .heldRequest: "Held request \(exchange.id): edit it, then let it go on"
    case .heldResponse: "Held response of request \(exchange.id): edit it, then deliver it"
    case .answer: "Answer request \(exchange.id) yourself"
    }
  }

  /// What saving it does.
  var verb: String {
    switch purpose {
    case .replay: "send"
    case .heldRequest: "let it go on"
    case .heldResponse: "deliver"
    case .answer: "answer"
    }
  }

  /// What was answered, where its body is text that can be edited here.
  private static func answer(_ exchange: Exchange) -> (response: CannedResponse, body: String)? {
    guard let recorded = exchange.response, !recorded.truncated, recorded.body?.count ?? 0 <= TextEditor.limit
    else { return nil }
    let response = StubProposal.canned(recorded)
    if case .json(let value) = response.body { return (response, value.indented(escaping: .minimal)) }
    guard let text = text(of: recorded.body, isTruncated: false) else { return nil }
    return (response, text)
  }

  private static func fields(
    _ purpose: Purpose, _ exchange: Exchange, _ answer: (response: CannedResponse, body: String)?
  ) -> [Form.Field] {
    let headersHelp = "Name: value, one a line"
    switch purpose {
    case .replay, .heldRequest:
      let request = exchange.request
      return [
        .line("method", "method", request.method, help: "GET, POST, …"),
        .line("url", "url", request.url, help: "the absolute URL"),
        .text("headers", "Headers", PatternText.text(request.headers), help: headersHelp),
        .text("body", "Body", text(of: request.body, isTruncated: request.truncated) ?? "", help: "what is sent"),
      ]
    case .heldResponse, .answer:
      let response = purpose == .heldResponse ? exchange.response : nil
      let headers =
        response?.headers ?? answer?.response.headers ?? [HeaderField("Content-Type", "application/json")]
      return [
        .line(
          "status", "status", String(response?.status ?? answer?.response.status ?? 200),
          help: "100 to 599; a name finds its code"),
        .text("headers", "Headers", PatternText.text(headers), help: headersHelp),
        .text(
          "body", "Body",
          response.map { text(of: $0.body, isTruncated: $0.truncated) ?? "" } ?? answer?.body ?? "{}",
          help: "what the program gets"),
      ]
    }
  }

  var isChanged: Bool { form.fields.contains { form.text($0.id) != initial.text($0.id) } }

  /// Marks what is wrong in each field and in the body. One that takes a frame to read is only read where that is asked
  /// for, which is not at each key.
  mutating func check(readsSlowBody: Bool = false) {
    for place in form.fields.indices { form.fields[place].problem = nil }
    do throws(FormProblem) {
      _ = try PatternText.headers(form.text("headers"))
    } catch {
      form.set("headers") { $0.problem = error.text }
    }
    if form["status"] != nil, StatusText.code(form.text("status")) == nil {
      form.set("status") { $0.problem = "a number from 100 to 599, or a name" }
    }
    if form["url"] != nil, !form.text("url").contains("://") {
      form.set("url") { $0.problem = "an absolute URL, such as https://example.com/" }
    }
    if form["method"] != nil, form.text("method").isEmpty || form.text("method").contains(" ") {
      form.set("method") { $0.problem = "a method such as GET" }
    }
    if form.checking("body") == .afterPause, !readsSlowBody { return }
    bodyProblem = nil
    form.mistake = nil
    if form.checking("body") != .never, isJSONBody, form.firstLetter(of: "body") != nil {
      do throws(StubError) {
        _ = try JSONValue(parsing: form.text("body"))
      } catch {
        bodyProblem = "not JSON: \(error.description)"
        form.mistake = error.position
      }
    }
  }

  /// Whether the headers say that the body is JSON.
  var isJSONBody: Bool {
    form.text("headers").split(separator: "\n").contains {
      $0.lowercased().hasPrefix("content-type:") && $0.lowercased().contains("json")
    }
  }

  var request: RecordedRequest? {
    guard form.fields.allSatisfy({ $0.problem == nil }), let headers = try? PatternText.headers(form.text("headers"))
    else {
      return nil
    }
    var fields = headers
    if isChanged { fields.remove(named: "Content-Length") }
    return RecordedRequest(
      method: form.text("method"), url: form.text("url"), headers: fields, body: body,
      truncated: isTruncated && !isBodyChanged)
  }

  var response: RecordedResponse? {
    guard form.fields.allSatisfy({ $0.problem == nil }), let headers = try? PatternText.headers(form.text("headers")),
      let status = StatusText.code(form.text("status"))
    else { return nil }
    var fields = headers
    let body = body
    // A length that the person has typed is what they want to see sent.
    if isBodyChanged, let length = fields.first(named: "Content-Length"),
      length == exchange.response?.headers.first(named: "Content-Length")
    {
      fields.set("Content-Length", to: String(body?.count ?? 0))
    }
    return RecordedResponse(
      status: status, headers: fields, body: body, truncated: isTruncated && !isBodyChanged)
  }

  /// What is done when it is saved; nil while a field is wrong.
  var effect: ConsoleEffect? {
    switch purpose {
    case .replay: return request.map { .replay(exchange.id, $0) }
    case .heldRequest where !isChanged, .heldResponse where !isChanged:
      return .decide([HeldDecision(id: exchange.id, decision: .continue(request: nil, response: nil))])
    case .heldRequest:
      return request.map { .decide([HeldDecision(id: exchange.id, decision: .continue(request: $0, response: nil))]) }
    case .heldResponse:
      return response.map { .decide([HeldDecision(id: exchange.id, decision: .continue(request: nil, response: $0))]) }
    case .answer:
      return response.map { response in
        let body: CannedResponse.Body = response.body.map { .data($0) } ?? .none
        let canned = CannedResponse(status: response.status, headers: response.headers, body: body)
        return .decide([HeldDecision(id: exchange.id, decision: .respond(canned))])
      }
    }
  }
}
