import PatchbayInspect
import PatchbayStubs
import PatchbayWire

/// What others want of the list of requests.
enum RequestsMessage: Sendable {
  case applyFilter(String)
  case openFilter
  /// Opens the filter with the beginning of one more condition behind it.
  case typeFilter(adding: String)
  case sort(by: RequestColumn)
  case setSort(SortOrder)
  /// Tags and notes as they are from now on.
  case setRemarks([Int64: Remark])
  /// Asks which of the saved filters is to go.
  case forgetFilters
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
  /// Edits that were made before, as far as they can be made on the stubs as they are now; a sentence where none can.
  case apply([StubEdit], otherwise: String?)
  /// What to do with the stubs of an earlier console.
  case kept(KeptReply)
  /// That they are offered again, or decided.
  case offered(KeptStubs, Bool)
  /// A set of stubs off, or on again.
  case pauseSet(StubBoard.Origin, Bool)
  case setUnmatched(StubSet.Unmatched)
}

/// The stubs as other components may know them.
struct StubsSnapshot: Sendable {
  /// Ahead of the runtime's by what was just changed here.
  var board = StubBoard()
  /// The board as the runtime has it, and those of the last revisions, to explain what a request met.
  var confirmed = StubBoard()
  var earlier: [StubBoard] = []
  var hits = StubHits()
  /// The states of scenarios by their names, where they moved.
  var scenarios: [HarnessProcess: [String: String]] = [:]
  /// Names of the faults that were had last, the last first.
  var recentFaults: [String] = []
  var unmatched = StubSet.Unmatched.pass
  var holdAll: Action.HoldPoint?

  /// The board that was in force at a revision, where it is still known.
  func board(revision: UInt64) -> StubBoard? {
    confirmed.revision == revision ? confirmed : earlier.last { $0.revision == revision }
  }
}

/// Values for the filter language.
enum FilterValue {
  /// A value that fits texts that hold it.
  static func containing(_ text: String) -> String { Filter.quotedIfNeeded(text.replacing("*", with: "\\*")) }

  /// A value that fits that whole text only; `{id}` in it fits anything.
  static func whole(_ path: String) -> String {
    if path.contains("{id}") { return Filter.quotedIfNeeded(path.replacing("{id}", with: "*")) }
    let special = Set("\\^$.|?*+()[]{}")
    let escaped = path.reduce(into: "") { $0 += special.contains($1) ? "\\\($1)" : String($1) }
    return Filter.quotedIfNeeded("~^\(escaped)$")
  }
}
