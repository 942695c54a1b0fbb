/// The places in JSON bodies at which stubs want a certain scalar, as one tree, so that a body is walked once whatever
/// their number.
struct JSONKeyTree: Sendable {
  private struct Node: Sendable {
    /// By the member's name. Of an array, by the element's place too (JSON Pointers).
    var members: [String: Int] = [:]
    var places: [(index: Int, node: Int)] = []
    /// Any element of an array.
    var element: Int?
    var isWanted = false
  }

  private var nodes = [Node()]

  /// The keys of all scalars in a value that must be found as a subset; the tree grows by their places.
  mutating func keys(of wanted: JSONValue, at node: Int = 0, into keys: inout [IndexKey]) {
    switch wanted {
    case .object(let members):
      // Of a name that repeats the last value counts.
      let last = Dictionary(members.map { ($0.name, $0.value) }, uniquingKeysWith: { _, last in last })
      for (name, value) in last { self.keys(of: value, at: child(node, name), into: &keys) }
    case .array(let elements):
      for element in elements { self.keys(of: element, at: self.element(of: node), into: &keys) }
    default:
      nodes[node].isWanted = true
      if let key = IndexKey.json(node: node, wanted) { keys.append(key) }
    }
  }

  /// The keys of a value that must stand at a JSON Pointer.
  mutating func keys(of wanted: JSONValue, pointer: String, into keys: inout [IndexKey]) {
    guard let parts = JSONValue.parts(ofPointer: pointer) else { return }
    var node = 0
    for part in parts { node = child(node, part) }
    self.keys(of: wanted, at: node, into: &keys)
  }

  private mutating func child(_ node: Int, _ name: String) -> Int {
    if let child = nodes[node].members[name] { return child }
    nodes.append(Node())
    nodes[node].members[name] = nodes.count - 1
    if let index = Int(name), String(index) == name { nodes[node].places.append((index, nodes.count - 1)) }
    return nodes.count - 1
  }

  private mutating func element(of node: Int) -> Int {
    if let child = nodes[node].element { return child }
    nodes.append(Node())
    nodes[node].element = nodes.count - 1
    return nodes.count - 1
  }

  /// Calls for each scalar of the body at a place that is wanted.
  func visit(_ body: JSONValue, at node: Int = 0, _ found: (IndexKey) -> Void) {
    switch body {
    case .object(let members):
      guard !nodes[node].members.isEmpty else { return }
      for member in members {
        if let child = nodes[node].members[member.name] { visit(member.value, at: child, found) }
      }
    case .array(let elements):
      if let child = nodes[node].element { for element in elements { visit(element, at: child, found) } }
      for (index, child) in nodes[node].places where elements.indices.contains(index) {
        visit(elements[index], at: child, found)
      }
    default:
      if nodes[node].isWanted, let key = IndexKey.json(node: node, body) { found(key) }
    }
  }
}
