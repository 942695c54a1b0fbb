import PatchbayStubs
import PatchbayWire

/// Stubs that were just made of requests, and what may still be chosen about them.
struct StubOffer: Sendable, Equatable {
  enum Choice: Sendable, Equatable {
    case ids
    case query
    case body
    case sequence
    case edit
  }

  /// A stub on the board, by its name, and the exchange that it was made of.
  struct Made: Sendable, Equatable {
    var name: String
    var exchange: Exchange
  }

  var made: [Made]
  var choices = PatternChoices()

  var hasIDs: Bool { requests.contains { PatternChoices.wildcardPath(StubProposal.endpoint($0).path) != nil } }
  var hasQuery: Bool { requests.contains { !PatternChoices.query(of: $0.url).isEmpty } }
  var hasBody: Bool { requests.contains { PatternChoices.bodyPattern(of: $0) != nil } }

  private var requests: [RecordedRequest] { made.map(\.exchange.request) }

  /// What can be chosen, with its key; the offer is a menu that does not stand in the way.
  var menu: Menu {
    let first = made.first?.exchange.request ?? RecordedRequest(method: "", url: "")
    let path = StubProposal.endpoint(first).path
    var items: [Menu.Item] = []
    if hasIDs {
      let detail =
        switch choices.ids {
        case .exact: PatternChoices.wildcardPath(path) ?? "any"
        case .wildcard: PatternChoices.wildcardPath(path) ?? "any"
        case .segment: PatternChoices.segmentPath(path).map { "~\($0)" } ?? "any"
        }
      items.append(Menu.Item("i", "For every id", detail: detail, isOn: choices.ids != .exact, .refine(.ids)))
    }
    if hasQuery {
      let query = PatternChoices.query(of: first.url).map { "\($0.name)=\($0.value)" }.joined(separator: "&")
      items.append(Menu.Item("w", "With its query only", detail: query, isOn: choices.query, .refine(.query)))
    }
    if hasBody {
      items.append(Menu.Item("b", "With its body only", isOn: choices.body, .refine(.body)))
    }
    if made.count > 1 { items.append(Menu.Item("S", "One stub that answers in turn instead", .refine(.sequence))) }
    if made.count == 1 { items.append(Menu.Item("e", "Edit it", .refine(.edit))) }
    var menu = Menu(
      title: made.count == 1 ? "New stub" : "\(Wording.count(made.count)) new stubs", items: items,
      note: "in force; any other key goes on"
    )
    menu.isOffer = true
    menu.stubs = self
    return menu
  }
}
