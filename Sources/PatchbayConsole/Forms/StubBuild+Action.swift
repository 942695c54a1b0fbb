import Foundation
import PatchbayStubs

extension StubBuild {
  mutating func action() -> Action {
    form.text("action") == "sequence" ? sequence() : action(form.text("action"))
  }

  private mutating func action(_ kind: String) -> Action {
    switch kind {
    case "respond": .respond(response(base.response))
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

  private mutating func fault() -> Fault {
    var fault = base.fault ?? Fault(.named("timedOut"))
    fault.delay = delay()
    fault.after = form.isOn("after") ? partial() : nil
    let words = form.text("error").split(separator: " ", maxSplits: 2).map(String.init)
    if let before = base.fault?.error, isUntouched("error", StubForm.errorText(before)) {
      fault.error = before
    } else if words.count >= 2, let code = Int(words[1]) {
      fault.error = .custom(domain: words[0], code: code, message: words.count > 2 ? words[2] : nil)
    } else if words.count == 1, URLErrorCode.code(named: words[0]) != nil || FaultPreset[words[0]] != nil {
      fault.error = .named(words[0])
    } else {
      let names = URLErrorCode.all.map(\.name) + FaultPreset.all.map(\.name)
      let hint = words.first.flatMap { NearestName.find($0, among: names) }.map { "; did you mean \($0)?" } ?? ""
      problems.append(("error", "no such error\(hint)"))
    }
    return fault
  }

  /// What comes before it fails.
  private mutating func partial() -> Fault.Partial {
    let isAll = form.text("bytes").allSatisfy { $0 == " " }
    let bytes = isAll ? nil : size("bytes")
    if !isAll, bytes == nil { problems.append(("bytes", "a size such as 40 or 2kB")) }
    return Fault.Partial(response: response(base.fault?.after?.response, delays: false), bytes: bytes)
  }

  private mutating func changes() -> PassChanges {
    var changes = base.changes ?? PassChanges()
    let to = form.text("to").trimmingCharacters(in: .whitespaces)
    changes.to = to.isEmpty ? nil : to
    if let clause = changes.mistakeOfTarget { problems.append(("to", clause)) }
    changes.request = requestChanges()
    changes.status = form.text("status").allSatisfy({ $0 == " " }) ? nil : status()
    changes.delay = delay()
    changes.pace = pace()
    if form.text("headers") != StubForm.headerText(base) { changes.headers = headerChanges() }
    do throws(FormProblem) {
      changes.replace = try ReplaceText.replacements(form.text("replace"))
    } catch {
      problems.append(("replace", error.text))
    }
    changes.mergePatch = patch()
    return changes
  }

  private mutating func requestChanges() -> RequestChanges? {
    let text = form.text("rewrite")
    if let before = base.changes?.request, before.json.indented() == text { return before }
    guard form.firstLetter(of: "rewrite") != nil else { return nil }
    do throws(StubError) {
      return try RequestChanges(json: try JSONValue(parsing: text))
    } catch {
      problems.append(("rewrite", error.message))
      return nil
    }
  }

  private mutating func patch() -> JSONValue? {
    let text = form.text("patch")
    if let before = base.changes?.mergePatch, before.indented() == text { return before }
    guard form.firstLetter(of: "patch") != nil else { return nil }
    do throws(StubError) {
      return try JSONValue(parsing: text)
    } catch {
      problems.append(("patch", "not JSON: \(error.description)"))
      return nil
    }
  }

  private mutating func headerChanges() -> [PassChanges.HeaderChange] {
    form.text("headers").split(separator: "\n").compactMap { line in
      if line.hasPrefix("!") {
        let name = line.dropFirst().drop { $0 == " " }
        if name.contains(where: { $0 != "!" && $0 != " " }), !name.contains(":") {
          return PassChanges.HeaderChange(String(name), nil)
        }
      } else if let field = try? PatternText.headers(String(line)).first {
        return PassChanges.HeaderChange(field.name, [field.value])
      }
      problems.append(("headers", "write Name: value, or !Name to take one away"))
      return nil
    }
  }
}

extension StubBuild {
  /// - Parameters:
  ///   - before: what it was; nil where there was none.
  ///   - delays: whether the delay in the form is the answer's.
  mutating func response(_ before: CannedResponse?, delays: Bool = true) -> CannedResponse {
    var response = before ?? CannedResponse()
    response.status = status() ?? response.status
    response.headers = headers(response.headers)
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
    case .folder:
      let path = form.text("file").trimmingCharacters(in: .whitespaces)
      if path.isEmpty { problems.append(("file", "which folder answers; . is the stub file's own")) }
      response.body = .folder(path, otherwise: CannedResponse.Missing(rawValue: form.text("otherwise")) ?? .pass)
      return response
    case .events:
      response.pace = nil
      if readsBody, form.isTouched("body") || BodySource(before?.body) != .events { response.body = events() }
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

  /// The body editor's text as what stands after `events:`.
  private mutating func events() -> CannedResponse.Body {
    do throws(StubError) {
      return try CannedResponse(json: .members(["events": JSONValue(parsing: form.text("body"))])).body
    } catch {
      problems.append(
        ("body", "\(error.message); write [{\"event\": \"token\", \"data\": \"…\", \"after\": \"50ms\"}]"))
      return .events([])
    }
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

  /// - Parameter before: What they were; they stay as they are where their text does.
  private mutating func headers(_ before: [HeaderField]) -> [HeaderField] {
    if form.text("headers") == TextEditor(PatternText.text(before)).text { return before }
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
    if let code = StatusText.code(form.text("status")) { return code }
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
