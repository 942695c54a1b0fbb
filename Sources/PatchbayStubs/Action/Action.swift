/// What is done with a request that a stub took.
public indirect enum Action: Hashable, Sendable {
  /// Answer in the place of the network.
  case respond(CannedResponse)
  /// Make it fail.
  case fail(Fault)
  /// Let it go to the network, perhaps slowed or with the answer patched.
  case pass(PassChanges)
  /// Stop it until the person has decided. A hold does not answer: afterwards the request goes on down the list.
  case hold(HoldPoint)
  /// One action after the other, a step for each request.
  case sequence([Action], afterwards: Afterwards)
  /// Code of the program itself answers: a closure, or a predicate. Only stubs declared in code have it; whoever has not
  /// got the code lets the request pass.
  case code

  /// What a sequence does when it is used up.
  public enum Afterwards: String, Hashable, Sendable, CaseIterable {
    case `repeat`
    case last
    case pass
  }

  /// Where an exchange is held.
  public enum HoldPoint: String, Hashable, Sendable, CaseIterable {
    case request
    case response
    case both

    package var holdsRequest: Bool { self != .response }
    package var holdsResponse: Bool { self != .request }
  }
}
