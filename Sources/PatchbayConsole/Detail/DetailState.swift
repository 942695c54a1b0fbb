import Foundation
import PatchbayInspect
import PatchbayStubs
import PatchbayWire

/// The opened request.
struct DetailState: Sendable {
  var isOpen = false
  /// The detail has the keys, not the list.
  var hasFocus = false
  /// The list followed the newest request when the detail was opened, and the person has not moved since.
  var resumesFollowing = false
  var tab = DetailTab.response
  /// Which exchange is shown; the runtime was asked for it.
  private(set) var id: Int64?
  private(set) var exchange: Exchange?
  /// It is no longer recorded.
  private(set) var isGone = false
  var raw = false
  /// Seconds east of UTC.
  var utcOffset = 0
  var response = DetailPage()
  var request = DetailPage()
  var timing = DetailPage()
  var why = DetailPage()
  /// The same request before and after, itself included, oldest first; nil until it was asked for.
  var retries: [ExchangeSummary]?
  private var asksForRetries = true
  private var shownBody: [DetailTab: Data] = [:]

  var hasKeys: Bool { isOpen && hasFocus }

  var page: DetailPage {
    get {
      switch tab {
      case .response: response
      case .request: request
      case .timing: timing
      case .why: why
      }
    }
    set {
      switch tab {
      case .response: response = newValue
      case .request: request = newValue
      case .timing: timing = newValue
      case .why: why = newValue
      }
    }
  }

  /// Another exchange is to be shown, or none.
  mutating func show(_ id: Int64?) {
    self.id = id
    exchange = nil
    isGone = false
    retries = nil
    asksForRetries = true
    shownBody = [:]
    response = DetailPage()
    request = DetailPage()
    timing = DetailPage()
    why = DetailPage()
  }

  mutating func take(_ exchange: Exchange?, id: Int64, board: StubsState, view: ViewSettings) {
    guard id == self.id else { return }
    guard let exchange else {
      isGone = self.exchange == nil
      return
    }
    self.exchange = exchange
    rebuild(board: board)
  }

  /// A live change of the row; the whole exchange follows from the runtime.
  mutating func take(_ summary: ExchangeSummary) {
    exchange?.marked = summary.marked
  }

  /// Whose retries are to be asked for now; nil where that was done.
  mutating func wantsRetries() -> Int64? {
    guard asksForRetries, exchange != nil else { return nil }
    asksForRetries = false
    return id
  }

  /// The same request came again, or one of them changed.
  mutating func noteRetry(_ summary: ExchangeSummary) {
    guard let retries, retries.last.map({ summary.id <= $0.id }) ?? true || retries.count < 20, let exchange,
      summary.method == exchange.request.method,
      summary.url == exchange.request.url, summary.process == exchange.process
    else { return }
    asksForRetries = true
  }

  mutating func retime() {
    guard let exchange else { return }
    timing.head = DetailPages.timing(of: exchange) + DetailPages.retries(retries ?? [], of: exchange.id, utcOffset)
  }

  mutating func rebuild(board: StubsState) {
    guard let exchange else { return }
    fill(
      \.response, .response, DetailPages.response(of: exchange), exchange.response?.body,
      exchange.response?.headers.first(named: "Content-Type"))
    fill(
      \.request, .request, DetailPages.request(of: exchange), exchange.request.body,
      exchange.request.headers.first(named: "Content-Type"))
    retime()
    why.head = DetailPages.why(of: exchange, board: board)
  }

  mutating func toggleRaw(board: StubsState) {
    raw.toggle()
    shownBody = [:]
    rebuild(board: board)
  }

  private mutating func fill(
    _ page: WritableKeyPath<DetailState, DetailPage>, _ tab: DetailTab, _ head: DetailPages.Head, _ body: Data?,
    _ type: String?
  ) {
    let isFirst = self[keyPath: page].head.isEmpty
    self[keyPath: page].head = head.lines
    self[keyPath: page].fields = head.fields
    self[keyPath: page].fieldsName = head.name
    if isFirst { self[keyPath: page].foldsFields = head.folds }
    if head.fields.count <= 1 { self[keyPath: page].foldsFields = false }
    guard shownBody[tab] != body || (body == nil) != (self[keyPath: page].body == nil) else { return }
    shownBody[tab] = body
    self[keyPath: page].body = body.flatMap { $0.isEmpty ? nil : BodyPane($0, contentType: type, raw: raw) }
    let count = self[keyPath: page].count
    self[keyPath: page].cursor = min(self[keyPath: page].cursor, max(0, count - 1))
  }
}
