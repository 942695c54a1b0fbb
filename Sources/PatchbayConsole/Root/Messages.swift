import PatchbayStubs

/// What others want of the list of requests.
enum RequestsMessage: Sendable {
  /// As a step that can be undone.
  case applyFilter(String)
  case setFilter(String)
  case openFilter
  case sort(by: RequestColumn)
  case setSort(SortOrder)
  case setMarks([Int64], Bool)
  case setDeleted([Int64], Bool)
  case clear(upTo: Int64)
  /// Whole exchange of the selected request, for a purpose.
  case fetchSelected(FetchPurpose)
  /// Lets held requests go on, in this order.
  case release([Int64])
  case changeColumn(RequestColumn, ColumnChange, selected: Int)
  /// It is sent again from here: how it compares is said when it has ended.
  case awaitReplay(of: Int64)
  /// Opens a list of recorded requests; what is not known of them is asked for.
  case list([Int64], title: String, note: String)

  enum ColumnChange: Sendable, Equatable {
    case toggle
    case resize(by: Int)
    /// All columns as they fit.
    case reset
  }
}

/// What others want of the stubs.
enum StubsMessage: Sendable {
  /// Puts an edited stub in force, together with what others changed of it meanwhile; where both changed the same, the
  /// person is asked. A form, which is the uppermost box then, is closed when it is in force.
  case put(Stub, inPlaceOf: Stub, note: String, isForm: Bool)
  /// The answer to that question.
  case settle(StubConflict, keepsMine: Bool)
  /// In the person's own editor, once more with what was written there and could not be read.
  case editExternally(Stub, draft: String?)
  /// What to do with the stubs of an earlier console.
  case kept(KeptAnswer)
}

/// The stubs as other components may know them.
struct StubsSnapshot: Sendable {
  var board = StubBoard()
  var hits = StubHits()
  var unmatched = StubSet.Unmatched.pass
  var holdAll: Action.HoldPoint?
}
