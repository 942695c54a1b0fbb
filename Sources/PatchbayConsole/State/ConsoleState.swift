import PatchbayGrid
import PatchbayInspect
import PatchbayStubs
import PatchbayWire

/// Everything that the console shows. A value without I/O: events go in, effects come out, a frame is drawn from it.
///
/// The runtime calls `start()` once, `update(_:at:)` for each event, does the effects it returns, draws when something
/// may have changed, and wakes it with `.tick` at `nextTick`, if there is one.
package struct ConsoleState: Sendable {
  package internal(set) var size: Size
  package let setup: ConsoleSetup
  /// What the person chose about how things look.
  package internal(set) var view: ViewSettings
  package internal(set) var theme: Theme
  package internal(set) var tab = Tab.requests
  /// When the last event happened.
  package internal(set) var now: Timestamp

  var themeNames: [String] = []
  var keys: KeyMap
  var requests = RequestsState()
  var detail = DetailState()
  var stubs = StubsState()
  var traffic = TrafficState()
  var processes = ProcessesState()
  var output = OutputState()
  /// Boxes over the screen, the uppermost last.
  var overlays: [Overlay] = []
  var toast: Toast?
  var log = UndoLog()
  var rate = RateMeter()
  /// How many exchanges are recorded, and the highest id among them.
  var recorded = 0
  var newest: Int64 = 0
  var held = HeldList()
  var works: [Work] = []
  var lastClick: Click?
  var drag: Drag?
  var tokens = 0
  /// What is open in the person's own editor, by token.
  var editing: [Int: EditorTarget] = [:]
  var effects: [ConsoleEffect] = []
  /// What an earlier console left, until the person has decided.
  var kept: KeptStubs?
  /// Originals of requests that were sent again from here and have not ended.
  var awaitedReplays: Set<Int64> = []
  var lastReplay: (original: Int64, replay: Int64)?
  /// When what stands in the open form is to be kept, and whether some of it is.
  var draftDue: Timestamp?
  var hasDraft = false
  /// When the body of the open form is to be checked, where that takes too long for a key.
  var bodyCheckDue: Timestamp?

  /// Long work that goes on somewhere.
  struct Work: Sendable, Equatable {
    var token: Int
    var title: String
    var share: Double?
  }

  enum EditorTarget: Sendable, Equatable {
    /// A stub on the board, as it was then.
    case stub(Stub)
    /// The body in the form that is open.
    case form
  }

  struct Click: Sendable, Equatable {
    var at: Point
    var when: Timestamp
  }

  enum Drag: Sendable, Equatable {
    case divider
    /// The right edge of a column of the request list, seized so many cells right of it.
    case column(RequestColumn, grip: Int)
  }

  package init(
    size: Size, now: Timestamp, setup: ConsoleSetup = ConsoleSetup(), theme: Theme = .builtIn, keys: KeyMap = KeyMap(),
    view: ViewSettings = ViewSettings()
  ) {
    self.size = size
    self.now = now
    self.setup = setup
    self.theme = theme
    self.keys = keys
    self.view = view
    detail.utcOffset = setup.utcOffset
  }

  /// The effects that begin the session.
  package mutating func start() -> [ConsoleEffect] {
    requests.bar.editor = TextEditor(setup.filter, singleLine: true)
    requests.bar.applied = setup.filter
    runQuery()
    return takeEffects()
  }

  /// The contexts in which a key is looked up, the innermost first. Empty while a box or a prompt takes all keys.
  var contexts: [KeyContext] {
    switch tab {
    case .requests:
      let isHeld = selectedSummary?.isHeld == true
      return (detail.hasKeys ? [.detail] : []) + (isHeld ? [.held] : []) + [.requests, .global]
    case .stubs: return [.stubs, .global]
    case .traffic: return [.traffic, .global]
    case .processes: return [.processes, .global]
    case .output: return [.output, .global]
    }
  }

  mutating func newToken() -> Int {
    tokens += 1
    return tokens
  }

  mutating func takeEffects() -> [ConsoleEffect] {
    defer { effects = [] }
    return effects
  }

  mutating func say(_ kind: Notice.Kind, _ text: String, undoable: Bool = false) {
    let seconds: Int64 = kind == .error || kind == .warning ? 10 : 6
    toast = Toast(
      notice: Notice(kind, text), undoable: undoable,
      expires: Timestamp(microseconds: now.microseconds + seconds * 1_000_000))
  }
}
