import PatchbayGrid
import PatchbayWire

extension ConsoleState {
  func drawProcesses(_ grid: inout Grid) {
    let links = processes.links
    drawBreadcrumb(
      [.init("Programs that are linked, and those that were.", .dim)], processesInShort, &grid)
    guard !links.isEmpty else {
      return drawEmpty(
        [PageLine("No program is linked. There are two ways:", .text), PageLine([])] + ways + [
          PageLine([]), PageLine([.init("It is found at ", .dim), .init(shown(setup.socket))]),
        ], &grid)
    }
    let table = processTable
    grid.within(layout.columns) { table.drawHeads(&$0, theme: theme) }
    grid.within(layout.rows) { grid in
      for row in 0..<grid.height {
        let place = processes.scroll.top + row
        guard place < links.count else { break }
        table.draw(
          cells(of: links[place]), row: row, isSelected: place == processes.scroll.selected, theme: theme, &grid)
      }
      drawScrollbar(&grid, top: processes.scroll.top, count: links.count)
    }
  }

  private var processesInShort: String {
    let stalled = processes.links.filter { $0.ended == nil && $0.isStalled }.count
    let trouble = stalled == 0 ? "" : "\(Wording.count(stalled)) \(stalled == 1 ? "does" : "do") not answer · "
    return "\(trouble)\(processes.linked) linked"
  }

  private var processTable: TableView {
    let hasShed = processes.links.contains { $0.shed.exchanges > 0 || $0.shed.bodies > 0 }
    let hasNotes = processes.links.contains { !notes(of: $0).text.isEmpty }
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
      ], width: layout.columns.width)
  }

  private func cells(of link: LinkRow) -> [TableView.Cell] {
    let isLinked = link.ended == nil
    let text: ThemeRole = isLinked ? .text : .dim
    let inStep = link.revision == stubs.board.revision
    let revision = isLinked ? (inStep ? "✓ revision \(link.revision)" : "… \(link.revision)") : "gone"
    let notes = notes(of: link)
    var shed: [String] = []
    if link.shed.exchanges > 0 { shed.append(Wording.count(Int(clamping: link.shed.exchanges), "request")) }
    if link.shed.bodies > 0 { shed.append("\(Wording.count(link.shed.bodies)) bodies") }
    return [
      TableView.Cell(isLinked ? "●" : "○", isLinked ? .good : .dim), TableView.Cell(shown(link.process.name), text),
      TableView.Cell(String(link.process.pid), text),
      TableView.Cell(Wording.time(link.since, utcOffset: setup.utcOffset, fraction: false), .dim),
      TableView.Cell(link.entry.rawValue, .dim),
      TableView.Cell(link.degree.rawValue, link.degree == .full ? text : .warning),
      TableView.Cell(revision, isLinked ? (inStep ? .good : .waiting) : .dim),
      TableView.Cell(Wording.count(link.exchanges), text),
      TableView.Cell(shed.isEmpty ? "nothing" : shed.joined(separator: ", "), shed.isEmpty ? .dim : .warning),
      TableView.Cell(notes.text, notes.role), TableView.Cell(shown(link.executable), .dim),
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
    if let parent = processes.links.first(where: { $0.process.pid == link.parent && $0.instance != link.instance }) {
      notes.append("child of \(parent.process.pid)")
    }
    return (notes.joined(separator: ", "), isUrgent ? .warning : .dim)
  }
}
