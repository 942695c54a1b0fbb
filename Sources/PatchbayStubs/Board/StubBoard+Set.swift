import Foundation

extension StubBoard {
  /// The set for the hooks: all but the stubs that live in code, unless they were overridden. Stubs that are switched
  /// off are there too, so that "why" can name them. `file:` bodies still name their files.
  package func stubSet(unmatched: StubSet.Unmatched = .pass, holdAll: Action.HoldPoint? = nil) -> StubSet {
    let sent = entries.filter { !$0.origin.isCode || $0.isOverride }
    return StubSet(revision: revision, stubs: sent.map(\.stub), unmatched: unmatched, holdAll: holdAll)
  }
}

extension StubBoard.Entry {
  /// A stub of code that was edited in more than its switch.
  package var isOverride: Bool {
    guard origin.isCode, var baseline else { return false }
    baseline.enabled = stub.enabled
    return baseline != stub
  }
}

extension Action {
  /// The paths of its `file:` bodies.
  package var bodyFiles: [String] {
    switch self {
    case .respond(let response): response.bodyFile.map { [$0] } ?? []
    case .fail(let fault): fault.after?.response.bodyFile.map { [$0] } ?? []
    case .sequence(let actions, _): actions.flatMap(\.bodyFiles)
    case .pass, .hold, .code: []
    }
  }

  /// The action with bytes in the place of those paths, and the Content-Type that the path tells.
  package func withFiles(_ bodies: [String: Data]) -> Action {
    switch self {
    case .respond(let response): return .respond(response.withFile(bodies))
    case .fail(var fault):
      if let response = fault.after?.response { fault.after?.response = response.withFile(bodies) }
      return .fail(fault)
    case .sequence(let actions, let afterwards):
      return .sequence(actions.map { $0.withFiles(bodies) }, afterwards: afterwards)
    case .pass, .hold, .code: return self
    }
  }
}

extension CannedResponse {
  var bodyFile: String? {
    if case .file(let path) = body { return path }
    return nil
  }

  func withFile(_ bodies: [String: Data]) -> CannedResponse {
    guard let path = bodyFile, let bytes = bodies[path] else { return self }
    var copy = withGuessedType
    copy.body = .data(bytes)
    return copy
  }
}
