import PatchbayGrid
import PatchbayStubs

/// Stubs in a few words.
enum StubWords {
  /// `GET api.example.com /v1/users*`, with what else must hold.
  static func pattern(_ when: RequestPattern) -> String {
    var parts: [String] = []
    if !when.methods.isEmpty { parts.append(when.methods.joined(separator: ",")) }
    if let url = when.url { parts.append(text(url)) }
    if let scheme = when.scheme { parts.append("\(text(scheme))://") }
    if let host = when.host { parts.append(text(host) + (when.port.map { ":\($0)" } ?? "")) }
    if let path = when.path { parts.append(text(path)) }
    parts += when.query.map { "?\($0.name)\($0.value.map { "=\(text($0))" } ?? " absent")" }
    parts += when.headers.map { "\($0.name): \($0.value.map { text($0) } ?? "absent")" }
    if when.body != nil { parts.append("body…") }
    if let process = when.process { parts.append("in \(text(process))") }
    if !when.any.isEmpty { parts.append("and " + when.any.map { "(\(pattern($0)))" }.joined(separator: " or ")) }
    parts += when.not.map { "but not (\(pattern($0)))" }
    return parts.isEmpty ? "every request" : parts.joined(separator: " ")
  }

  static func text(_ pattern: TextPattern) -> String {
    switch pattern {
    case .glob(let text): text
    case .matches(let text): "~\(text)"
    case .any(let parts): parts.map { text($0) }.joined(separator: "|")
    case .not(let parts): "not " + parts.map { text($0) }.joined(separator: "|")
    case .all(let parts): parts.map { text($0) }.joined(separator: " and ")
    }
  }

  /// `503 · 88 B · after 300 ms`.
  static func action(_ action: Action) -> String {
    switch action {
    case .respond(let response): return respond(response)
    case .fail(let fault):
      let after = fault.after == nil ? "" : " midway"
      return "✗ \(name(fault.error))\(after)\(delay(fault.delay))"
    case .pass(let changes):
      guard !changes.isEmpty else { return "pass" }
      var parts: [String] = []
      if let to = changes.to { parts.append("to \(SafeText.line(to))") }
      if changes.request != nil { parts.append("request changed") }
      if let status = changes.status { parts.append("status \(status)") }
      if !changes.headers.isEmpty { parts.append(Wording.count(changes.headers.count, "header")) }
      if changes.mergePatch != nil { parts.append("JSON patched") }
      if !changes.replace.isEmpty { parts.append(Wording.count(changes.replace.count, "replacement")) }
      return
        "pass\(parts.isEmpty ? "" : ", " + parts.joined(separator: ", "))\(delay(changes.delay))\(pace(changes.pace))"
    case .code: return "code of the program"
    case .hold(let point): return "‖ hold \(holdPoint(point))"
    case .sequence(let steps, let afterwards):
      let brief = steps.prefix(4).map { self.action($0) }.joined(separator: " → ")
      return "\(brief)\(steps.count > 4 ? " → …" : ""), then \(afterwards.rawValue)"
    }
  }

  static func holdPoint(_ point: Action.HoldPoint) -> String {
    point == .both ? "request and response" : point.rawValue
  }

  private static func respond(_ response: CannedResponse) -> String {
    let size: String
    switch response.body {
    case .none: size = ""
    case .text(let text): size = " · \(Wording.size(Int64(text.utf8.count)))"
    case .json: size = " · JSON"
    case .data(let data): size = " · \(Wording.size(Int64(data.count)))"
    case .file(let path): size = " · \(path)"
    case .folder(let path, _): size = " · \(path)/"
    case .events(let events): size = " · \(Wording.count(events.count, "event"))"
    case .filler(let bytes): size = " · \(Wording.size(Int64(bytes))) filler"
    }
    return "\(response.status)\(size)\(delay(response.delay))\(pace(response.pace))"
  }

  static func name(_ failure: Fault.Failure) -> String {
    switch failure {
    case .named(let name): Wording.spaced(name)
    case .custom(let domain, let code, _): "\(domain) \(code)"
    }
  }

  private static func delay(_ delay: Delay?) -> String {
    switch delay {
    case nil: ""
    case .fixed(let time): " · after \(Wording.duration(time.microseconds))"
    case .random(let from, let to):
      " · after \(Wording.duration(from.microseconds)) to \(Wording.duration(to.microseconds))"
    }
  }

  private static func pace(_ pace: Pace?) -> String {
    switch pace {
    case nil: ""
    case .throttle(let speed): " · \(Wording.size(Int64(speed)))/s"
    case .dribble(let pieces, let over): " · \(pieces) pieces over \(Wording.duration(over.microseconds))"
    }
  }

  /// When it counts: `1st skipped · 50 % · 3 times`.
  static func limits(_ stub: Stub) -> String {
    var parts: [String] = []
    if stub.skip > 0 { parts.append("skips \(stub.skip)") }
    if let chance = stub.chance { parts.append(Wording.percent(chance)) }
    if let times = stub.times { parts.append(Wording.count(times, "time")) }
    if let scenario = stub.scenario {
      let states = [scenario.state.map { "in \($0)" }, scenario.next.map { "to \($0)" }].compactMap { $0 }
      parts.append(([scenario.name] + states).joined(separator: " "))
    }
    return parts.joined(separator: " · ")
  }

  /// Where a stub is from, with a star where it was changed here since.
  static func origin(_ entry: StubBoard.Entry) -> String {
    entry.edited ? "\(set(entry.origin)) *" : set(entry.origin)
  }

  /// A set of stubs: those of a file, of this console, or of a process's code.
  static func set(_ origin: StubBoard.Origin) -> String {
    switch origin {
    case .file(let path): path.split(separator: "/").last.map(String.init) ?? path
    case .console: "this console"
    case .code(let process): "code of \(process)"
    }
  }

  /// The colour of what a stub does.
  static func role(_ action: Action) -> ThemeRole {
    switch action {
    case .respond(let response): OutcomeLook(status: response.status).role
    case .fail: .failure
    case .pass: .text
    case .hold: .held
    case .sequence, .code: .text
    }
  }

  /// What of a stub can answer a request at once, each with what to call it.
  static func answers(_ stub: Stub) -> [(label: String, action: Action)] {
    switch stub.then {
    case .respond, .fail: [(stub.name, stub.then)]
    case .sequence(let steps, _):
      steps.enumerated().flatMap { place, step in
        answers(Stub(name: "\(stub.name), step \(place + 1)", then: step))
      }
    case .pass, .hold, .code: []
    }
  }
}

extension Duration {
  var microseconds: Int64 {
    let (seconds, attoseconds) = components
    return seconds &* 1_000_000 &+ attoseconds / 1_000_000_000_000
  }
}
