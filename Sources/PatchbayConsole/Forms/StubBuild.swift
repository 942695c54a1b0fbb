import Foundation
import PatchbayStubs

/// Makes the stub of what stands in a form, and says what is wrong.
struct StubBuild {
  let form: Form
  let original: Stub
  /// By the field's id.
  var problems: [(String, String)] = []

  /// The body is taken from the form; else the original's stays, for who asks only what is wrong.
  let readsBody: Bool

  /// The action that the fields were filled from; what they do not show of it is kept.
  private let base: Action
  private let steps: SequenceSteps

  init(_ form: StubForm, readsBody: Bool = true) {
    self.init(form: form.form, original: form.original, steps: form.steps, readsBody: readsBody)
  }

  init(
    form: Form, original: Stub, steps: SequenceSteps = SequenceSteps(), base: Action? = nil, readsBody: Bool = true
  ) {
    self.steps = steps
    self.base = base ?? original.then
    self.form = form
    self.readsBody = readsBody
    self.original = original
  }

  /// The stub; nil when a field is wrong, which `problems` then tells.
  mutating func stub() -> Stub? {
    var stub = original
    stub.name = form.text("name").trimmingCharacters(in: .whitespaces)
    if stub.name.isEmpty { problems.append(("name", "a stub needs a name")) }
    stub.enabled = form.isOn("enabled")
    stub.when = pattern()
    stub.then = action()
    stub.skip = number("skip", 0...1_000_000_000) ?? 0
    stub.times = number("times", 1...1_000_000_000)
    stub.chance = chance()
    return problems.isEmpty ? stub : nil
  }

  /// The pattern, as far as its fields are right.
  mutating func pattern() -> RequestPattern {
    var when = original.when
    when.methods = form.text("method").split { $0 == "," || $0 == " " }.map { $0.uppercased() }
    when.url = text("url")
    when.host = text("host")
    when.path = text("path")
    when.process = text("process")
    when.query = conditions("query", "=")
    when.headers = conditions("fields", ":")
    let contains = form.text("contains")
    if !contains.isEmpty || when.body != nil {
      when.body = when.body ?? BodyPattern()
      when.body?.contains = contains.isEmpty ? nil : contains
      if when.body == BodyPattern() { when.body = nil }
    }
    return when
  }

  private mutating func text(_ id: String) -> TextPattern? {
    let pattern = PatternText.pattern(form.text(id))
    if case .matches(let expression) = pattern {
      do throws(StubError) { _ = try PatternRegex(expression) } catch { problems.append((id, error.message)) }
    }
    return pattern
  }

  private mutating func conditions(_ id: String, _ sign: Character) -> [RequestPattern.Condition] {
    do throws(FormProblem) {
      return try PatternText.conditions(form.text(id), sign: sign)
    } catch {
      problems.append((id, error.text))
      return []
    }
  }

  private mutating func action() -> Action {
    form.text("action") == "sequence" ? sequence() : action(form.text("action"))
  }

  private mutating func action(_ kind: String) -> Action {
    switch kind {
    case "respond": .respond(response())
    case "fail": .fail(fault())
    case "pass": .pass(changes())
    case "code": .code
    default: .hold(Action.HoldPoint(rawValue: form.text("point")) ?? .request)
    }
  }

  private mutating func sequence() -> Action {
    guard !steps.isEmpty else { return base }
    let actions = steps.all.indices.map { place -> Action in
      let step = steps.all[place]
      let filled = steps.form(form, with: place)
      var build = StubBuild(form: filled, original: original, base: step.original, readsBody: readsBody)
      let action = build.action(filled.text("stepAction"))
      // Problems of the step in sight stand at their fields.
      problems += build.problems.map { id, text in
        place == steps.current ? (id, text) : ("step", "step \(place + 1), \(id): \(text)")
      }
      return action
    }
    return .sequence(actions, afterwards: Action.Afterwards(rawValue: form.text("afterwards")) ?? .repeat)
  }

  private mutating func response() -> CannedResponse {
    var response = base.response ?? CannedResponse()
    response.status = status() ?? response.status
    response.headers = headers()
    response.delay = delay()
    response.pace = pace()
    guard readsBody, form.editor(of: "body")?.version != 0 else { return response }
    let text = form.text("body")
    guard text != StubForm.bodyText(base.response?.body) else { return response }
    response.body = body(text)
    // As text it is JSON all the same, once it is filled in.
    if case .text = response.body, response.headers.first(named: "Content-Type") == nil, looksLikeJSON(text),
      (try? TemplateJSON.check(text)) != nil
    {
      response.headers.append(HeaderField("Content-Type", "application/json"))
    }
    return response
  }

  private func body(_ text: String) -> CannedResponse.Body {
    if text.isEmpty { return .none }
    // Reading it as JSON would take too long for a key.
    if text.utf8.count > StubProposal.readableLimit {
      return Template.isNeeded(for: text) ? .text(text) : .data(Data(text.utf8))
    }
    let isJSON: Bool
    if case .json = base.response?.body { isJSON = true } else { isJSON = looksLikeJSON(text) }
    if isJSON, let value = try? JSONValue(parsing: text) { return .json(value) }
    if case .data = base.response?.body, Template.isNeeded(for: text) { return .data(Data(text.utf8)) }
    return .text(text)
  }

  private func looksLikeJSON(_ text: String) -> Bool {
    let first = text.unicodeScalars.first { !$0.properties.isWhitespace }
    return first == "{" || first == "["
  }

  private mutating func changes() -> PassChanges {
    var changes = base.changes ?? PassChanges()
    let before = base.changes?.status
    let text = form.text("status")
    changes.status = text.isEmpty || (before == nil && text == "200") ? nil : status()
    changes.delay = delay()
    changes.pace = pace()
    if form.text("headers") != StubForm.headerText(base) { changes.headers = headerChanges() }
    return changes
  }

  private mutating func headerChanges() -> [PassChanges.HeaderChange] {
    form.text("headers").split(separator: "\n").compactMap { line in
      if line.hasPrefix("!") { return PassChanges.HeaderChange(String(line.dropFirst()), nil) }
      guard let field = try? PatternText.headers(String(line)).first else {
        problems.append(("headers", "write Name: value, or !Name to take one away"))
        return nil
      }
      return PassChanges.HeaderChange(field.name, [field.value])
    }
  }

  private mutating func fault() -> Fault {
    var fault = base.fault ?? Fault(.named("timedOut"))
    fault.delay = delay()
    let words = form.text("error").split(separator: " ", maxSplits: 2).map(String.init)
    if words.count >= 2, let code = Int(words[1]) {
      fault.error = .custom(domain: words[0], code: code, message: words.count > 2 ? words[2] : nil)
    } else if words.count == 1, URLErrorCode.code(named: words[0]) != nil || NamedFault[words[0]] != nil {
      fault.error = .named(words[0])
    } else {
      let names = URLErrorCode.all.map(\.name) + NamedFault.all.map(\.name)
      let hint = words.first.flatMap { nearest(to: $0, among: names) }.map { "; did you mean \($0)?" } ?? ""
      problems.append(("error", "no such error\(hint)"))
    }
    return fault
  }

  private mutating func headers() -> [HeaderField] {
    do throws(FormProblem) {
      return try PatternText.headers(form.text("headers"))
    } catch {
      problems.append(("headers", error.text))
      return []
    }
  }

  private mutating func status() -> Int? {
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

  private mutating func delay() -> Delay? {
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

  private mutating func pace() -> Pace? {
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

  private mutating func chance() -> Double? {
    var text = form.text("chance").trimmingCharacters(in: .whitespaces)
    guard !text.isEmpty else { return nil }
    let isPercent = text.hasSuffix("%")
    if isPercent { text.removeLast() }
    if let value = Double(text.trimmingCharacters(in: .whitespaces)) {
      let share = isPercent ? value / 100 : value
      if (0...1).contains(share) { return share == 1 ? nil : share }
    }
    problems.append(("chance", "a share such as 50% or 0.5"))
    return nil
  }

  private mutating func number(_ id: String, _ range: ClosedRange<Int>) -> Int? {
    let text = form.text(id).trimmingCharacters(in: .whitespaces)
    guard !text.isEmpty else { return nil }
    if let number = Int(text), range.contains(number) { return number }
    problems.append((id, "a number from \(range.lowerBound)"))
    return nil
  }
}
