import PatchbayGrid
import PatchbayStubs

extension ConsoleState {
  func drawStubs(_ grid: inout Grid) {
    let entries = stubs.board.entries
    let on = entries.filter(\.stub.enabled).count
    let edited = entries.filter(\.edited).count
    var left: [PageLine.Piece] = [.init("The first that is on and matches answers.", .dim)]
    if edited > 0 { left.insert(.init("\(Wording.count(edited)) changed here, w writes.  ", .warning), at: 0) }
    if let kept {
      left.insert(.init("B brings back \(Wording.count(kept.names.count)) of an earlier console.  ", .warning), at: 0)
    }
    drawBreadcrumb(
      left, "\(Wording.count(on)) of \(Wording.count(entries.count)) on · revision \(stubs.board.revision)", &grid)
    guard !entries.isEmpty else {
      return drawEmpty(
        [
          PageLine("There are no stubs.", .text), PageLine([]),
          hint("a", "adds one"), hint("1 s", "makes one of a request, with its real answer"),
          hint("1 x", "makes a request's endpoint fail"), PageLine([]),
          PageLine([
            .init("patchbay … --stubs FILE", .string),
            .init(" reads them from a file", .dim),
          ]),
        ], &grid)
    }
    let table = stubTable
    grid.within(layout.columns) { table.drawHeads(&$0, theme: theme) }
    grid.within(layout.rows) { grid in
      for row in 0..<grid.height {
        let place = stubs.scroll.top + row
        guard place < entries.count else { break }
        table.draw(
          cells(of: entries[place], place), row: row, isSelected: place == stubs.scroll.selected, theme: theme, &grid)
      }
      drawScrollbar(&grid, top: stubs.scroll.top, count: entries.count)
      drawSequence(below: entries.count - stubs.scroll.top, &grid)
    }
  }

  var stubTable: TableView {
    let seen = stubs.board.entries.prefix(200)
    func widest(_ text: (StubBoard.Entry) -> String) -> Int { seen.map { textWidth(shown(text($0))) }.max() ?? 0 }
    let name = widest(\.stub.name)
    let limits = widest { StubText.limits($0.stub) }
    let origin = widest { StubText.origin($0) }
    let width = layout.columns.width
    return TableView(
      [
        TableView.Column(title: "#", width: 3, alignsRight: true, rank: 5),
        TableView.Column(title: "on", width: 3, least: 2),
        TableView.Column(
          title: "name", width: max(12, min(name, width / 5)), least: 10, flexes: true, want: name),
        TableView.Column(
          title: "when", width: 18, least: 8, flexes: true, share: 3, want: widest { StubText.pattern($0.stub.when) }),
        TableView.Column(
          title: "then", width: 14, least: 8, flexes: true, share: 2, want: widest { StubText.action($0.stub.then) }),
        TableView.Column(title: "limits", width: max(6, min(16, limits)), rank: 6, isEmpty: limits == 0),
        TableView.Column(title: "hits", width: 6, alignsRight: true, rank: 3),
        TableView.Column(title: "from", width: max(6, min(24, origin)), rank: 4),
      ], width: width)
  }

  private func cells(of entry: StubBoard.Entry, _ place: Int) -> [TableView.Cell] {
    let stub = entry.stub
    let isOn = stub.enabled
    let text: ThemeRole = isOn ? .text : .dim
    let hits = stubs.hits[stub.name]
    let step = hits?.nextStep.map { " (\($0 + 1))" } ?? ""
    return [
      TableView.Cell("\(place + 1)", .dim), TableView.Cell(isOn ? "●" : "○", isOn ? .good : .dim),
      TableView.Cell(shown(stub.name), isOn ? .stub : .dim), TableView.Cell(shown(StubText.pattern(stub.when)), text),
      TableView.Cell(shown(StubText.action(stub.then)), isOn ? StubText.role(stub.then) : .dim),
      TableView.Cell(StubText.limits(stub), .dim),
      TableView.Cell((hits.map { Wording.count($0.hits) } ?? "0") + step, (hits?.hits ?? 0) > 0 ? .text : .dim),
      TableView.Cell(shown(StubText.origin(entry)), entry.edited ? .warning : .dim),
    ]
  }
}

extension StubText {
  /// Where a stub is from, with a star where it was changed here since.
  static func origin(_ entry: StubBoard.Entry) -> String {
    let origin =
      switch entry.origin {
      case .file(let path): path.split(separator: "/").last.map(String.init) ?? path
      case .console: "this console"
      case .code(let process): "code of \(process)"
      }
    return entry.edited ? "\(origin) *" : origin
  }

  /// The colour of what a stub does.
  static func role(_ action: Action) -> ThemeRole {
    switch action {
    case .respond(let response): OutcomeLook(status: response.status).role
    case .fail: .failure
    case .pass: .text
    case .hold: .held
    case .sequence, .code: .text
    }
  }
}
