extension ConsoleState {
  /// Moves in whatever list or text has the keys.
  mutating func move(_ command: MoveCommand) {
    let page = max(1, (tab == .requests && detail.hasKeys ? layout.detail.height : layout.rows.height) - 1)
    switch command {
    case .down: step(1)
    case .up: step(-1)
    case .pageDown: step(page)
    case .pageUp: step(-page)
    case .halfDown: step(max(1, page / 2))
    case .halfUp: step(-max(1, page / 2))
    case .first: step(-(1 << 40))
    case .last: step(1 << 40)
    }
  }

  private mutating func step(_ step: Int) {
    switch tab {
    case .requests:
      if detail.hasKeys {
        moveInDetail(step)
      } else {
        moveInRequests(step)
      }
    case .stubs: stubs.scroll.move(by: step, count: stubs.board.entries.count)
    case .traffic: traffic.scroll.move(by: step, count: traffic.rows.count)
    case .processes: processes.scroll.move(by: step, count: processes.links.count)
    case .output:
      output.scroll.move(by: step, count: output.lines.count)
      output.follows = output.scroll.selected >= output.lines.count - 1
    }
  }

  mutating func moveInRequests(_ step: Int) {
    let count = requests.order.count
    // Coming to the newest row is not yet asking for newer ones: a step beyond it is, and so is the key for the end.
    let wasAtEnd = requests.scroll.selected >= count - 1
    requests.scroll.move(by: step, count: count)
    let isAtEnd = step > 0 && requests.query.sort.isArrival && (wasAtEnd || step >= count)
    // An open request stays under the eyes of who reads it, unless the end is asked for.
    requests.follows = isAtEnd && (!detail.isOpen || step >= count)
    detail.resumesFollowing = isAtEnd
  }

  mutating func moveInDetail(_ step: Int) {
    detail.page.move(by: step, in: detailGeometry)
  }
}
