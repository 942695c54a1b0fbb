import PatchbayGrid
import PatchbayInspect
import PatchbayStubs
import PatchbayWire

/// Everything that the console shows: the root of the components (see `Component.swift`). A value without I/O: events
/// go in, effects come out, a frame is drawn from it.
///
/// The runtime calls `start()` once, `update(_:at:)` for each event, does the effects it returns, draws when something
/// may have changed, and wakes it with `.tick` at `nextTick`, if there is one.
package struct ConsoleState: Sendable {
  package private(set) var size: Size
  package let setup: ConsoleSetup
  /// What the person chose about how things look.
  package private(set) var view: ViewSettings
  package private(set) var theme: Theme
  package private(set) var tab = Tab.requests
  /// When the last event happened.
  package private(set) var now: Timestamp

  let keys: KeyMap
  private(set) var requests: RequestsTab
  private(set) var stubs = StubsTab()
  private(set) var traffic = TrafficTab()
  private(set) var processes = ProcessesTab()
  private(set) var output = OutputTab()
  /// The uppermost last.
  var boxes: [any Box] = []
  private(set) var toast: Toast?
  private(set) var log = UndoLog()
  private(set) var rate = RateMeter()
  private(set) var works: [Work] = []
  private var themeNames: [String] = []
  private var lastClick: (at: Point, when: Timestamp)?
  private var effects: [ConsoleEffect] = []
  /// What components want and is not done yet.
  private var pending = Outcomes()

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
    requests = RequestsTab(filter: setup.filter)
  }

  /// The effects that begin the session.
  package mutating func start() -> [ConsoleEffect] {
    requests.search(context, &pending)
    fold()
    return takeEffects()
  }

  /// Takes in one event and says what is to be done.
  package mutating func update(_ event: ConsoleEvent, at now: Timestamp) -> [ConsoleEffect] {
    self.now = now
    rate.advance(to: now)
    if let toast, toast.expires <= now { self.toast = nil }
    handle(event)
    fold()
    settle()
    fold()
    return takeEffects()
  }

  /// When the state wants a `.tick`, for what it shows depends on time; nil: never, until something happens.
  package var nextTick: Timestamp? {
    let second = now.microseconds / 1_000_000 * 1_000_000
    var moments: [Int64?] = boxes.map(\.nextTick) + [toast?.expires.microseconds]
    if tab == .requests { moments.append(requests.nextTick(in: context.body, context)) }
    if !rate.isIdle || tab == .traffic && traffic.isStale { moments.append(second + 1_000_000) }
    return moments.compactMap { $0 }.min().map { Timestamp(microseconds: max($0, now.microseconds + 1_000)) }
  }

  /// What components may know.
  var context: ConsoleContext {
    var context = ConsoleContext(
      now: now, size: size, tab: tab, theme: theme, view: view, setup: setup, keys: keys, keyContexts: keyContexts)
    context.selected = requests.selected
    context.held = requests.recorded.held
    context.filter = requests.bar.applied
    context.stubs = stubs.snapshot
    context.links = processes.links
    context.work = works.last?.text
    context.noticeRows = toast?.lines(in: size).count ?? 0
    context.topBox = boxes.last.map { $0.place == .offer && boxes.count > 1 ? .popup : $0.place }
    return context
  }

  /// The contexts in which a key is looked up while no box is open, the innermost first.
  private var keyContexts: [KeyContext] {
    switch tab {
    case .requests:
      let isHeld = requests.selected?.isHeld == true
      return (requests.detail.hasKeys ? [.detail] : []) + (isHeld ? [.held] : []) + [.requests, .global]
    case .stubs: return [.stubs, .global]
    case .traffic: return [.traffic, .global]
    case .processes: return [.processes, .global]
    case .output: return [.output, .global]
    }
  }

  private mutating func takeEffects() -> [ConsoleEffect] {
    defer { effects = [] }
    return effects
  }

  // MARK: Events

  private mutating func handle(_ event: ConsoleEvent) {
    switch event {
    case .input(let input): handle(input)
    case .resized(let size): self.size = size
    case .exchanges(let changes, let query): received(changes, query: query)
    case .recorded(let count): requests.received(recorded: count)
    case .summaries(let summaries):
      requests.received(summaries, &pending)
      tellBoxes(event)
    case .gone(let ids): requests.received(gone: ids, &pending)
    case .retired(let count, let id): requests.received(retired: count, below: id)
    case .ids(let batch): requests.received(batch, at: now, &pending)
    case .exchange(let id, let exchange): requests.received(exchange, id: id, context)
    case .retries(let id, let summaries): requests.received(retries: summaries, of: id, context)
    case .fetched(let exchanges, let purpose):
      requests.received(exchanges, for: purpose, context, &pending)
      tellBoxes(event)
    case .compared(let page, let exchanges, let purpose):
      requests.received(page, of: exchanges, for: purpose, context, &pending)
    case .imported(let report):
      requests.received(report, context, &pending)
      if !report.ids.isEmpty { traffic.noteChange(isShown: true) }
    case .board(let board, let by):
      stubs.received(board, by: by, &pending)
      requests.stubsChanged(context)
    case .switches(let unmatched, let holdAll): stubs.received(unmatched: unmatched, holdAll: holdAll)
    case .progress(let process, let progress): stubs.received(progress, of: process)
    case .kept(let found): stubs.received(found, context, &pending)
    case .editorReturned(let token, let result):
      stubs.received(result, token: token, context, &pending)
      tellBoxes(event)
    case .links(let links): processes.received(links)
    case .output(let lines, let skipped): output.add(lines, skipped: skipped)
    case .commandEnded(let sentence):
      output.commandEnded(sentence)
      pending.say(.info, sentence)
    case .traffic(let token, let report): traffic.received(report, token: token)
    case .preview, .swatches, .pathCompletions: tellBoxes(event)
    case .notice(let notice): pending.say(notice.kind, notice.text)
    case .work(let token, let title, let share): note(Work(token: token, title: title, share: share))
    case .workEnded(let token): works.removeAll { $0.token == token }
    case .theme(let theme):
      self.theme = theme
      view.theme = theme.name
    case .themes(let names): themeNames = names
    case .tick:
      tellBoxes(event)
      requests.tick(in: context.body, context, &pending)
      if tab == .traffic { traffic.tick(context, &pending) }
    }
  }

  private mutating func received(_ changes: [ExchangeChange], query: Int) {
    let (fresh, stopped) = requests.received(changes, query: query, &pending)
    if let stopped { requests.announceHeld(stopped, context, &pending) }
    fold()
    if requests.recorded.held.isEmpty, toast?.isAboutHeld == true { toast = nil }
    rate.add(fresh, at: now)
    traffic.noteChange(isShown: tab == .traffic)
  }

  private mutating func tellBoxes(_ event: ConsoleEvent) {
    let context = context
    for place in boxes.indices { boxes[place].update(event, context, &pending) }
  }

  private mutating func note(_ work: Work) {
    if let place = works.firstIndex(where: { $0.token == work.token }) {
      works[place] = work
    } else {
      works.append(work)
    }
  }

  /// After every event: selections within their lists, what is seen asked for.
  private mutating func settle() {
    let context = context
    requests.settle(in: context.body, context, &pending)
    stubs.settle(in: context.body)
    traffic.settle(in: context.body)
    processes.settle(in: context.body)
  }

  // MARK: Input

  private mutating func handle(_ input: InputEvent) {
    switch input {
    case .key(let key): handle(key)
    case .paste:
      if !boxes.isEmpty {
        tellTopBox(input)
      } else if requests.bar.isOpen {
        requests.typed(input, in: context.body, context, &pending)
      }
    case .mouse(let event): handle(event)
    case .focus: break
    }
  }

  private mutating func handle(_ key: Key) {
    // Whatever is open, and however small the screen is.
    if keys.command(for: key, in: [.global]) == .global(.redraw) { return run(.redraw) }
    guard size.fitsConsole else {
      if key == Key("q") || key == .control("c") { effects.append(.quit) }
      return
    }
    if let top = boxes.last {
      return key.modifiers == .alt && !top.takesText ? handleApart(key) : tellTopBox(.key(key))
    }
    if requests.bar.isOpen { return requests.typed(.key(key), in: context.body, context, &pending) }
    if key == .escape, let work = works.last {
      effects.append(.cancelWork(work.token))
    } else if let command = keys.command(for: key, in: keyContexts) {
      run(command)
    } else if key.modifiers == .alt {
      handleApart(key)
    }
  }

  /// A terminal sends alt-x as esc and x: where alt-x means nothing, two quick keys were meant.
  private mutating func handleApart(_ key: Key) {
    handle(.escape)
    fold()
    handle(Key(key.code))
  }

  private mutating func tellTopBox(_ input: InputEvent) {
    guard let place = boxes.indices.last else { return }
    boxes[place].update(.input(input), context, &pending)
  }

  private mutating func handle(_ event: MouseEvent) {
    guard view.mouse else { return }
    let point = event.position
    switch event.kind {
    case .press(.left):
      let isDouble = lastClick.map { $0.at == point && now.microseconds - $0.when.microseconds < 400_000 } ?? false
      lastClick = isDouble ? nil : (point, now)
      if !boxes.isEmpty { return tellTopBox(.mouse(event)) }
      guard point.y > 0 else {
        if let tab = header.tab(at: point.x) { show(tab) }
        return
      }
      tellTab(.press(point, isDouble: isDouble))
    case .drag(.left): requests.pointer(.drag(point), in: context.body, context, &pending)
    case .release: requests.pointer(.release, in: context.body, context, &pending)
    case .wheelDown, .wheelUp:
      if !boxes.isEmpty { return tellTopBox(.mouse(event)) }
      tellTab(.wheel(event.kind == .wheelDown ? 3 : -3, at: point))
    default: break
    }
  }

  private mutating func tellTab(_ pointer: Pointer) {
    let context = context
    switch tab {
    case .requests: requests.pointer(pointer, in: context.body, context, &pending)
    case .stubs: stubs.pointer(pointer, in: context.body, context, &pending)
    case .traffic: traffic.pointer(pointer, in: context.body, context, &pending)
    case .processes: processes.pointer(pointer, in: context.body, &pending)
    case .output: output.pointer(pointer)
    }
  }

  // MARK: Commands

  /// Does what a key or the palette asked for.
  private mutating func run(_ command: ConsoleCommand) {
    let context = context
    switch command {
    case .global(let command): run(command)
    case .move(let command): move(command, context)
    case .requests(let command): requests.run(command, in: context.body, context, &pending)
    case .detail(let command): requests.run(command, in: context.body, context, &pending)
    case .held(let command): requests.run(command, context, &pending)
    case .stubs(let command): stubs.run(command, context, &pending)
    case .traffic(let command): traffic.run(command, context, &pending)
    case .processes(let command): processes.run(command, &pending)
    case .output(let command): output.run(command, context, &pending)
    case .form(let command):
      if let place = boxes.indices.last { boxes[place].run(command, context, &pending) }
    }
  }

  private mutating func run(_ command: GlobalCommand) {
    switch command {
    case .quit: Leaving.askToQuit(context, &pending)
    case .interrupt: Leaving.interrupt(isRunning: output.ended == nil, context, &pending)
    case .suspend: effects.append(.suspend)
    case .help: boxes.append(HelpBox())
    case .palette: boxes.append(PaletteBox())
    case .showRequests: show(.requests)
    case .showStubs: show(.stubs)
    case .showTraffic: show(.traffic)
    case .showProcesses: show(.processes)
    case .showOutput: show(.output)
    case .nextTab: show(Tab(rawValue: (tab.rawValue + 1) % Tab.allCases.count) ?? .requests)
    case .previousTab:
      show(Tab(rawValue: (tab.rawValue + Tab.allCases.count - 1) % Tab.allCases.count) ?? .requests)
    case .undo: log.undo(&pending)
    case .redo: log.redo(&pending)
    case .undoList: log.openMenu(context, &pending)
    case .themes:
      guard !themeNames.isEmpty else { return pending.say(.info, "There are no themes but the built-in one.") }
      boxes.append(ThemePicker(themeNames, current: theme.name))
      effects.append(.loadSwatches)
    case .toggleMouse:
      view.mouse.toggle()
      effects.append(.saveView(view))
      pending.say(.info, view.mouse ? "The mouse is on." : "The mouse is off: the terminal selects text.")
    case .saveScreen: effects.append(.saveScreen)
    case .redraw: effects.append(.redraw)
    case .faultsForEverything: boxes.append(FaultMenu(.everything, context))
    case .holdAll: HoldOffer.toggleAll(context, &pending)
    case .releaseAll: requests.releaseAll(&pending)
    }
  }

  private mutating func move(_ command: MoveCommand, _ context: ConsoleContext) {
    let rows =
      tab == .requests ? requests.pageHeight(in: context.body, context) : Layout(in: context.body).rows.height
    let step = command.step(page: max(1, rows - 1))
    switch tab {
    case .requests: requests.move(by: step, in: context.body, context)
    case .stubs: stubs.move(by: step)
    case .traffic: traffic.move(by: step)
    case .processes: processes.move(by: step)
    case .output: output.move(by: step)
    }
  }

  private mutating func show(_ tab: Tab) {
    self.tab = tab
    requests.closeBar()
    if tab == .traffic { traffic.shown(context, &pending) }
  }

  // MARK: Outcomes

  /// Does what components want, what comes of each before the next.
  private mutating func fold() {
    guard !pending.isEmpty else { return }
    for outcome in pending.drain() {
      perform(outcome)
      fold()
    }
  }

  mutating func perform(_ outcome: Outcome) {
    switch outcome {
    case .effect(let effect): effects.append(effect)
    case .say(let notice, let undoable, let isAboutHeld):
      toast = Toast(notice, undoable: undoable, isAboutHeld: isAboutHeld, at: now)
    case .hush(let onlyAboutHeld): if !onlyAboutHeld || toast?.isAboutHeld == true { toast = nil }
    case .open(let box):
      boxes.append(box)
      boxes[boxes.count - 1].opened(context, &pending)
    case .replace(let box): if let place = boxes.indices.last { boxes[place] = box }
    case .close: boxes.popLast()?.closed(&pending)
    case .show(let tab): show(tab)
    case .run(let command): run(command)
    case .press(let key): handle(key)
    case .view(let view, let isKept):
      self.view = view
      if isKept { effects.append(.saveView(view)) }
    case .done(let title, let change): log.add(UndoLog.Step(title: title, at: now, change: change))
    case .amendDone(let title, let change): log.amend(title: title, change)
    case .undo(let position): log.go(to: position, &pending)
    case .editStubs(let edits): stubs.edit(edits, &pending)
    case .answer(let purpose, let text, let isFinal): answer(purpose, text, isFinal)
    case .promptNote(let note): tellPrompt(note)
    case .requests(let message): requests.received(message, in: context.body, context, &pending)
    case .stubs(let message): stubs.received(message, context, &pending)
    }
  }

  private mutating func answer(_ purpose: Prompt.Purpose, _ text: String, _ isFinal: Bool) {
    switch purpose {
    case .search, .goToLine: requests.answered(purpose, text, isFinal: isFinal, in: context.body, context, &pending)
    case .searchOutput: output.searched(text, isFinal: isFinal, &pending)
    case .searchEditor, .replaceFind, .replaceWith:
      if isFinal, let place = boxes.indices.last { boxes[place].answered(purpose, text, context, &pending) }
    // The prompt itself has sent them on.
    case .commandInput, .importFile: break
    }
  }

  private mutating func tellPrompt(_ note: String) {
    guard let place = boxes.indices.last, var prompt = boxes[place] as? Prompt else { return }
    prompt.note = note
    boxes[place] = prompt
  }
}
