/// Everything that can be done with a key or from the palette. The raw value is its name in the config file.
public enum Command: String, CaseIterable, Sendable {
  // Everywhere
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
  case redraw
  case faultsForEverything = "faults-for-everything"
  case holdAll = "hold-all"
  case releaseAll = "release-all"
  case releaseFiltered = "release-filtered"
  case exportRequests = "export"
  case importRequests = "import"
  // Moving in whatever list or text has the keys
  case down
  case up
  case pageDown = "page-down"
  case pageUp = "page-up"
  case halfDown = "half-page-down"
  case halfUp = "half-page-up"
  case first
  case last
  case open
  case close
  case switchPane = "switch-pane"
  // Requests
  case filter
  case clearFilter = "clear-filter"
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
  // Detail
  case nextDetailTab = "next-detail-tab"
  case previousDetailTab = "previous-detail-tab"
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
  case rawBody = "raw-body"
  // Held
  case continueHeld = "continue-held"
  case editHeld = "edit-held"
  case respondHeld = "respond-held"
  case respondWithStub = "respond-with-stub"
  case failHeld = "fail-held"
  case dropHeld = "drop-held"
  // Stubs
  case toggleStub = "toggle-stub"
  case addStub = "add-stub"
  case duplicateStub = "duplicate-stub"
  case moveStubDown = "move-stub-down"
  case moveStubUp = "move-stub-up"
  case writeStubs = "write-stubs"
  case bringBackStubs = "bring-back-stubs"
  case revertStub = "revert-stub"
  case resetCounts = "reset-counts"
  // Traffic, processes, output
  case groupTraffic = "group-traffic"
  case degree
  case sendInput = "send-input"
  // Forms
  case save
  case cancel
  case nextField = "next-field"
  case previousField = "previous-field"
  case format
  case searchText = "search-text"
  case replaceText = "replace-text"
  case editorUndo = "editor-undo"
  case editorRedo = "editor-redo"
  case editorCut = "editor-cut"
  case editorCopy = "editor-copy"
  case editorPaste = "editor-paste"
  case selectAll = "select-all"
  case showMatches = "show-matches"
  case addStep = "add-step"
  case removeStep = "remove-step"
  case moveStepEarlier = "move-step-earlier"
}
