import Foundation
import PatchbayGrid
import PatchbayInspect
import PatchbayStubs
import PatchbayWire

/// Makes the lines of the detail's tabs of an exchange.
enum DetailPages {
  struct Head {
    var lines: [PageLine]
    /// Which of the lines are header fields that can be one line.
    var fields: Range<Int>
    /// Whether they are one line at first, so that the body is seen.
    var folds = false
    /// What one of them is called.
    var name = "header"
  }

  /// More header fields than these are one line at first.
  private static let fieldsShown = 8

  /// What was asked, when, and what the person has said of it: the first lines of both sides.
  private static func opening(of exchange: Exchange, _ context: ConsoleContext) -> [PageLine] {
    let method = exchange.request.method
    let start = Wording.moment(exchange.startedAt, now: context.now, utcOffset: context.setup.utcOffset)
    var lines = [
      PageLine([
        .init(SafeText.line(method) + " ", isRead(method) ? .methodRead : .methodWrite),
        .init(SafeText.line(exchange.request.url)), .init("  \(start)", .dim),
      ])
    ]
    if let operation = exchange.operation {
      lines.append(PageLine([.init("GraphQL ", .dim), .init(SafeText.line(operation), .literal)]))
    }
    if !exchange.tags.isEmpty {
      lines.append(PageLine(exchange.tags.map { "#" + SafeText.line($0) }.joined(separator: " "), .mark))
    }
    if let note = exchange.note { lines.append(PageLine("✎ \(SafeText.line(note))", .mark)) }
    return lines
  }

  static func response(of exchange: Exchange, _ context: ConsoleContext) -> Head {
    var lines = opening(of: exchange, context)
    guard let response = exchange.response else { return Head(lines: lines + noResponse(exchange), fields: 0..<0) }
    let look = OutcomeLook(status: response.status)
    lines += [
      PageLine([
        .init("\(look.sign) \(response.status) ", look.role), .init(HTTPStatus.phrase(response.status), look.role),
        .init(answeredBy(exchange), .dim),
      ])
    ]
    if let error = exchange.error { lines.append(PageLine("✗ \(sentence(error))", .failure)) }
    if let hop = exchange.redirects.last {
      let place = (hop.target ?? hop.headers.first(named: "Location")).map { " to \(SafeText.line($0))" } ?? ""
      lines.append(PageLine("→ after \(Wording.count(exchange.redirects.count, "redirect"))\(place)", .redirect))
    }
    let first = lines.count
    lines += fields(response.headers)
    let range = first..<lines.count
    let body = exchange.responsePart
    lines += notes(body, exchange.phase == .receiving)
    return Head(lines: lines, fields: range, folds: range.count > fieldsShown)
  }

  static func request(of exchange: Exchange, _ context: ConsoleContext) -> Head {
    let request = exchange.request
    var lines = opening(of: exchange, context)
    if let original = exchange.replayOf {
      lines.append(PageLine("↻ Sent again from request \(original); D compares the two", .stub))
    }
    lines += sent(of: exchange)
    lines += query(of: request.url)
    let start = lines.count
    var first = start
    let routine = request.headers.filter(RoutineFields.contain)
    let own = request.headers.filter { !RoutineFields.contain($0) }
    lines += fields(own + routine)
    if own.count <= fieldsShown { first += own.count }
    let range = first..<lines.count
    let shown = exchange.shownRequest
    let body = RecordedPart(shown.body, isCut: shown.truncated, of: exchange.bytesSent)
    lines += nothingKnown(exchange) ?? notes(body, false)
    return Head(lines: lines, fields: range, folds: true, name: first > start ? "more header" : "header")
  }

  /// The parameters of the query as they mean, where they are not easily read in the URL.
  private static func query(of url: String) -> [PageLine] {
    guard let mark = url.firstIndex(of: "?") else { return [] }
    let text = url[url.index(after: mark)...].prefix { $0 != "#" }
    let parameters = FormFields.parse(String(text))
    guard parameters.count > 1 || text.contains("%") || text.contains("+") else { return [] }
    let width = min(24, parameters.map { textWidth(SafeText.line($0.name)) }.max() ?? 0)
    return parameters.prefix(100).map { parameter in
      PageLine([
        .init("? ", .dim), .init(padded(SafeText.line(parameter.name), toWidth: width) + "  ", .literal),
        .init(SafeText.line(parameter.value), .string),
      ])
    }
  }

  static func isRead(_ method: String) -> Bool {
    ["GET", "HEAD", "OPTIONS"].contains(method)
  }

  private static func noResponse(_ exchange: Exchange) -> [PageLine] {
    var lines: [PageLine] = []
    switch (exchange.phase, exchange.outcome) {
    case (.heldRequest, _):
      lines.append(PageLine("‖ Held before it goes out. The program waits; its other requests go on.", .held))
    case (.waiting, _): lines.append(PageLine("… No answer yet.", .waiting))
    case (_, .cancelled): lines.append(PageLine("− The program cancelled the request.", .cancelled))
    case (_, .abandoned):
      lines.append(PageLine("? The process went away before the request ended.", .cancelled))
    case (.ended, nil):
      lines.append(PageLine("· Only observed: the request went its own way.", .dim))
      lines.append(PageLine("  Its answer and its times are not known; in full degree they are.", .dim))
    default: break
    }
    if let error = exchange.error {
      lines.append(PageLine("✗ \(sentence(error))", .failure))
      lines.append(PageLine([.init("  \(SafeText.line(error.domain)) \(error.code)", .dim)]))
    }
    if let stub = exchange.stub { lines.append(PageLine("◆ by the stub “\(SafeText.line(stub))”", .stub)) }
    return lines
  }

  static func sentence(_ error: RecordedError) -> String {
    let name = error.name.map(Wording.spaced) ?? "\(error.domain) \(error.code)"
    guard let message = error.message, !message.isEmpty else { return SafeText.line(name) }
    return SafeText.line("\(name): \(message)")
  }

  private static func answeredBy(_ exchange: Exchange) -> String {
    switch exchange.by {
    case .network where exchange.summary.isEditedByPerson: "  to the request as you edited it"
    case .network: exchange.stub.map { "  from the network, changed by ◆ \(SafeText.line($0))" } ?? ""
    case .stub: "  by the stub ◆ \(SafeText.line(exchange.stub ?? ""))"
    case .code: "  by a stub in the program's code ◇ \(SafeText.line(exchange.stub ?? ""))"
    case .person: "  by you"
    case .console: "  by the console"
    case .cache: "  from the program's cache"
    }
  }

  private static func fields(_ headers: [HeaderField]) -> [PageLine] {
    headers.map {
      PageLine([.init(SafeText.line($0.name), .key), .init(": ", .punctuation), .init(SafeText.line($0.value))])
    }
  }

  /// What to say of a request's body of which nothing was recorded; nil where something was, or there is none.
  private static func nothingKnown(_ exchange: Exchange) -> [PageLine]? {
    guard exchange.shownRequest.truncated, exchange.shownRequest.body == nil else { return nil }
    guard exchange.phase == .ended else { return [PageLine("A stream, which has not been read to its end yet.", .dim)] }
    guard exchange.bytesSent == 0, exchange.outcome != .abandoned else {
      return [PageLine("The body was not recorded.", .warning)]
    }
    return [PageLine("A stream, which was not read: the answer came without it.", .dim)]
  }

  private static func notes(_ body: RecordedPart, _ coming: Bool) -> [PageLine] {
    if body.isNotRecorded, coming { return [PageLine([])] }
    if let note = body.note { return [PageLine([]), PageLine(note, .warning)] }
    if body.isMissing, !coming { return [PageLine("No body.", .dim)] }
    return [body.isEmpty ? PageLine("An empty body.", .dim) : PageLine([])]
  }
}

/// Tells the header fields that the loader adds to every request from those that the program meant.
enum RoutineFields {
  /// Whether the field is one that nobody set, as far as its value tells.
  static func contain(_ field: HeaderField) -> Bool {
    switch field.name.lowercased() {
    case "accept-encoding", "accept-language", "connection", "content-length", "host": true
    case "accept": field.value == "*/*"
    case "user-agent": field.value.contains("curl/")
    default: false
    }
  }
}
