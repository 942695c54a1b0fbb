import PatchbayGrid
import PatchbayInspect
import PatchbayStubs
import PatchbayWire

/// The tabs of an opened request.
enum DetailTab: Int, CaseIterable, Sendable {
  case response, request, timing, why

  var title: String {
    switch self {
    case .response: "Response"
    case .request: "Request"
    case .timing: "Timing"
    case .why: "Why"
    }
  }
}

/// The line above an opened request: its tabs, and at the right what is to be said of the one that is shown.
struct DetailHead {
  let tab: DetailTab
  let page: DetailPage
  let exchange: Exchange?
  let hasKeys: Bool

  /// The tab that stands at a place of the head.
  static func tab(at point: Point, in head: Rect) -> DetailTab? {
    places(head).first { point.x >= $0.x && point.x < $0.x + textWidth($0.label) }?.tab
  }

  private static func places(_ head: Rect) -> [(tab: DetailTab, x: Int, label: String)] {
    var x = head.x + 2
    return DetailTab.allCases.map { tab in
      let label = " \(tab.title) "
      defer { x += textWidth(label) + 1 }
      return (tab, x, label)
    }
  }

  func draw(on grid: inout Grid, in head: Rect, _ theme: Theme) {
    grid.rule(at: head.origin, width: head.width, style: theme[.line])
    var end = head.x
    for place in Self.places(head) {
      let isShown = place.tab == tab
      let style = theme[isShown ? (hasKeys ? .tabActive : .selectionIdle) : .dim]
      end = place.x + grid.put(place.label, at: Point(x: place.x, y: head.y), style: isShown ? style.bold : style)
    }
    let summary = summary
    let width = textWidth(summary.text)
    guard width > 0, width + 4 < head.maxX - end else { return }
    grid.put(" \(summary.text) ", at: Point(x: head.maxX - width - 4, y: head.y), style: theme[summary.role])
  }

  /// At the right of the tabs: status, kind, size; or where a search is.
  private var summary: (text: String, role: ThemeRole) {
    if !page.search.text.isEmpty { return ("“\(shown(page.search.text))” \(page.search.note)", .match) }
    guard let exchange else { return ("", .dim) }
    switch tab {
    case .response:
      let look = OutcomeLook(exchange.summary)
      guard let response = exchange.response else { return ("\(look.sign) \(look.text)", look.role) }
      let name = HTTPStatus.phrase(response.status)
      let size = exchange.responsePart.size
      let kind = page.body.map { "\($0.label) · " } ?? ""
      return (
        "\(response.status)\(name.isEmpty ? "" : " \(name)") · \(kind)\(size)",
        OutcomeLook(status: response.status).role
      )
    case .request:
      let request = exchange.shownRequest
      guard let body = request.body else { return (shown(request.method), .dim) }
      let size = RecordedPart(body, isCut: request.truncated, of: exchange.bytesSent).size
      return ("\(page.body.map { "\($0.label) · " } ?? "")\(size)", .dim)
    case .timing: return (exchange.timing.end.map(Wording.duration) ?? "", .dim)
    case .why: return (exchange.wasBeforeStubs ? "before its stubs" : "revision \(exchange.revision)", .dim)
    }
  }
}
