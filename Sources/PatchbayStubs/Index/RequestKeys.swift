/// Which keys are worth looking for in a request, and the request's keys.
struct RequestKeys: Sendable {
  private var places: Set<IndexKey.Place> = []
  private var names: [IndexKey.Place: Set<Int>] = [:]
  /// Names of which parts of the value are looked for.
  private var parted: [IndexKey.Place: Set<Int>] = [:]
  private var grams = Grams()
  private let tree: JSONKeyTree
  private let variables: JSONKeyTree

  init(_ keys: some Sequence<IndexKey>, _ collector: KeyCollector) {
    tree = collector.tree
    variables = collector.variables
    for key in keys {
      places.insert(key.place)
      names[key.place, default: []].insert(key.name)
      guard key.kind == .gram else { continue }
      parted[key.place, default: []].insert(key.name)
      grams.insert(UInt32(truncatingIfNeeded: key.value))
    }
  }

  /// The keys of all but the body. Some may come twice.
  func visitHead(_ request: MatchedRequest, _ found: (IndexKey) -> Void) {
    if places.contains(.host) { visitHost(request, found) }
    if places.contains(.path) { visit(.path, encoded: request.url.text[request.url.path], found) }
    if places.contains(.url) { visit(.url, encoded: request.url.text[...], found) }
    if places.contains(.query) { visit(.query, request.queryItems, found) }
    if places.contains(.header) { visitHeaders(request.facts.headers, found) }
  }

  /// The keys of the body. Some may come twice.
  func visitBody(_ request: MatchedRequest, _ found: (IndexKey) -> Void) {
    if places.contains(.body) { visit(.body, 0, value: request.bodyBytes, found) }
    if places.contains(.form) { visit(.form, request.formFields, found) }
    if places.contains(.multipart) { visit(.multipart, request.multipartParts, found) }
    if places.contains(.json), let json = request.json { tree.visit(json, found) }
    guard places.contains(.graphql) || places.contains(.variables) else { return }
    for operation in request.graphqlOperations {
      if places.contains(.graphql) { visit(.graphql, 0, value: Array(operation.name.utf8), found) }
      if places.contains(.variables) { variables.visit(operation.variables, found) }
    }
  }

  /// In each spelling in which it is compared.
  private func visitHost(_ request: MatchedRequest, _ found: (IndexKey) -> Void) {
    let ascii = Array(request.url.text[request.url.host])
    visit(.host, 0, value: ascii, found)
    guard parted[.host] != nil, ascii.contains(UInt8(ascii: "-")) else { return }
    let text = String(decoding: ascii, as: UTF8.self)
    if text.contains("xn--") { visit(.host, 0, value: Array(HostName.unicode(text).utf8), found) }
  }

  /// Regular expressions are tried on the decoded text too.
  private func visit(_ place: IndexKey.Place, encoded: ArraySlice<UInt8>, _ found: (IndexKey) -> Void) {
    visit(place, 0, value: Array(encoded), found)
    guard encoded.contains(UInt8(ascii: "%")) else { return }
    visit(place, 0, value: PercentEncoding.decode(encoded), found)
  }

  private func visit(_ place: IndexKey.Place, _ values: [NamedBytes], _ found: (IndexKey) -> Void) {
    guard let known = names[place] else { return }
    for value in values {
      let name = IndexKey.number(value.name[...])
      if known.contains(name) { visit(place, name, value: value.value, found) }
    }
  }

  /// Each field, and all of a name joined, as patterns compare them.
  private func visitHeaders(_ headers: [HeaderField], _ found: (IndexKey) -> Void) {
    guard let known = names[.header] else { return }
    var seen: [Int: Int] = [:]
    for field in headers {
      let name = IndexKey.folded(field.name)
      guard known.contains(name) else { continue }
      visit(.header, name, value: Array(field.value.utf8), found)
      seen[name, default: 0] += 1
      if seen[name] == 2 {
        let joined = headers.all(named: field.name).joined(separator: ", ")
        visit(.header, name, value: Array(joined.utf8), found)
      }
    }
  }

  private func visit(_ place: IndexKey.Place, _ name: Int, value: [UInt8], _ found: (IndexKey) -> Void) {
    found(.named(place, name))
    found(.value(place, name, value[...]))
    guard parted[place]?.contains(name) == true else { return }
    value.withUnsafeBufferPointer { text in
      grams.visit(text) { found(.gram(place, name, $0)) }
    }
  }
}

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
  private let place: IndexKey.Place

  init(_ place: IndexKey.Place) { self.place = place }

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
      if let key = IndexKey.json(place, node: node, wanted) { keys.append(key) }
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
      if nodes[node].isWanted, let key = IndexKey.json(place, node: node, body) { found(key) }
    }
  }
}
