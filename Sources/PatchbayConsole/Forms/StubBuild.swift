import Foundation
import PatchbayStubs

/// Makes the stub of what stands in a form, and says what is wrong.
struct StubBuild {
  let form: Form
  let original: Stub
  /// By the field's id.
  var problems: [(String, String)] = []

  /// Whether the body is read from the form. Who only asks what is wrong leaves it, for that takes long.
  let readsBody: Bool

  /// The action that the fields were filled from; what they do not show of it is kept.
  let base: Action
  let steps: SequenceSteps

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
    if !isUntouched("name", original.name) { stub.name = form.text("name").trimmingCharacters(in: .whitespaces) }
    if stub.name.allSatisfy(\.isWhitespace) { problems.append(("name", "a stub needs a name")) }
    stub.enabled = form.isOn("enabled")
    stub.when = pattern()
    stub.then = action()
    stub.skip = number("skip", 0...1_000_000_000, original.skip) ?? 0
    stub.times = number("times", 1...1_000_000_000, original.times)
    stub.chance = chance()
    stub.seed = seed()
    stub.scenario = scenario()
    return problems.isEmpty ? stub : nil
  }

  /// Whether a field of one line reads as this text does in one: then what it was made of is kept as it is, for a text
  /// may tell less than that.
  func isUntouched(_ id: String, _ before: String) -> Bool {
    form.text(id) == TextEditor(before, singleLine: true).text
  }

  /// The pattern, as far as its fields are right.
  mutating func pattern() -> RequestPattern {
    var when = original.when
    when.methods = form.text("method").split { $0 == "," || $0 == " " }.map { $0.uppercased() }
    when.url = text("url", when.url)
    when.scheme = text("scheme", when.scheme)
    when.host = text("host", when.host)
    when.port = number("port", 0...65_535, when.port)
    when.path = text("path", when.path)
    when.process = text("process", when.process)
    when.query = conditions("query", "=", original.when.query)
    when.headers = conditions("fields", ":", original.when.headers)
    when.body = bodyPattern()
    when.any = patterns("any", original.when.any)
    when.not = patterns("not", original.when.not)
    return when
  }

  private mutating func patterns(_ id: String, _ original: [RequestPattern]) -> [RequestPattern] {
    if isUntouched(id, BodyAsks.text(original)) { return original }
    do throws(FormProblem) {
      return try BodyAsks.patterns(form.text(id), id)
    } catch {
      problems.append((id, error.text))
      return original
    }
  }

  private mutating func bodyPattern() -> BodyPattern? {
    var body = original.when.body ?? BodyPattern()
    if !isUntouched("asks", BodyAsks.text(original.when.body)) {
      do throws(FormProblem) {
        body = try BodyAsks.pattern(form.text("asks")) ?? BodyPattern()
      } catch {
        problems.append(("asks", error.text))
      }
    }
    let contains = form.text("contains")
    let before = original.when.body
    let isKept = isUntouched("contains", BodyAsks.contained(before))
    body.contains = isKept ? before?.contains : BodyAsks.contains(contains)
    return body == BodyPattern() ? nil : body
  }

  private mutating func text(_ id: String, _ before: TextPattern?) -> TextPattern? {
    let pattern = isUntouched(id, PatternText.text(before)) ? before : PatternText.pattern(form.text(id))
    for leaf in pattern?.leaves ?? [] {
      guard case .matches(let expression) = leaf else { continue }
      do throws(StubError) { _ = try PatternRegex(expression) } catch { problems.append((id, error.message)) }
    }
    return pattern
  }

  private mutating func conditions(
    _ id: String, _ sign: Character, _ original: [RequestPattern.Condition]
  ) -> [RequestPattern.Condition] {
    if isUntouched(id, PatternText.text(original, sign: String(sign))) { return original }
    do throws(FormProblem) {
      return try PatternText.conditions(form.text(id), sign: sign)
    } catch {
      problems.append((id, error.text))
      return []
    }
  }

  private mutating func chance() -> Double? {
    if isUntouched("chance", StubForm.chanceText(original)) { return original.chance }
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

  private mutating func scenario() -> Stub.Scenario? {
    func text(_ id: String) -> String? {
      let text = form.text(id).trimmingCharacters(in: .whitespaces)
      return text.isEmpty ? nil : text
    }
    guard let name = text("scenario") else { return nil }
    let scenario = Stub.Scenario(name, in: text("state"), to: text("next"))
    if scenario.state == nil, scenario.next == nil {
      problems.append(("scenario", "give the state it answers in, the one that follows, or both"))
    }
    return scenario
  }

  private mutating func seed() -> UInt64? {
    let text = form.text("seed").trimmingCharacters(in: .whitespaces)
    guard !text.isEmpty else { return nil }
    if let seed = UInt64(text) { return seed }
    problems.append(("seed", "a whole number"))
    return nil
  }

  /// - Parameter before: What it was; it stays whatever it is.
  mutating func number(_ id: String, _ range: ClosedRange<Int>, _ before: Int?) -> Int? {
    if let before, isUntouched(id, String(before)) { return before }
    let text = form.text(id).trimmingCharacters(in: .whitespaces)
    guard !text.isEmpty else { return nil }
    if let number = Int(text), range.contains(number) { return number }
    problems.append((id, "a number from \(range.lowerBound)"))
    return nil
  }
}
