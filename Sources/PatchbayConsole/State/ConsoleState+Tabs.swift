import PatchbayInspect
import PatchbayStubs
import PatchbayWire

extension ConsoleState {
  mutating func run(_ command: TrafficCommand) {
    switch command {
    case .open: openTraffic()
    case .groupTraffic:
      traffic.grouping = traffic.grouping == .host ? .endpoint : .host
      traffic.scroll = ListScroll()
      loadTraffic()
    case .sort: sortTraffic(by: nextTrafficColumn)
    case .reverseSort:
      traffic.descending.toggle()
      traffic.sortRows()
    case .filter:
      show(.requests)
      openFilter()
    }
  }

  private var nextTrafficColumn: TrafficColumn {
    let all = TrafficColumn.allCases
    return all[((all.firstIndex(of: traffic.sort) ?? 0) + 1) % all.count]
  }

  mutating func sortTraffic(by column: TrafficColumn) {
    if traffic.sort == column { traffic.descending.toggle() } else { traffic.descending = column != .name }
    traffic.sort = column
    traffic.sortRows()
  }

  mutating func loadTraffic() {
    guard traffic.awaited == nil else { return }
    let token = newToken()
    traffic.awaited = token
    traffic.isStale = false
    effects.append(.loadTraffic(token: token, filter: requests.bar.applied))
  }

  mutating func take(_ report: TrafficReport, token: Int) {
    guard traffic.awaited == token else { return }
    traffic.awaited = nil
    let isFirst = traffic.rows.isEmpty
    traffic.rows = traffic.grouping == .host ? report.hosts : report.endpoints
    traffic.sortRows()
    if isFirst { traffic.scroll = ListScroll() }
  }

  private mutating func openTraffic() {
    guard let row = traffic.selected else { return }
    var filter = "host:\(FilterWord.containing(row.host))"
    if let path = row.endpoint { filter += " path:\(FilterWord.whole(path))" }
    if let method = row.method { filter += " method:\(method)" }
    show(.requests)
    applyFilter(filter)
  }

  mutating func run(_ command: ProcessesCommand) {
    guard let link = processes.selected else { return }
    switch command {
    case .open:
      show(.requests)
      applyFilter("process:\(link.process.pid)")
    case .degree:
      let all = HookSettings.Degree.allCases
      let next = all[((all.firstIndex(of: link.degree) ?? 0) + 1) % all.count]
      effects.append(.setDegree(instance: link.instance, next))
      // Shown at once, so that the next press goes on from here.
      processes.setDegree(next, of: link.instance)
      say(.info, "\(link.process.name) \(link.process.pid): \(DegreeText.sentence(next))")
    }
  }

  mutating func run(_ command: OutputCommand) {
    switch command {
    case .sendInput:
      guard case .run = setup.mode, output.ended == nil else {
        return say(.info, "There is no command that reads input.")
      }
      openPrompt(.commandInput, text: "")
    case .search: openPrompt(.searchOutput, text: output.search)
    case .nextMatch: searchOutput(output.search, step: 1)
    case .previousMatch: searchOutput(output.search, step: -1)
    case .follow:
      output.follows.toggle()
      if output.follows { output.scroll.selected = output.lines.count - 1 }
    case .wrap:
      view.wrap.toggle()
      saveView()
    }
  }

  /// Goes to the next line with a text from a line on, by default from the selected one.
  mutating func searchOutput(_ text: String, step: Int, from line: Int? = nil) {
    output.search = text
    guard !text.isEmpty else { return }
    guard let place = output.find(text, from: line ?? output.scroll.selected, step: step) else {
      return say(.info, "“\(text)” is not in the output.")
    }
    output.follows = false
    output.scroll.selected = place
  }
}

/// Values for the filter language.
enum FilterWord {
  /// A value that fits texts that hold it.
  static func containing(_ text: String) -> String { Filter.quotedIfNeeded(text.replacing("*", with: "\\*")) }

  /// A value that fits that whole text only; `{id}` in it fits anything.
  static func whole(_ path: String) -> String {
    if path.contains("{id}") { return Filter.quotedIfNeeded(path.replacing("{id}", with: "*")) }
    let special = Set("\\^$.|?*+()[]{}")
    let escaped = path.reduce(into: "") { $0 += special.contains($1) ? "\\\($1)" : String($1) }
    return Filter.quotedIfNeeded("~^\(escaped)$")
  }
}

/// What a degree means.
enum DegreeText {
  static func sentence(_ degree: HookSettings.Degree) -> String {
    switch degree {
    case .full: "full: reported, stubbed and held."
    case .observe: "observe: requests are seen when they start, nothing is changed."
    case .bypass: "bypass: left alone."
    }
  }
}
