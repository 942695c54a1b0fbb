/// Everything that can be done with a key or from the palette: whose it is, and which of its commands.
///
/// Each component has an enum of its own commands and switches over all of them, so that a command without a handler
/// does not compile. The raw values are the names in the config file; one name may be a command of several components.
package enum ConsoleCommand: Sendable, Hashable {
  case global(GlobalCommand)
  /// Moves in whatever list or text has the keys.
  case move(MoveCommand)
  case requests(RequestsCommand)
  case detail(DetailCommand)
  case held(HeldCommand)
  case stubs(StubsTabCommand)
  case traffic(TrafficCommand)
  case processes(ProcessesCommand)
  case output(OutputCommand)
  case form(FormCommand)

  /// What it is called in the config file, without its context.
  package var name: String {
    switch self {
    case .global(let command): command.rawValue
    case .move(let command): command.rawValue
    case .requests(let command): command.rawValue
    case .detail(let command): command.rawValue
    case .held(let command): command.rawValue
    case .stubs(let command): command.rawValue
    case .traffic(let command): command.rawValue
    case .processes(let command): command.rawValue
    case .output(let command): command.rawValue
    case .form(let command): command.rawValue
    }
  }

  /// Where its keys count.
  package var context: KeyContext {
    switch self {
    case .global, .move: .global
    case .requests: .requests
    case .detail: .detail
    case .held: .held
    case .stubs: .stubs
    case .traffic: .traffic
    case .processes: .processes
    case .output: .output
    case .form: .form
    }
  }
}

extension ConsoleCommand {
  /// Whether it is about the request under the cursor.
  var isAboutRow: Bool {
    switch self {
    case .held, .detail: true
    case .move(let command): command == .up || command == .down
    case .requests(let command):
      switch command {
      case .open, .switchPane, .mark, .delete, .stubFromRequest, .faults, .editStub, .editExternally, .hold, .replay,
        .replayEdited, .copy, .compare, .nextDetailTab, .previousDetailTab, .nextFailed, .previousFailed:
        true
      default: false
      }
    default: false
    }
  }
}

/// What can be done on every screen.
package enum GlobalCommand: String, CaseIterable, Sendable {
  case quit
  case interrupt
  case suspend
  case help
  case palette
  case showRequests = "show-requests"
  case showStubs = "show-stubs"
  case showTraffic = "show-traffic"
  case showProcesses = "show-processes"
  case showOutput = "show-output"
  case nextTab = "next-tab"
  case previousTab = "previous-tab"
  case undo
  case redo
  case undoList = "undo-list"
  case themes
  case toggleMouse = "toggle-mouse"
  case saveScreen = "save-screen"
  case openFile = "open-file"
  case tour
  case redraw
  case faultsForEverything = "faults-for-everything"
  case pauseStubs = "pause-stubs"
  case holdAll = "hold-all"
  case releaseAll = "release-all"
}

package enum MoveCommand: String, CaseIterable, Sendable {
  case down
  case up
  case pageDown = "page-down"
  case pageUp = "page-up"
  case halfDown = "half-page-down"
  case halfUp = "half-page-up"
  case first
  case last

  /// Rows or lines, for a page of that many.
  func step(page: Int) -> Int {
    switch self {
    case .down: 1
    case .up: -1
    case .pageDown: page
    case .pageUp: -page
    case .halfDown: max(1, page / 2)
    case .halfUp: -max(1, page / 2)
    case .first: -(1 << 40)
    case .last: 1 << 40
    }
  }
}

/// On the list of requests, and on its detail as a whole.
package enum RequestsCommand: String, CaseIterable, Sendable {
  case open
  case close
  case switchPane = "switch-pane"
  case filter
  case clearFilter = "clear-filter"
  case filterByValue = "filter-by-value"
  case filterOutValue = "filter-out-value"
  case savedFilters = "saved-filters"
  case tag
  case note
  case saveBody = "save-body"
  case viewBody = "view-body"
  case nextFailed = "next-failed"
  case previousFailed = "previous-failed"
  case nextHeld = "next-held"
  case mark
  case unmarkAll = "unmark-all"
  case sort
  case reverseSort = "reverse-sort"
  case columns
  case follow
  case pause
  case clear
  case delete
  case stubFromRequest = "stub-from-request"
  case sequenceFromMarked = "sequence-from-marked"
  case faults
  case editStub = "edit-stub"
  case editExternally = "edit-in-editor"
  case hold
  case replay
  case replayEdited = "replay-edited"
  case copy
  case compare
  case splitDirection = "split-direction"
  case growList = "grow-list"
  case shrinkList = "shrink-list"
  case nextDetailTab = "next-detail-tab"
  case previousDetailTab = "previous-detail-tab"
  case exportRequests = "export"
  case importRequests = "import"
  case releaseFiltered = "release-filtered"
}

/// In the text of an opened request.
package enum DetailCommand: String, CaseIterable, Sendable {
  case search
  case nextMatch = "next-match"
  case previousMatch = "previous-match"
  case fold
  case foldAll = "fold-all"
  case unfoldLevel = "unfold-level"
  case unfoldAll = "unfold-all"
  case wrap
  case lineNumbers = "line-numbers"
  case goToLine = "go-to-line"
  case editValue = "edit-value"
  case rawBody = "raw-body"
}

/// On a request that is held.
package enum HeldCommand: String, CaseIterable, Sendable {
  case continueHeld = "continue-held"
  case editHeld = "edit-held"
  case respondHeld = "respond-held"
  case respondWithStub = "respond-with-stub"
  case failHeld = "fail-held"
  case dropHeld = "drop-held"
}

package enum StubsTabCommand: String, CaseIterable, Sendable {
  case toggleStub = "toggle-stub"
  case addStub = "add-stub"
  case editStub = "edit-stub"
  case editExternally = "edit-in-editor"
  case moveStubDown = "move-stub-down"
  case moveStubUp = "move-stub-up"
  case delete
  case duplicateStub = "duplicate-stub"
  case writeStubs = "write-stubs"
  case loadStubs = "load-stubs"
  case findStubs = "find-stubs"
  case clearFilter = "list-all-stubs"
  case mark = "mark-stub"
  case toggleSet = "toggle-set"
  case setUnmatched = "unmatched"
  case bringBackStubs = "bring-back-stubs"
  case revertStub = "revert-stub"
  case resetCounts = "reset-counts"
  case setScenario = "set-scenario"
  case copy
  case filter
}

package enum TrafficCommand: String, CaseIterable, Sendable {
  case open
  case fold
  case groupTraffic = "group-traffic"
  case detail
  case sort
  case reverseSort = "reverse-sort"
  case filter
}

package enum ProcessesCommand: String, CaseIterable, Sendable {
  case open
  case degree
  case attach
}

package enum OutputCommand: String, CaseIterable, Sendable {
  case sendInput = "send-input"
  case search
  case nextMatch = "next-match"
  case previousMatch = "previous-match"
  case follow
  case wrap
}

/// In forms and editors.
package enum FormCommand: String, CaseIterable, Sendable {
  case save
  case cancel
  case nextField = "next-field"
  case previousField = "previous-field"
  case goToBody = "go-to-body"
  case format
  case searchText = "search-text"
  case replaceText = "replace-text"
  case editorUndo = "editor-undo"
  case editorRedo = "editor-redo"
  case editorCut = "editor-cut"
  case editorCopy = "editor-copy"
  case editorPaste = "editor-paste"
  case selectAll = "select-all"
  case editExternally = "edit-in-editor"
  case showMatches = "show-matches"
  case addStep = "add-step"
  case removeStep = "remove-step"
  case moveStepEarlier = "move-step-earlier"
}
