import PatchbayGrid
import PatchbayInspect

extension ConsoleState {
  /// The commands of the opened request.
  mutating func run(_ command: DetailCommand) {
    switch command {
    case .search: openPrompt(.search, text: detail.page.search.text)
    case .nextMatch: nextMatch(1)
    case .previousMatch: nextMatch(-1)
    case .fold: changePage { $0.toggleFold() }
    case .foldAll: changePage { $0.foldLevel() }
    case .unfoldLevel: changePage { $0.unfoldLevel() }
    case .unfoldAll: changePage { $0.unfoldAll() }
    case .wrap:
      view.wrap.toggle()
      saveView()
    case .lineNumbers:
      view.lineNumbers.toggle()
      saveView()
    case .goToLine: openPrompt(.goToLine, text: "")
    case .rawBody:
      detail.toggleRaw(board: stubs)
      say(.info, detail.raw ? "The body as it came." : "The body made readable.")
    }
  }

  /// The text is selected: enter takes it again, typing begins another.
  mutating func openPrompt(_ purpose: Prompt.Purpose, text: String) {
    overlays.append(.prompt(Prompt(purpose, proposing: text)))
  }

  mutating func showDetailTab(_ step: Int) {
    guard detail.isOpen else {
      detail.isOpen = true
      return
    }
    let tabs = DetailTab.allCases
    detail.tab = tabs[(detail.tab.rawValue + step + tabs.count) % tabs.count]
  }

  private mutating func changePage(_ change: (inout DetailPage) -> Void) {
    change(&detail.page)
    detail.page.settle(in: detailGeometry)
  }

  /// Room for the lines of the detail.
  var detailGeometry: DetailPage.Geometry {
    let gutter = view.lineNumbers ? 7 : 0
    return DetailPage.Geometry(
      width: max(10, layout.detail.width - 2 - gutter), height: layout.detail.height, wraps: view.wrap)
  }

  // MARK: Search

  /// Looks for the text in the body as it is typed; goes to the first place at or after the cursor.
  mutating func search(_ text: String) {
    changePage { page in
      page.search = PageSearch(text, in: page.body)
      if let hit = page.search.hit(from: 0) { page.goTo(hit: hit) }
    }
  }

  mutating func nextMatch(_ step: Int) {
    let search = detail.page.search
    guard search.count > 0 else {
      return say(.info, search.text.isEmpty ? "Search first: press /." : "“\(search.text)” is not in the body.")
    }
    let next = ((search.current ?? -step) + step + search.count) % search.count
    changePage { $0.goTo(hit: next) }
  }

  mutating func goTo(line text: String) {
    guard let line = Int(text.filter { $0 != "," }), line > 0 else {
      return say(.error, "“\(text)” is no line number.")
    }
    changePage { $0.goTo(line: line) }
  }
}
