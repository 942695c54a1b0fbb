import Synchronization

/// The hook once more, as a class that only one scope's sessions carry. Foundation tells a protocol class nothing of
/// the session, so the class itself is the mark; the type parameter makes as many classes as are needed.
final class ScopedURLProtocol<Number>: PatchbayURLProtocol {
  override class var scope: SessionScope.Mark? { SessionScope.Mark(type: ObjectIdentifier(self)) }
}

/// Hands out a class to each scope that is open. Those of closed scopes are used again, the longest closed first and
/// not soon, for a closed scope's sessions may still be at work.
enum ScopeClasses {
  private struct State {
    var free: [Int] = []
    var count = 0
  }

  private static let state = Mutex(State())
  /// How many classes rest before one is used again.
  private static let rest = 256

  static func take() -> (number: Int, type: PatchbayURLProtocol.Type) {
    let number = state.withLock { state in
      if state.free.count > rest { return state.free.removeFirst() }
      state.count += 1
      return state.count
    }
    return (number, type(of: number))
  }

  static func giveBack(_ number: Int) {
    state.withLock { $0.free.append(number) }
  }

  private enum Zero<Rest> {}
  private enum One<Rest> {}

  /// The class whose type parameter spells the number in binary. The same number gives the same class.
  private static func type(of number: Int) -> PatchbayURLProtocol.Type {
    var spelled: any Any.Type = Void.self
    var rest = number
    while rest > 0 {
      func zero<Rest>(_: Rest.Type) -> any Any.Type { Zero<Rest>.self }
      func one<Rest>(_: Rest.Type) -> any Any.Type { One<Rest>.self }
      spelled = rest & 1 == 0 ? _openExistential(spelled, do: zero) : _openExistential(spelled, do: one)
      rest >>= 1
    }
    func scoped<Number>(_: Number.Type) -> PatchbayURLProtocol.Type { ScopedURLProtocol<Number>.self }
    return _openExistential(spelled, do: scoped)
  }
}
