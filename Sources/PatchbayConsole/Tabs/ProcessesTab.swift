import PatchbayGrid
import PatchbayWire

/// What a person made of a link.
private struct AskedDegree {
  var degree: HookSettings.Degree
  /// So many rows may come that say otherwise, and then somebody else has made it something else.
  var patience = 100
}

/// The linked processes, those that were, and running programs that could be attached to.
struct ProcessesTab: Sendable {
  private(set) var links: [LinkRow] = []
  /// Shown below the links.
  private var programs: [ProgramRow] = []
  /// Whether they are to be looked for again once this is shown.
  var isStale = true
  private var scroll = ListScroll()
  /// What was asked for and has not been seen in force, by the link's instance.
  private var asked: [UInt64: AskedDegree] = [:]

  var linked: Int { links.reduce(0) { $0 + ($1.ended == nil ? 1 : 0) } }
  private var selected: LinkRow? { links.indices.contains(scroll.selected) ? links[scroll.selected] : nil }
  private var selectedProgram: ProgramRow? {
    let place = scroll.selected - links.count
    return programs.indices.contains(place) ? programs[place] : nil
  }
  private var count: Int { links.count + programs.count }

  // MARK: What it is told

  mutating func received(_ rows: [LinkRow]) {
    let chosen = selected?.instance
    let chosenProgram = selectedProgram?.process
    if links.map(\.instance) != rows.map(\.instance) { isStale = true }
    let rows = rows.map { believed($0) }
    links = rows.sorted { ($0.ended == nil ? 0 : 1, $0.since) < ($1.ended == nil ? 0 : 1, $1.since) }
    if let chosen, let place = links.firstIndex(where: { $0.instance == chosen }) { scroll.selected = place }
    choose(chosenProgram)
  }

  /// A row may have been on its way since before a press: the next press would go on from what was.
  private mutating func believed(_ row: LinkRow) -> LinkRow {
    guard let wanted = asked[row.instance] else { return row }
    guard row.ended == nil, row.degree != wanted.degree, wanted.patience > 0 else {
      asked[row.instance] = nil
      return row
    }
    asked[row.instance]?.patience -= 1
    var row = row
    row.degree = wanted.degree
    return row
  }

  mutating func received(_ found: [ProgramRow]) {
    let chosen = selectedProgram?.process
    programs = found
    choose(chosen)
  }

  /// A program that has been attached to is a link now.
  private mutating func choose(_ program: HarnessProcess?) {
    guard let program else { return }
    if let place = links.firstIndex(where: { $0.process.pid == program.pid && $0.ended == nil }) {
      scroll.selected = place
      programs.removeAll { $0.process.pid == program.pid }
    } else if let place = programs.firstIndex(where: { $0.process == program }) {
      scroll.selected = links.count + place
    }
  }

  mutating func run(_ command: ProcessesCommand, _ out: inout Outcomes) {
    if command == .attach { return attach(&out) }
    guard let link = selected else {
      if let program = selectedProgram {
        out.say(.info, "\(shown(program.process.name)) is not linked: a attaches to it.")
      }
      return
    }
    switch command {
    case .attach: break
    case .open:
      out.add(.show(.requests))
      out.add(.requests(.applyFilter("process:\(link.process.pid)")))
    case .degree:
      let all = HookSettings.Degree.allCases
      let next = all[((all.firstIndex(of: link.degree) ?? 0) + 1) % all.count]
      out.perform(.setDegree(instance: link.instance, next))
      // Shown at once, so that the next press goes on from here.
      asked[link.instance] = AskedDegree(degree: next)
      for place in links.indices where links[place].instance == link.instance { links[place].degree = next }
      out.say(.info, "\(link.process.name) \(link.process.pid): \(Self.sentence(next))")
    }
  }

  private func attach(_ out: inout Outcomes) {
    guard let program = selectedProgram else {
      return out.say(.info, selected == nil ? "No running program can be attached to." : "It is linked.")
    }
    out.perform(.attach(process: program.process.pid))
  }

  /// All commands are about the selected process.
  func isPossible(_ command: ProcessesCommand) -> Bool {
    switch command {
    case .attach: !programs.isEmpty
    case .open, .degree: !links.isEmpty
    }
  }

  mutating func move(by step: Int) { scroll.move(by: step, count: count) }

  mutating func pointer(_ pointer: Pointer, in area: Rect, _ out: inout Outcomes) {
    let rows = Layout(in: area).rows
    switch pointer {
    case .press(let point, let isDouble):
      guard scroll.press(point, in: rows, count: count) else { return }
      if isDouble { run(.open, &out) }
    case .wheel(let step, _): scroll.scroll(by: step, count: count, height: rows.height)
    case .drag, .release: break
    }
  }

  mutating func settle(in area: Rect, isShown: Bool, _ out: inout Outcomes) {
    scroll.settle(count: count, height: Layout(in: area).rows.height)
    guard isShown, isStale else { return }
    isStale = false
    out.perform(.findPrograms)
  }

  private static func sentence(_ degree: HookSettings.Degree) -> String {
    switch degree {
    case .full: "full: reported, stubbed and held."
    case .observe: "observe: requests are seen when they start, nothing is changed."
    case .bypass: "bypass: left alone."
    }
  }
}

// MARK: Drawing

extension ProcessesTab {
  func draw(on grid: inout Grid, in area: Rect, _ context: ConsoleContext) {
    let layout = Layout(in: area)
    grid.drawBreadcrumb(
      [.init("Linked programs, those that ended, and others that run (+).", .dim)], inShort, isCut: true,
      in: layout.bar, context)
    guard count > 0 else {
      let lines =
        context.setup.openedFile != nil
        ? [PageLine(Self.readsOnly, .text)]
        : [PageLine("No program is linked. There are three ways:", .text), PageLine([])] + EmptyRequests.ways + [
          PageLine([]), PageLine([.init("Listening on ", .dim), .init(shown(context.setup.socket))]),
        ]
      return grid.within(layout.rows) { $0.drawNotice(lines, context.theme) }
    }
    let table = table(width: layout.columns.width)
    table.draw(on: &grid, in: layout, scroll, count: count, context.theme) { place in
      place < links.count ? cells(of: links[place], context) : cells(of: programs[place - links.count], context)
    }
  }

  /// Where a file is open, there is no socket.
  static let readsOnly = "This session reads a file: no program is linked to it, and none is attached to from here."

  private var inShort: String {
    let stalled = links.filter { $0.ended == nil && $0.isStalled }.count
    let trouble = stalled == 0 ? "" : "\(Wording.count(stalled)) \(stalled == 1 ? "does" : "do") not answer · "
    return "\(trouble)\(linked) linked"
  }

  private func table(width: Int) -> TableView {
    let hasShed = links.contains { $0.shed.exchanges > 0 || $0.shed.bodies > 0 }
    let hasNotes = links.contains { !notes(of: $0).text.isEmpty }
    return TableView(
      [
        TableView.Column(title: "", width: 1), TableView.Column(title: "process", width: 14, least: 8, flexes: true),
        TableView.Column(title: "pid", width: 7, alignsRight: true, rank: 1),
        TableView.Column(title: "since", width: 8, rank: 5), TableView.Column(title: "way in", width: 13, rank: 6),
        TableView.Column(title: "degree", width: 8, rank: 3), TableView.Column(title: "stubs", width: 12, rank: 2),
        TableView.Column(title: "requests", width: 8, alignsRight: true, rank: 4),
        TableView.Column(title: "shed", width: 16, rank: hasShed ? 3 : 8),
        TableView.Column(title: "notes", width: 18, least: 12, flexes: true, rank: hasNotes ? 1 : 9),
        TableView.Column(title: "executable", width: 20, flexes: true, rank: 10),
      ], width: width)
  }

  private func cells(of link: LinkRow, _ context: ConsoleContext) -> [TableView.Cell] {
    let isLinked = link.ended == nil
    let text: ThemeRole = isLinked ? .text : .dim
    let inStep = link.revision == context.stubs.board.revision
    let revision = isLinked ? (inStep ? "✓ revision \(link.revision)" : "… \(link.revision)") : "gone"
    let notes = notes(of: link)
    var shed: [String] = []
    if link.shed.exchanges > 0 { shed.append(Wording.count(Int(clamping: link.shed.exchanges), "request")) }
    if link.shed.bodies > 0 { shed.append("\(Wording.count(link.shed.bodies)) bodies") }
    return [
      TableView.Cell(isLinked ? "●" : "○", isLinked ? .good : .dim), TableView.Cell(shown(link.process.name), text),
      TableView.Cell(String(link.process.pid), text),
      TableView.Cell(Wording.time(link.since, utcOffset: context.setup.utcOffset, fraction: false), .dim),
      TableView.Cell(link.entry.rawValue, .dim),
      TableView.Cell(link.degree.rawValue, link.degree == .full ? text : .warning),
      TableView.Cell(revision, isLinked ? (inStep ? .good : .waiting) : .dim),
      TableView.Cell(Wording.count(link.exchanges), text),
      TableView.Cell(shed.isEmpty ? "nothing" : shed.joined(separator: ", "), shed.isEmpty ? .dim : .warning),
      TableView.Cell(notes.text, notes.role), TableView.Cell(shown(link.executable), .dim),
    ]
  }

  private func cells(of program: ProgramRow, _ context: ConsoleContext) -> [TableView.Cell] {
    [
      TableView.Cell("+", .dim), TableView.Cell(shown(program.process.name), .dim),
      TableView.Cell(String(program.process.pid), .dim),
      TableView.Cell(Wording.time(program.since, utcOffset: context.setup.utcOffset, fraction: false), .dim),
      TableView.Cell("–", .dim), TableView.Cell("–", .dim), TableView.Cell("a attaches", .dim),
      TableView.Cell("", .dim),
      TableView.Cell("", .dim), TableView.Cell("", .dim), TableView.Cell(shown(program.command), .dim),
    ]
  }

  /// What is to be known of it besides, the most urgent first.
  private func notes(of link: LinkRow) -> (text: String, role: ThemeRole) {
    let isLinked = link.ended == nil
    var notes: [String] = []
    if isLinked && link.isStalled { notes.append("does not answer") }
    if isLinked && link.isThrottled { notes.append("sends too fast") }
    let isUrgent = !notes.isEmpty
    if link.restarts > 0 { notes.append("start \(link.restarts + 1)") }
    if let parent = links.first(where: { $0.process.pid == link.parent && $0.instance != link.instance }) {
      notes.append("child of \(parent.process.pid)")
    }
    return (notes.joined(separator: ", "), isUrgent ? .warning : .dim)
  }
}
