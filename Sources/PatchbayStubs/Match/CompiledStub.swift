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
  let hasTemplates: Bool

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
    let templates = steps.flatMap(\.templates)
    hasTemplates = !templates.isEmpty
    needsBody = pattern.needsBody || templates.contains(where: \.needsBody)
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
      if let reason = matcher.problem { problems.append(reason) }
      return matcher
    }
    if !pattern.methods.isEmpty { conditions.append(.method(Set(pattern.methods.map { HTTPMethod.normal($0) }))) }
    if let process = pattern.process { conditions.append(.process(matcher(process, .process))) }
    if let scheme = pattern.scheme { conditions.append(.scheme(matcher(scheme, .scheme))) }
    if let host = pattern.host { conditions.append(.host(matcher(host, .host))) }
    if let port = pattern.port { conditions.append(.port(port)) }
    if let path = pattern.path { conditions.append(.path(matcher(path, .path))) }
    if let url = pattern.url { conditions.append(.url(matcher(url, .url))) }
    conditions += pattern.query.map { .query(name: Array($0.name.utf8), $0.value.map { matcher($0, .plain) }) }
    conditions += pattern.headers.map { .header(name: $0.name, $0.value.map { matcher($0, .plain) }) }
    let (any, not) = (pattern.any.map(CompiledPattern.init), pattern.not.map(CompiledPattern.init))
    problems += (any + not).flatMap(\.problems)
    let others = (any.isEmpty ? [] : [RequestCondition.any(any)]) + (not.isEmpty ? [] : [.not(not)])
    conditions += others.filter { !$0.needsBody }
    if let body = pattern.body {
      if let text = body.contains { conditions.append(.body(.contains(matcher(text, .part)))) }
      if let text = body.equals { conditions.append(.body(.equals(Array(text.utf8)))) }
      if let text = body.matches { conditions.append(.body(.matches(matcher(.matches(text), .plain)))) }
      if let json = body.json { conditions.append(.body(.json(json))) }
      if let graphql = body.graphql {
        let operation = graphql.operation.map { matcher($0, .plain) }
        conditions.append(.body(.graphql(operation: operation, variables: graphql.variables)))
      }
      conditions += body.pointer.map { .body(.pointer($0.name, $0.value)) }
      conditions += body.form.map {
        .body(.form(name: Array($0.name.utf8), $0.value.map { matcher($0, .plain) }))
      }
      conditions += body.multipart.map {
        .body(.multipart(name: Array($0.name.utf8), $0.value.map { matcher($0, .plain) }))
      }
    }
    conditions += others.filter(\.needsBody)
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
      signature.insert(Self.needed(by: condition))
      switch condition {
      case .host(.globs(let globs)):
        guard globs.count == 1, let literal = globs[0].literal else { continue }
        let name = String(decoding: literal, as: UTF8.self)
        // An address without its brackets is compared in two ways: leave it to the comparison.
        guard !name.contains(":") || name.hasPrefix("[") else { continue }
        host = name
      case .url(.globs(let globs)) where globs.count == 1: hostOfURL(globs[0])
      default: continue
      }
    }
  }

  /// What the URL must hold for the condition.
  private static func needed(by condition: RequestCondition) -> URLSignature {
    switch condition {
    case .host(let matcher), .path(let matcher), .url(let matcher):
      return URLSignature(matcher) { leaf in
        switch leaf {
        case .globs(let globs): return globs.count == 1 ? globs[0].pieces : []
        case .regex(let regex):
          if case .host = condition { return [] }
          return regex.literals
        default: return []
        }
      }
    case .query(let name, let matcher?) where !matcher.fitsAbsent:
      // Only what is never encoded looks the same in the URL.
      func plain(_ runs: [[UInt8]]) -> [[UInt8]] {
        runs.filter { $0.allSatisfy { PercentEncoding.isUnreserved($0) } }
      }
      var signature = URLSignature(matcher) { leaf in
        if case .globs(let globs) = leaf { plain(globs.first?.pieces ?? []) } else { [] }
      }
      for run in plain([name]) { signature.insert(run) }
      return signature
    case .any(let patterns): return URLSignature(common: patterns.map(\.signature))
    default: return URLSignature()
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
