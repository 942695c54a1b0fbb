import Foundation
import PatchbayStubs

extension StubBuild {
  /// - Parameters:
  ///   - before: what it was; nil where there was none.
  ///   - delays: whether the delay in the form is the answer's.
  mutating func response(_ before: CannedResponse?, delays: Bool = true) -> CannedResponse {
    var response = before ?? CannedResponse()
    response.status = status() ?? response.status
    response.headers = headers()
    if delays { response.delay = delay() }
    response.pace = pace()
    switch BodySource(rawValue: form.text("source")) {
    case .file:
      let path = form.text("file").trimmingCharacters(in: .whitespaces)
      if path.isEmpty { problems.append(("file", "which file the body is")) }
      response.body = .file(path)
      return response
    case .filler:
      if let size = size("filler"), size <= 1 << 30 {
        response.body = .filler(bytes: size)
      } else {
        problems.append(("filler", "a size of at most 1GiB, such as 5MB"))
      }
      return response
    case .text, nil: break
    }
    guard readsBody else { return response }
    let isOther = BodySource(before?.body) != .text
    guard form.isTouched("body") || isOther else { return response }
    let text = form.text("body")
    guard text != StubForm.bodyText(before?.body) || isOther else { return response }
    response.body = body(text, before?.body).quotingMistakes
    // As text it is JSON all the same, once it is filled in.
    if case .text = response.body, response.headers.first(named: "Content-Type") == nil, looksLikeJSON(text),
      (try? TemplateJSON.check(text)) != nil
    {
      response.headers.append(HeaderField("Content-Type", "application/json"))
    }
    return response
  }

  private func body(_ text: String, _ before: CannedResponse.Body?) -> CannedResponse.Body {
    if text.isEmpty { return .none }
    // Reading it as JSON would take too long for a key.
    if text.utf8.count > StubProposal.readableLimit {
      return Template.isNeeded(for: text) ? .text(text) : .data(Data(text.utf8))
    }
    let isJSON: Bool
    if case .json = before { isJSON = true } else { isJSON = looksLikeJSON(text) }
    if isJSON, let value = try? JSONValue(parsing: text) { return .json(value) }
    if case .data = before, Template.isNeeded(for: text) { return .data(Data(text.utf8)) }
    return .text(text)
  }

  private func looksLikeJSON(_ text: String) -> Bool {
    let first = text.unicodeScalars.first { !$0.properties.isWhitespace }
    return first == "{" || first == "["
  }

  private mutating func headers() -> [HeaderField] {
    do throws(FormProblem) {
      return try PatternText.headers(form.text("headers")).map {
        HeaderField($0.name, Template.isNeeded(for: $0.value) ? Template.quotingMistakes($0.value) : $0.value)
      }
    } catch {
      problems.append(("headers", error.text))
      return []
    }
  }

  mutating func status() -> Int? {
    let text = form.text("status").trimmingCharacters(in: .whitespaces)
    if let code = Int(text), (100...599).contains(code) { return code }
    let wanted = text.lowercased()
    if !wanted.isEmpty, Int(text) == nil,
      let found = HTTPStatus.all.first(where: { $0.phrase.lowercased().hasPrefix(wanted) })
        ?? HTTPStatus.all.first(where: { $0.phrase.lowercased().contains(wanted) })
    {
      return found.code
    }
    problems.append(("status", "a number from 100 to 599, or a name"))
    return nil
  }

  mutating func delay() -> Delay? {
    let text = form.text("delay").trimmingCharacters(in: .whitespaces)
    guard !text.isEmpty else { return nil }
    let parts = text.components(separatedBy: "to").flatMap { $0.components(separatedBy: "…") }
    let times = parts.compactMap { DurationText.parse($0.trimmingCharacters(in: .whitespaces)) }
    if times.count == parts.count, times.count == 1 { return .fixed(times[0]) }
    if times.count == parts.count, times.count == 2, times[0] <= times[1] {
      return .random(from: times[0], to: times[1])
    }
    problems.append(("delay", "write 300ms, 2s, or 100ms to 900ms"))
    return nil
  }

  mutating func pace() -> Pace? {
    let text = form.text("pace").trimmingCharacters(in: .whitespaces)
    guard !text.isEmpty else { return nil }
    if text.hasSuffix("/s"), let speed = SizeText.parse(String(text.dropLast(2))), speed > 0 {
      return .throttle(bytesPerSecond: speed)
    }
    let parts = text.components(separatedBy: "over").map { $0.trimmingCharacters(in: .whitespaces) }
    if parts.count == 2, let pieces = Int(parts[0]), pieces > 0, let time = DurationText.parse(parts[1]) {
      return .dribble(pieces: pieces, over: time)
    }
    problems.append(("pace", "write 20kB/s, or 5 over 2s"))
    return nil
  }

  func size(_ id: String) -> Int? { SizeText.parse(form.text(id).trimmingCharacters(in: .whitespaces)) }
}

extension CannedResponse.Body {
  /// With what cannot be filled in written so that it is sent as it stands.
  fileprivate var quotingMistakes: Self {
    switch self {
    case .text(let text) where Template.isNeeded(for: text): .text(Template.quotingMistakes(text))
    case .json(let value): .json(value.quotingMistakes)
    default: self
    }
  }
}
