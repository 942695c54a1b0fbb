import PatchbayGrid
import PatchbayInspect
import PatchbayStubs
import PatchbayWire

/// The five tabs, and which of them is shown: what is the same for all is sent to the one that is shown, a command to
/// the one that has it.
struct ConsoleTabs: Sendable {
  private(set) var shown = Tab.requests
  /// The tab whose requests are being filtered: one comes back to it.
  private var filtered: Tab?
  var requests: RequestsTab
  var stubs = StubsTab()
  var traffic = TrafficTab()
  var processes = ProcessesTab()
  var output = OutputTab()

  /// - Parameter filter: of the requests, to begin with.
  init(filter: String) { requests = RequestsTab(filter: filter) }

  mutating func show(_ tab: Tab) {
    shown = tab
    if tab != .requests { filtered = nil }
    // Programs come and go while nobody looks.
    if tab == .processes { processes.isStale = true }
    requests.closeBar()
  }

  /// Closes what was opened on the tab that is shown. False where nothing was: then one is about to leave.
  mutating func stepBack() -> Bool {
    shown == .requests && requests.closeDetail()
  }

  // MARK: Answers and news

  /// Each to the tabs that it is about.
  mutating func update(_ event: ConsoleEvent, _ context: ConsoleContext, _ out: inout Outcomes) {
    switch event {
    case .runs(let runs): requests.received(runs)
    case .recorded(let count): requests.received(recorded: count)
    case .summaries(let summaries): requests.received(summaries, &out)
    case .gone(let ids): requests.received(gone: ids, &out)
    case .retired(let count, let id): requests.received(retired: count, below: id)
    case .ids(let batch): requests.received(batch, at: context.now, &out)
    case .exchange(let id, let exchange): requests.received(exchange, id: id, context, &out)
    case .retries(let id, let summaries): requests.received(retries: summaries, of: id, context)
    case .fetched(let exchanges, let purpose): requests.received(exchanges, for: purpose, context, &out)
    case .compared(let page, let exchanges, let purpose):
      requests.received(page, of: exchanges, for: purpose, context, &out)
    case .imported(let report):
      requests.received(report, context, &out)
      if !report.ids.isEmpty { traffic.noteChange(isShown: true) }
    case .board(let board, let by):
      stubs.received(board, by: by, &out)
      // What a request met is explained by the new ones.
      var context = context
      context.stubs = stubs.snapshot
      requests.stubsChanged(context)
    case .stubFileLoaded(let path, let count, let isNew, let isOffline):
      stubs.loaded(path, count: count, isNew: isNew, isOffline: isOffline, &out)
    case .switches(let unmatched, let holdAll): stubs.received(unmatched: unmatched, holdAll: holdAll)
    case .scenarios(let process, let moved): stubs.received(moved, of: process)
    case .progress(let process, let progress): stubs.received(progress, of: process)
    case .kept(let found): stubs.received(found, context, &out)
    case .editorReturned(let token, let result): stubs.received(result, token: token, context, &out)
    case .links(let links): processes.received(links)
    case .programs(let programs): processes.received(programs)
    case .output(let lines, let skipped): output.add(lines, skipped: skipped)
    case .commandEnded(let sentence):
      output.commandEnded(sentence)
      out.say(.info, sentence)
    case .traffic(let token, let report): traffic.received(report, token: token)
    case .trafficDetail(let token, let detail): traffic.received(detail, token: token)
    case .stubDetail(let detail): stubs.received(detail)
    case .tick: tick(context, &out)
    // The root's, and the boxes'.
    case .input, .resized, .exchanges, .preview, .swatches, .pathCompletions, .notice, .work, .workEnded, .theme,
      .pictures, .themes:
      break
    }
  }

  // MARK: Keys and the mouse

  /// The contexts in which a key is looked up while no box is open, the innermost first.
  var keyContexts: [KeyContext] {
    switch shown {
    case .requests:
      let isHeld = requests.selected?.isHeld == true
      return (requests.detail.hasKeys ? [.detail] : []) + (isHeld ? [.held] : []) + [.requests, .global]
    case .stubs: return [.stubs, .global]
    case .traffic: return [.traffic, .global]
    case .processes: return [.processes, .global]
    case .output: return [.output, .global]
    }
  }

  mutating func run(_ command: ConsoleCommand, _ context: ConsoleContext, _ out: inout Outcomes) {
    switch command {
    case .move(let command): move(command, context)
    case .requests(let command):
      filtered = nil
      requests.run(command, in: context.body, context, &out)
    case .detail(let command): requests.run(command, in: context.body, context, &out)
    case .held(let command): requests.run(command, context, &out)
    case .stubs(let command): stubs.run(command, context, &out)
    case .traffic(let command):
      traffic.run(command, context, &out)
      if command == .filter { filtered = .traffic }
    case .processes(let command):
      if command == .attach, context.setup.openedFile != nil { return out.say(.info, ProcessesTab.readsOnly) }
      processes.run(command, &out)
    case .output(let command): output.run(command, context, &out)
    // The root's, and the uppermost box's.
    case .global, .form: break
    }
  }

  /// Whether a command would do something now, as far as the tabs know.
  func isPossible(_ command: ConsoleCommand) -> Bool {
    switch command {
    case .requests(let command): requests.isPossible(command)
    case .detail(.nextMatch): requests.detail.hasMatches
    case .detail(.editValue): requests.detail.canEdit || requests.selected?.isHeld == true
    case .stubs(let command): stubs.isPossible(command)
    case .traffic(let command): traffic.isPossible(command)
    case .processes(let command): processes.isPossible(command)
    case .output(let command): output.isPossible(command)
    case .global(.releaseAll): requests.recorded.held.count > 1
    case .global, .move, .detail, .held, .form: true
    }
  }

  private mutating func move(_ command: MoveCommand, _ context: ConsoleContext) {
    let step = command.step(page: max(1, pageHeight(context) - 1))
    switch shown {
    case .requests: requests.move(by: step, in: context.body, context)
    case .stubs: stubs.move(by: step)
    case .traffic: traffic.move(by: step)
    case .processes: processes.move(by: step)
    case .output: output.move(by: step)
    }
  }

  /// Rows of a page of what is shown.
  private func pageHeight(_ context: ConsoleContext) -> Int {
    switch shown {
    case .requests: requests.pageHeight(in: context.body, context)
    case .stubs: stubs.layout(in: context.body, context).rows.height
    case .traffic: traffic.layout(in: context.body, context).rows.height
    case .processes, .output: Layout(in: context.body).rows.height
    }
  }

  mutating func pointer(_ pointer: Pointer, _ context: ConsoleContext, _ out: inout Outcomes) {
    switch shown {
    case .requests: requests.pointer(pointer, in: context.body, context, &out)
    case .stubs: stubs.pointer(pointer, in: context.body, context, &out)
    case .traffic: traffic.pointer(pointer, in: context.body, context, &out)
    case .processes: processes.pointer(pointer, in: context.body, &out)
    case .output: output.pointer(pointer)
    }
  }

  /// What stands in a prompt; `isFinal` once it is the answer.
  mutating func answered(
    _ purpose: Prompt.Purpose, _ text: String, isFinal: Bool, _ context: ConsoleContext, _ out: inout Outcomes
  ) {
    switch purpose {
    case .search, .goToLine, .tags, .note, .filterName:
      requests.answered(purpose, text, isFinal: isFinal, in: context.body, context, &out)
    case .filterStubs: stubs.filtered(text)
    case .searchOutput: output.searched(text, isFinal: isFinal, &out)
    // A form's; the prompt itself has sent on the last four.
    case .searchEditor, .replaceFind, .replaceWith, .commandInput, .importFile, .openFile, .loadStubs: break
    }
  }

  /// Input for what is typed into on the tab of the requests.
  mutating func typed(_ input: InputEvent, _ context: ConsoleContext, _ out: inout Outcomes) {
    let wasOpen = requests.bar.isOpen
    requests.typed(input, in: context.body, context, &out)
    guard let filtered, wasOpen, !requests.bar.isOpen else { return }
    self.filtered = nil
    out.add(.show(filtered))
  }

  // MARK: Time

  /// When what the shown tab shows changes by itself, in microseconds.
  func nextTick(_ context: ConsoleContext) -> Int64? {
    if shown == .requests { return requests.nextTick(in: context.body, context) }
    if shown == .stubs { return stubs.nextTick(in: context.body) }
    guard shown == .traffic, traffic.isStale else { return nil }
    return (context.now.microseconds / 1_000_000 + 1) * 1_000_000
  }

  private mutating func tick(_ context: ConsoleContext, _ out: inout Outcomes) {
    requests.tick(in: context.body, context, &out)
    if shown == .traffic { traffic.tick(context, &out) }
  }

  /// After every event: selections within their lists, what is seen asked for.
  mutating func settle(_ context: ConsoleContext, _ out: inout Outcomes) {
    requests.settle(in: context.body, context, &out)
    stubs.settle(in: context.body, isShown: shown == .stubs, context, &out)
    traffic.settle(in: context.body, isShown: shown == .traffic, context, &out)
    processes.settle(in: context.body, isShown: shown == .processes && context.setup.openedFile == nil, &out)
  }

  // MARK: Drawing

  var seenByTour: Tour.Seen {
    let enabled = stubs.board.stubsInForce.filter(\.enabled)
    return Tour.Seen(
      hasRequests: requests.recorded.count > 0, isOpen: requests.detail.isOpen, detailTab: requests.detail.tab,
      tab: shown, stubsOn: enabled.count, faultsOn: enabled.count { FaultPreset.of($0.then) != nil },
      filter: requests.bar.applied)
  }

  func draw(on grid: inout Grid, in area: Rect, _ context: ConsoleContext) {
    switch shown {
    case .requests: requests.draw(on: &grid, in: area, context)
    case .stubs: stubs.draw(on: &grid, in: area, context)
    case .traffic: traffic.draw(on: &grid, in: area, context)
    case .processes: processes.draw(on: &grid, in: area, context)
    case .output: output.draw(on: &grid, in: area, context)
    }
  }
}
