import Foundation

/// An operation that a GraphQL request asks for, with its variables: in a JSON body, in one of `application/graphql`, or in
/// the URL's query. Names are told as `GraphQLOperation` tells them.
struct GraphQLRequest {
  /// Empty where it has none.
  var name: String
  var variables: JSONValue

  /// All that a request asks for, several where its body is a list; none where it is no GraphQL.
  static func all(in request: MatchedRequest) -> [GraphQLRequest] {
    if let json = request.json {
      if case .array(let requests) = json { return requests.compactMap { GraphQLRequest($0) } }
      return GraphQLRequest(json).map { [$0] } ?? []
    }
    let type = request.facts.headers.first(named: "Content-Type")?.lowercased() ?? ""
    if type.hasPrefix("application/graphql"), request.body != nil {
      let document = String(decoding: request.bodyBytes, as: UTF8.self)
      return [GraphQLRequest(name: name(in: document), variables: .object([]))]
    }
    return inQuery(request).map { [$0] } ?? []
  }

  private static func inQuery(_ request: MatchedRequest) -> GraphQLRequest? {
    guard let range = request.url.query else { return nil }
    // A `+` is a space, as in the names that are shown.
    let items = NamedBytes.pairs(request.url.text[range], separator: UInt8(ascii: "&"))
      .map { $0.decoded(plusIsSpace: true) }
    func item(_ name: String) -> String? {
      let wanted = Array(name.utf8)
      return items.first { $0.name == wanted }.map { String(decoding: $0.value, as: UTF8.self) }
    }
    let document = item("query").flatMap { $0.contains("{") ? $0 : nil }
    let isStored = item("extensions")?.contains("persistedQuery") == true
    guard document != nil || item("operationName") != nil || isStored else { return nil }
    let variables = item("variables").flatMap { try? JSONValue(parsing: $0) } ?? .object([])
    return GraphQLRequest(name: item("operationName") ?? document.map(name) ?? "", variables: variables)
  }

  private init(name: String, variables: JSONValue) {
    self.name = name
    self.variables = variables
  }

  private init?(_ request: JSONValue) {
    let document = request["query"]?.text
    let name = request["operationName"]?.text
    guard document != nil || name != nil || request["extensions"]?["persistedQuery"] != nil else { return nil }
    self.name = name ?? document.map(Self.name) ?? ""
    variables = request["variables"] ?? .object([])
  }

  private static func name(in document: String) -> String {
    GraphQLOperation.name(url: "", contentType: "application/graphql", body: Data(document.utf8)) ?? ""
  }
}
