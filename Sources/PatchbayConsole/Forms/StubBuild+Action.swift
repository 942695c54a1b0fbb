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
    if words.count >= 2, let code = Int(words[1]) {
      fault.error = .custom(domain: words[0], code: code, message: words.count > 2 ? words[2] : nil)
    } else if words.count == 1, URLErrorCode.code(named: words[0]) != nil || NamedFault[words[0]] != nil {
      fault.error = .named(words[0])
    } else {
      let names = URLErrorCode.all.map(\.name) + NamedFault.all.map(\.name)
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
      if line.hasPrefix("!") { return PassChanges.HeaderChange(String(line.dropFirst()), nil) }
      guard let field = try? PatternText.headers(String(line)).first else {
        problems.append(("headers", "write Name: value, or !Name to take one away"))
        return nil
      }
      return PassChanges.HeaderChange(field.name, [field.value])
    }
  }
}
