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
      steps = [NamedFault.resolve(stub.then).settled]
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
    guard case .sequence(let inner, _) = action else { return [NamedFault.resolve(action).settled] }
    return inner.flatMap { flattened($0) }
  }
}
