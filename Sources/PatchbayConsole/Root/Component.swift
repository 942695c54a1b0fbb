import PatchbayGrid
import PatchbayInspect
import PatchbayStubs
import PatchbayWire

// The console is a tree of components. Each is a value that owns its state; nobody else reads or writes it.
//
//   ConsoleState                 the root: routes events, folds outcomes; notices, undo, work, layout, header and footer
//   ├─ ConsoleTabs               which tab is shown
//   │  ├─ RequestsTab            the list of requests
//   │  │  ├─ FilterBar           the line in which the filter is typed
//   │  │  └─ DetailPane          the opened request, with a DetailPage for each of its tabs
//   │  └─ StubsTab, TrafficTab, ProcessesTab, OutputTab
//   └─ BoxStack of boxes         what lies over the screen or in its place: menus, help, prompt, forms, compare
//
// A component has
//   - an enum of its own commands (`StubsTabCommand`), over which its `run` switches without a default: a command that
//     nobody handles does not compile. A key is a row in `Binding.table`, a case, and its handler;
//   - mutating functions for what it is told: `run(_ command:)`, `pointer(_:)`, `received(…)` for answers of the runtime;
//   - `draw(on grid:in area:_ context:)`, which changes nothing.
//
// What it may know besides its own state comes as a `ConsoleContext`, for the time of one call. What it wants of others
// it adds to `Outcomes`; the root does them, in order, when the call has returned. A message for another component
// (`.requests(.applyFilter("stub:x"))`) goes that way too. So a component can be read, and tested, alone.
//
// Components are changed in their place: none is taken out of the root, changed and put back, for that would copy their
// arrays (a million ids are 8 MB). For the same reason the list of requests is told of live changes without a context,
// and a context holds no more than values that are small or rarely changed.

/// What a component may know of the rest of the console while it is told something or draws.
struct ConsoleContext {
  /// When the last event happened.
  var now: Timestamp
  /// Of the whole screen.
  var size: Size
  var tab: Tab
  var theme: Theme
  var view: ViewSettings
  /// The pictures that the terminal shows.
  var pictures: Set<Picture.Format> = []
  var setup: ConsoleSetup
  var keys: KeyMap
  /// The contexts in which a key is looked up while no box is open, the innermost first.
  var keyContexts: [KeyContext] = []
  /// The selected request, as far as the list knows it.
  var selected: ExchangeSummary?
  var held = HeldList()
  /// The filter of the list that is in force.
  var filter = ""
  var stubs = StubsSnapshot()
  var links: [LinkRow] = []
  /// What takes long somewhere, how far it is, and how to stop it.
  var work: String?
  /// Rows from the upper one of the notice to the foot, that included.
  var noticeRows = 0
  /// Rows that the tour takes above the footer.
  var tourRows = 0
  /// The uppermost box; nil where there is none.
  var topBox: BoxPlace?

  /// Nothing is open that stands in the way.
  var isFree: Bool { topBox == nil || topBox == .offer }

  /// Everything between header and footer. A notice of several lines takes its own, so that nothing that is listed
  /// lies below it.
  var body: Rect {
    let taken = Toast.takesRows(of: size) ? max(0, noticeRows - 1) : 0
    return Rect(x: 0, y: 1, width: size.width, height: max(0, size.height - 2 - max(tourRows, taken)))
  }
}

/// What a component wants of the runtime, of the root or of another component.
enum Outcome: Sendable {
  case effect(ConsoleEffect)
  case say(Notice, undoable: Bool = false, isAboutHeld: Bool = false)
  /// Takes the notice away; one about a held request only, or any.
  case hush(onlyAboutHeld: Bool)
  case open(any Box)
  /// In the place of the uppermost box.
  case replace(any Box)
  /// Closes the uppermost box.
  case close
  case show(Tab)
  case run(ConsoleCommand)
  /// The key means what it means without the box that was just closed.
  case press(Key)
  /// How things look from now on; kept for the next session where that is said.
  case view(ViewSettings, isKept: Bool = true)
  /// Something was done that can be undone.
  case done(String, UndoLog.Change)
  /// The newest step of the undo list goes on.
  case amendDone(String, UndoLog.Change)
  /// Goes back or forward until that many steps are in force.
  case undo(to: Int)
  /// On the board at once, and then by the runtime.
  case editStubs([StubEdit])
  /// What stands in a prompt, and whether that is the answer or is still being typed.
  case answer(Prompt.Purpose, String, isFinal: Bool)
  /// What is said beside the answer in the prompt that is open.
  case promptNote(String)
  case requests(RequestsMessage)
  case stubs(StubsMessage)
}

/// Outcomes in the order in which they are to be done.
struct Outcomes {
  private var list: [Outcome] = []
  private var tokens = 0

  var isEmpty: Bool { list.isEmpty }

  mutating func add(_ outcome: Outcome) { list.append(outcome) }

  mutating func drain() -> [Outcome] {
    defer { list = [] }
    return list
  }

  /// Names a question to the runtime; no two have the same.
  mutating func newToken() -> Int {
    tokens += 1
    return tokens
  }

  mutating func perform(_ effect: ConsoleEffect) { add(.effect(effect)) }

  mutating func say(_ kind: Notice.Kind, _ text: String, undoable: Bool = false) {
    add(.say(Notice(kind, text), undoable: undoable))
  }

  mutating func open(_ box: any Box) { add(.open(box)) }

  /// Asks for a line of text. What is proposed is selected: enter takes it, typing begins another.
  mutating func ask(_ purpose: Prompt.Purpose, proposing text: String = "") { open(Prompt(purpose, proposing: text)) }

  mutating func close() { add(.close) }

  /// Changes stubs as one step that can be undone.
  mutating func change(stubs edits: [StubEdit], back: [StubEdit], title: String) {
    add(.done(title, .stubs(forward: edits, backward: back)))
    add(.editStubs(edits))
  }
}
