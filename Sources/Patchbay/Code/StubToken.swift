/// A stub in code that can be taken away again. Letting go of the token leaves the stub.
public struct StubToken: Hashable, Sendable {
  let id: UInt64

  /// The name that the stub has in the console and in ``Patchbay/exchanges``.
  public let name: String

  /// Removes the stub. Requests that it took already are answered by it. Later calls do nothing.
  public func remove() {
    let id = id
    Hook.current.director.changeCode { $0.remove(id) }
  }
}
