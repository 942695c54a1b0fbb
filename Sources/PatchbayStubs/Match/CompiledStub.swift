/// A stub made ready for matching. A class, so that a walk over many copies none of them.
final class CompiledStub: Sendable {
  let stub: Stub
  let pattern: CompiledPattern
  /// The single actions that it gives, one after the other; one where it has no sequence.
  let steps: [Action]
  let afterwards: Action.Afterwards
  let isSequence: Bool
  let counting: StubCounters.Fields
  /// Its pattern or its templates look at the body.
  let needsBody: Bool

  init(_ stub: Stub) {
    self.stub = stub
    pattern = CompiledPattern(stub.when)
    if case .sequence(let actions, let afterwards) = stub.then {
      let flat = actions.flatMap { Self.flattened($0) }
      steps = flat.isEmpty ? [.pass(PassChanges())] : flat
      self.afterwards = afterwards
      isSequence = true
    } else {
      steps = [FaultPreset.resolve(stub.then).settled]
      afterwards = .last
      isSequence = false
    }
    counting = StubCounters.Fields(stub, steps: isSequence ? steps.count : nil)
    needsBody = pattern.needsBody || steps.contains { $0.templates.contains { $0.needsBody } }
  }

  /// The action for a step, which may be past the end of the sequence.
  func action(step: Int?) -> Action {
    guard let step else { return steps[0] }
    if step < steps.count { return steps[step] }
    return afterwards == .pass ? .pass(PassChanges()) : steps[steps.count - 1]
  }

  private static func flattened(_ action: Action) -> [Action] {
    guard case .sequence(let inner, _) = action else { return [FaultPreset.resolve(action).settled] }
    return inner.flatMap { flattened($0) }
  }
}

/// A `RequestPattern` made ready for matching: its conditions, the cheap ones first and the body last.
struct CompiledPattern: Sendable {
  let conditions: [RequestCondition]
  /// What the URL must hold; see `URLSignature`.
  private(set) var signature = URLSignature()
  /// The one host that fits, in its normal spelling; nil where several may.
  private(set) var host: String?
  /// What was wrong with the pattern; it then never matches.
  let problems: [String]

  init(_ pattern: RequestPattern) {
    var conditions: [RequestCondition] = []
    var problems: [String] = []
    func matcher(_ text: TextPattern, _ place: TextMatcher.Place) -> TextMatcher {
      let matcher = TextMatcher(text, for: place)
      if case .never(let reason) = matcher { problems.append(reason) }
      return matcher
    }
    if !pattern.methods.isEmpty { conditions.append(.method(Set(pattern.methods.map { HTTPMethod.normal($0) }))) }
    if let process = pattern.process.map(ProcessMatcher.init) {
      if let problem = process.problem { problems.append(problem) }
      conditions.append(.process(process))
    }
    if let scheme = pattern.scheme { conditions.append(.scheme(matcher(scheme, .scheme))) }
    if let host = pattern.host { conditions.append(.host(matcher(host, .host))) }
    if let port = pattern.port { conditions.append(.port(port)) }
    if let path = pattern.path { conditions.append(.path(matcher(path, .path))) }
    if let url = pattern.url { conditions.append(.url(matcher(url, .url))) }
    conditions += pattern.query.map { .query(name: Array($0.name.utf8), $0.value.map { matcher($0, .plain) }) }
    conditions += pattern.headers.map { .header(name: $0.name, $0.value.map { matcher($0, .plain) }) }
    if let body = pattern.body {
      if let text = body.contains { conditions.append(.body(.contains(ByteSearch(Array(text.utf8))))) }
      if let text = body.equals { conditions.append(.body(.equals(Array(text.utf8)))) }
      if let text = body.matches { conditions.append(.body(.matches(matcher(.matches(text), .plain)))) }
      if let json = body.json { conditions.append(.body(.json(json))) }
      conditions += body.pointer.map { .body(.pointer($0.name, $0.value)) }
      conditions += body.form.map {
        .body(.form(name: Array($0.name.utf8), $0.value.map { matcher($0, .plain) }))
      }
      conditions += body.multipart.map {
        .body(.multipart(name: Array($0.name.utf8), $0.value.map { matcher($0, .plain) }))
      }
    }
    self.conditions = conditions
    self.problems = problems
    prepareIndex()
  }

  var needsBody: Bool { conditions.contains { $0.needsBody } }

  /// The first condition that does not hold; nil when the request fits.
  func firstFailure(_ request: MatchedRequest) -> (condition: RequestCondition, overBudget: Bool)? {
    for condition in conditions {
      switch condition.test(request) {
      case .fits: continue
      case .fitsNot: return (condition, false)
      case .overBudget: return (condition, true)
      }
    }
    return nil
  }

  private mutating func prepareIndex() {
    for condition in conditions {
      switch condition {
      case .host(.globs(let globs)):
        guard globs.count == 1 else { continue }
        for piece in globs[0].pieces { signature.insert(piece) }
        guard let literal = globs[0].literal else { continue }
        let name = String(decoding: literal, as: UTF8.self)
        // An address without its brackets is compared in two ways: leave it to the comparison.
        guard !name.contains(":") || name.hasPrefix("[") else { continue }
        host = name
      case .path(.globs(let globs)), .url(.globs(let globs)):
        guard globs.count == 1 else { continue }
        for piece in globs[0].pieces { signature.insert(piece) }
        if case .url = condition { hostOfURL(globs[0]) }
      case .path(.regex(let regex)), .url(.regex(let regex)):
        for run in regex.literals { signature.insert(run) }
      case .query(let name, .globs(let globs)?):
        for bytes in [name] + (globs.first?.pieces ?? []) {
          // Only what is never encoded looks the same in the URL.
          if bytes.allSatisfy({ PercentEncoding.isUnreserved($0) }) { signature.insert(bytes) }
        }
      default: continue
      }
    }
  }

  private mutating func hostOfURL(_ glob: Glob) {
    let parts = NormalURL.authority(in: glob.pieces[0][...])
    guard !parts.scheme.isEmpty, !parts.rest.isEmpty, host == nil else { return }
    host = String(decoding: parts.host, as: UTF8.self)
  }
}

/// Method names: case matters (RFC 9110 §9.1), but the standard ones are taken in any.
package enum HTTPMethod {
  package static let standard = ["GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH"]

  package static func normal(_ method: String) -> String {
    let upper = method.uppercased()
    return standard.contains(upper) ? upper : method
  }
}
