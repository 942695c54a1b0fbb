import PatchbayStubs

/// What a console answered.
public struct ControlReply: Hashable, Sendable {
  /// The whole answer, an object.
  public var members: JSONValue

  public subscript(_ name: String) -> JSONValue? { members[name] }

  /// The revision of the stubs that a change has.
  public var revision: Int? { members["revision"]?.integer }

  /// The processes that have not put a change in force within 2 s, as "name pid"; empty is good.
  public var laggards: [String] {
    guard case .array(let names)? = members["laggards"] else { return [] }
    return names.compactMap(\.text)
  }
}
