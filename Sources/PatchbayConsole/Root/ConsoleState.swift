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
  /// When the last event happened.
  package private(set) var now: Timestamp

  let keys: KeyMap
  private(set) var tabs: ConsoleTabs
  private(set) var boxes = BoxStack()
  private(set) var toast: Toast?
  private(set) var log = UndoLog()
  private(set) var rate = RateMeter()
  private(set) var tour: Tour
  private var works = WorkList()
  private var pictures: Set<Picture.Format> = []
  private var themeNames: [String] = []
  private var clicks = MouseClicks()
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
    tour = Tour(isOn: setup.mode == .demo && !view.tourDone)
    tabs = ConsoleTabs(filter: setup.filter)
  }

  /// The effects that begin the session.
  package mutating func start() -> [ConsoleEffect] {
    tabs.requests.search(context, &pending)
    fold()
    return takeEffects()
  }

  /// Takes in one event and says what is to be done.
  package mutating func update(_ event: ConsoleEvent, at now: Timestamp) -> [ConsoleEffect] {
    self.now = now
    rate.advance(to: now)
    if let toast, toast.expires <= now {
      self.toast = nil
      // What it offered goes with it.
      if boxes.topPlace == .offer, !(boxes.last is MenuBox) { perform(.close) }
    }
    handle(event)
    fold()
    tabs.settle(context, &pending)
    fold()
    if tour.isOn {
      tour.look(tabs.seenByTour, view, &pending)
      fold()
    }
    return takeEffects()
  }

  /// When the state wants a `.tick`, for what it shows depends on time; nil: never, until something happens.
  package var nextTick: Timestamp? {
    var moments = [boxes.nextTick, toast?.expires.microseconds, tabs.nextTick(context)]
    if !rate.isIdle { moments.append((now.microseconds / 1_000_000 + 1) * 1_000_000) }
    return moments.compactMap { $0 }.min().map { Timestamp(microseconds: max($0, now.microseconds + 1_000)) }
  }

  /// What components may know.
  var context: ConsoleContext {
    var context = ConsoleContext(
      now: now, size: size, tab: tabs.shown, theme: theme, view: view, setup: setup, keys: keys,
      keyContexts: tabs.keyContexts)
    context.pictures = pictures
    context.selected = tabs.requests.selected
    context.held = tabs.requests.recorded.held
    context.filter = tabs.requests.bar.applied
    context.stubs = tabs.stubs.snapshot
    context.links = tabs.processes.links
    context.work = works.newest?.text
    context.noticeRows = toast.map { size.height - $0.rows(in: size).lowerBound } ?? 0
    context.topBox = boxes.topPlace
    context.tourRows = tour.isOn && size.height > 12 ? 1 : 0
    return context
  }

  private mutating func takeEffects() -> [ConsoleEffect] {
    defer { effects = [] }
    return effects
  }

  // MARK: Events

  private mutating func handle(_ event: ConsoleEvent) {
    switch event {
    case .input(let input): handle(input)
    case .resized(let size):
      // What was chosen for a narrow screen is not meant for a wide one.
      if (size.width >= Layout.wide) != (self.size.width >= Layout.wide) { view.detailBeside = nil }
      self.size = size
    case .exchanges(let changes, let query):
      received(changes, query: query)
      // A form says how many requests its pattern fits.
      if !boxes.isEmpty { boxes.update(event, context, &pending) }
    case .runs, .recorded, .gone, .retired, .ids, .exchange, .retries, .compared, .imported, .board, .stubFileLoaded,
      .switches, .scenarios, .progress, .kept, .links, .programs, .output, .commandEnded, .traffic, .stubDetail,
      .trafficDetail:
      tabs.update(event, context, &pending)
    case .summaries, .fetched, .editorReturned:
      tabs.update(event, context, &pending)
      boxes.update(event, context, &pending)
    case .tick:
      boxes.update(event, context, &pending)
      tabs.update(event, context, &pending)
    case .preview, .swatches, .pathCompletions: boxes.update(event, context, &pending)
    case .notice(let notice): pending.say(notice.kind, notice.text)
    case .work(let token, let title, let share): works.note(Work(token: token, title: title, share: share))
    case .workEnded(let token): works.end(token)
    case .theme(let theme):
      self.theme = theme
      view.theme = theme.name
    case .pictures(let formats): pictures = formats
    case .themes(let names): themeNames = names
    }
  }

  private mutating func received(_ changes: [ExchangeChange], query: Int) {
    let (fresh, stopped) = tabs.requests.received(changes, query: query, &pending)
    if let stopped {
      // The keys are for what waits, not for an offer.
      if boxes.topPlace == .offer { perform(.close) }
      tabs.requests.announceHeld(stopped, context, &pending)
    }
    fold()
    if tabs.requests.recorded.held.isEmpty, toast?.isAboutHeld == true { toast = nil }
    rate.add(fresh, at: now)
    tabs.traffic.noteChange(isShown: tabs.shown == .traffic)
  }

  // MARK: Input

  private mutating func handle(_ input: InputEvent) {
    if case .focus = input { return }
    tabs.requests.giveUpEdit()
    switch input {
    case .key(let key): handle(key)
    case .paste:
      if !boxes.isEmpty {
        boxes.typed(input, context, &pending)
      } else if tabs.requests.hasPrompt {
        tabs.typed(input, context, &pending)
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
      return key.modifiers == .alt && !top.takesText ? handleApart(key) : boxes.typed(.key(key), context, &pending)
    }
    if tabs.requests.hasPrompt { return tabs.typed(.key(key), context, &pending) }
    let place = tabs.shown == .requests ? tabs.requests.selectRead(at: now) : nil
    let command = keys.command(for: key, in: tabs.keyContexts)
    if let place, command?.isAboutRow != true { tabs.requests.selectAgain(place) }
    if key == .escape, let work = works.newest {
      effects.append(.cancelWork(work.token))
    } else if let command {
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

  private mutating func handle(_ event: MouseEvent) {
    guard view.mouse, size.fitsConsole, let pointer = clicks.pointer(for: event, at: now) else { return }
    let context = context
    switch pointer {
    // What is dragged goes on, whatever was opened meanwhile.
    case .drag, .release: tabs.requests.pointer(pointer, in: context.body, context, &pending)
    case .press(let point, _) where point.y == size.height - 1 && boxes.line == nil:
      if let key = footer.key(at: point.x) { handle(key) }
    case .press, .wheel:
      if !boxes.isEmpty { return boxes.typed(.mouse(event), context, &pending) }
      guard case .press(let point, _) = pointer, point.y <= 0 else {
        return tabs.pointer(pointer, context, &pending)
      }
      if let tab = header.tab(at: point.x) { show(tab) }
    }
  }

  // MARK: Commands

  /// Does what a key or the palette asked for.
  private mutating func run(_ command: ConsoleCommand) {
    switch command {
    case .global(let command): run(command)
    case .form(let command): boxes.run(command, context, &pending)
    case .move, .requests, .detail, .held, .stubs, .traffic, .processes, .output:
      tabs.run(command, context, &pending)
    }
  }

  private mutating func run(_ command: GlobalCommand) {
    switch command {
    case .quit:
      if !tabs.stepBack() {
        Leaving.askToQuit(isRunning: tabs.output.ended == nil, context, &pending)
      }
    case .interrupt: Leaving.interrupt(isRunning: tabs.output.ended == nil, context, &pending)
    case .suspend: effects.append(.suspend)
    case .help: boxes.push(HelpBox())
    case .palette: boxes.push(PaletteBox())
    case .showRequests: show(.requests)
    case .showStubs: show(.stubs)
    case .showTraffic: show(.traffic)
    case .showProcesses: show(.processes)
    case .showOutput: show(.output)
    case .nextTab: show(tabs.shown.next(by: 1))
    case .previousTab: show(tabs.shown.next(by: -1))
    case .undo: log.undo(&pending)
    case .redo: log.redo(&pending)
    case .undoList: log.openMenu(context, &pending)
    case .themes:
      guard !themeNames.isEmpty else { return pending.say(.info, "There are no themes but the built-in one.") }
      boxes.push(ThemePicker(themeNames, current: theme.name))
      effects.append(.loadSwatches)
    case .toggleMouse:
      view.mouse.toggle()
      effects.append(.saveView(view))
      pending.say(.info, view.mouse ? "The mouse is on." : "The mouse is off: the terminal selects text.")
    case .saveScreen: effects.append(.saveScreen)
    case .openFile: pending.ask(.openFile)
    case .tour: tour.toggle(view, &pending)
    case .redraw: effects.append(.redraw)
    case .faultsForEverything: boxes.push(FaultMenu(.everything, context))
    case .pauseStubs: tabs.stubs.togglePause(&pending)
    case .holdAll: HoldOffer.toggleAll(context, &pending)
    case .releaseAll: tabs.requests.releaseAll(&pending)
    }
  }

  private mutating func show(_ tab: Tab) {
    tabs.show(tab)
    if tab == .traffic { tabs.traffic.shown(context, &pending) }
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
      let notice = undoable ? tabs.stubs.completed(notice, after: log.newest?.change) : notice
      toast = Toast(notice, undoable: undoable, isAboutHeld: isAboutHeld, at: now)
    case .hush(let onlyAboutHeld): if !onlyAboutHeld || toast?.isAboutHeld == true { toast = nil }
    case .open(let box):
      boxes.push(box)
      boxes.opened(context, &pending)
    case .replace(let box): boxes.replaceTop(with: box)
    case .close: boxes.pop()?.closed(&pending)
    case .show(let tab): show(tab)
    case .run(let command): run(command)
    case .press(let key): handle(key)
    case .view(let view, let isKept):
      self.view = view
      if isKept { effects.append(.saveView(view)) }
    case .done(let title, let change): log.add(UndoLog.Step(title: title, at: now, change: change))
    case .amendDone(let title, let change): log.amend(title: title, change)
    case .undo(let position): log.go(to: position, &pending)
    case .editStubs(let edits): tabs.stubs.edit(edits, &pending)
    case .answer(let purpose, let text, let isFinal):
      tabs.answered(purpose, text, isFinal: isFinal, context, &pending)
      if isFinal { boxes.answered(purpose, text, context, &pending) }
    case .promptNote(let note): boxes.setPromptNote(note)
    case .requests(let message): tabs.requests.received(message, in: context.body, context, &pending)
    case .stubs(let message): tabs.stubs.received(message, context, &pending)
    }
  }
}
