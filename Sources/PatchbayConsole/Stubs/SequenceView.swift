import PatchbayGrid
import PatchbayStubs

extension ConsoleState {
  /// The answers of the selected stub, if it gives several in turn, in the empty rows below the list.
  func drawSequence(below rows: Int, _ grid: inout Grid) {
    guard let stub = stubs.selected?.stub, case .sequence(let steps, let afterwards) = stub.then else { return }
    let room = grid.height - rows - 3
    guard room > 0 else { return }
    let next = stubs.hits[stub.name]?.nextStep.map(Int.init)
    let isCut = steps.count > room
    let top = isCut ? max(0, min(steps.count - room, (next ?? 0) - room / 2)) : 0
    var y = grid.height - min(room, steps.count) - 2
    let rule = y
    grid.rule(at: Point(x: 0, y: rule), width: grid.width, style: theme[.line])
    grid.put(
      spans: [Span(" In turn: ", theme[.dim]), Span("\(shown(stub.name)) ", theme[.stub])], at: Point(x: 2, y: rule),
      maxWidth: max(0, grid.width - 4))
    for (place, step) in steps.enumerated().dropFirst(top).prefix(room) {
      y += 1
      let number = "\(place + 1)"
      grid.put(place == next ? "▸" : " ", at: Point(x: 1, y: y), style: theme[.key])
      grid.put(number, at: Point(x: 3, y: y), alignedRightIn: 3, style: theme[.dim])
      let text = shown(StubText.action(step)) + (place == next ? "   the next" : "")
      grid.put(text, at: Point(x: 8, y: y), style: theme[StubText.role(step)], maxWidth: max(0, grid.width - 10))
    }
    let more = isCut ? "\(Wording.count(steps.count)) answers, " : ""
    grid.put(
      "\(more)afterwards: \(afterwards.rawValue)", at: Point(x: 8, y: y + 1), style: theme[.dim],
      maxWidth: max(0, grid.width - 10))
  }
}
