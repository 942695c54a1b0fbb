import PatchbayInspect
import PatchbayWire

/// The list of requests: which, in which order, where one is.
struct RequestsState: Sendable {
  var query = ExchangeQuery(token: 0)
  var order = RowOrder()
  /// The rows of a new query while its first batch is awaited; the old ones are shown until then.
  var incoming: RowOrder?
  /// More batches will come.
  var isSearching = false
  var cache = SummaryCache()
  /// Summaries that were asked for.
  var asked: Set<Int64> = []
  var scroll = ListScroll()
  /// How wide what was seen of the columns is at most, since the filter was changed.
  var wants: [RequestColumn: Int] = [:]
  /// The selection stays on the newest.
  var follows = true
  /// A menu or a form about the selected request is open: the selection stays on it meanwhile.
  var isPinned = false
  /// Live rows that wait while the list is kept still; nil when it is not.
  var paused: [Int64]?
  var bar = FilterBar()
  /// Marked in this session or seen with a mark, in that order.
  var marks: [Int64] = []
  /// Rows that came while sorted, to be put into their places.
  var isStale = false
  /// The first row is to be selected when the next rows come.
  var goesToTop = false
  var searchBegan = Timestamp(microseconds: 0)
  /// Not before then, for it took long the last time.
  var sortAgainAt = Timestamp(microseconds: 0)
  /// Going to the next failed row needs summaries that are on their way.
  var hunt: Hunt?

  struct Hunt: Sendable, Equatable {
    var from: Int
    var step: Int
  }

  var selectedID: Int64? {
    scroll.selected >= 0 && scroll.selected < order.count ? order[scroll.selected] : nil
  }

  var keepsToNewest: Bool { follows && !isPinned }

  var isPaused: Bool { paused != nil }
}
