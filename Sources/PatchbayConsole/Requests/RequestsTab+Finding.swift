import PatchbayGrid
import PatchbayInspect
import PatchbayStubs
import PatchbayWire

/// A filter that the person keeps under a name.
package struct SavedFilter: Sendable, Equatable {
  package var name: String
  package var filter: String

  package init(name: String, filter: String) {
    self.name = name
    self.filter = filter
  }

  /// What is there before anything was saved.
  package static let usual = [
    SavedFilter(name: "bad", filter: "is:bad"), SavedFilter(name: "slow", filter: "time:>1s"),
    SavedFilter(name: "last 5 minutes", filter: "since:5m"), SavedFilter(name: "this run", filter: Filter.lastRun),
  ]

  /// As many as there are digits to choose them by.
  static let most = 9
}

// Finding requests by what is under the cursor, by filters that were saved, and by what the person said of them.

extension RequestsTab {
  // MARK: By the selected request

  /// What of the selected request can be asked for, or hidden: letter, name, the condition, and what it says.
  private func conditions(of row: ExchangeSummary) -> [(key: String, label: String, term: String, value: String)] {
    let path = Endpoint.folded(url: row.url)
    let host = "host:\(FilterValue.containing(row.authority))"
    var endpoint = "\(host) path:\(FilterValue.whole(path)) method:\(row.method)"
    var found = [
      ("h", "host", host, row.authority), ("p", "path", "path:\(FilterValue.whole(path))", path),
      ("m", "method", "method:\(row.method)", row.method),
    ]
    if let operation = row.operation {
      let term = "op:\(FilterValue.whole(operation))"
      endpoint += " \(term)"
      found.append(("o", "operation", term, operation))
    }
    let look = OutcomeLook(row)
    if let error = row.error {
      let name = error.name ?? String(error.code)
      found.append(("s", "outcome", "error:\(Filter.quotedIfNeeded(name))", look.text))
    } else if let status = row.status {
      found.append(("s", "status", "status:\(status)", look.text))
    }
    if let stub = row.stub {
      found.append(("b", "stub", "stub:\(FilterValue.containing(stub))", stub))
    } else {
      found.append(("b", "answered by", "by:\(row.by.rawValue)", row.by.rawValue))
    }
    found.append(("a", "program", "process:\(row.process.pid)", "\(row.process.name) \(row.process.pid)"))
    if let type = row.responseType ?? row.requestType {
      let media = type.prefix { $0 != ";" }.lowercased()
      found.append(("t", "type", "type:\(FilterValue.containing(media))", media))
    }
    if let run = row.run { found.append(("r", "run", "run:\(run)", String(run))) }
    for tag in row.tags.prefix(1) { found.append(("g", "tag", "tag:\(FilterValue.containing(tag))", tag)) }
    if row.isBad { found.append(("f", "failed, this method", "is:bad method:\(row.method)", "is:bad \(row.method)")) }
    found.insert(("e", "this endpoint", endpoint, "\(row.method) \(row.authority)\(path)"), at: 0)
    return found
  }

  /// - Parameter hides: those like it are left out, else all others are.
  func openConditions(hides: Bool, _ out: inout Outcomes) {
    guard let selected else { return }
    var items = conditions(of: selected).map { key, label, term, value in
      let isWhole = !term.contains(" ")
      let added = hides ? (isWhole ? "-\(term)" : "-(\(term))") : term
      return Menu<[Outcome]>.Item(
        key, label, detail: value, [.requests(.applyFilter(Filter.text(bar.applied, and: added)))])
    }
    if !hides { items += otherConditions }
    out.open(
      MenuBox(
        Menu(title: hides ? "Hide requests with the same" : "Only requests with the same", items: items)))
  }

  /// What is often wanted beside them.
  private var otherConditions: [Menu<[Outcome]>.Item] {
    [
      .init(
        "5", "last 5 minutes", detail: "since:5m", [.requests(.applyFilter(Filter.text(bar.applied, and: "since:5m")))]),
      .init("c", "body contains …", detail: "body:", [.requests(.typeFilter(adding: "body:"))]),
    ]
  }

  // MARK: Saved filters

  func openSavedFilters(_ context: ConsoleContext, _ out: inout Outcomes) {
    let saved = context.view.filters
    var items = saved.prefix(SavedFilter.most).enumerated().map { place, filter in
      Menu<[Outcome]>.Item(
        String(place + 1), filter.name, detail: filter.filter, isOn: filter.filter == bar.applied,
        [.requests(.applyFilter(filter.filter))])
    }
    if !bar.applied.isEmpty, !saved.contains(where: { $0.filter == bar.applied }) {
      let name = FilterValue.name(for: bar.applied)
      items.append(
        .init("s", "Save this filter", detail: bar.applied, [.open(Prompt(.filterName, proposing: name))]))
    }
    if !saved.isEmpty { items.append(.init("d", "Remove one", [.requests(.forgetFilters)])) }
    guard !items.isEmpty else { return out.say(.info, "No filter is saved: type one with /, then f and s save it.") }
    out.open(MenuBox(Menu(title: "Saved filters", items: items)))
  }

  func openForgetFilters(_ context: ConsoleContext, _ out: inout Outcomes) {
    let items = context.view.filters.prefix(SavedFilter.most).enumerated().map { place, filter in
      var view = context.view
      view.filters.remove(at: place)
      return Menu<[Outcome]>.Item(
        String(place + 1), filter.name, detail: filter.filter,
        [.view(view), .say(Notice(.good, "Removed the filter “\(filter.name)”."))])
    }
    out.open(MenuBox(Menu(title: "Remove which filter?", items: items)))
  }

  func saveFilter(_ name: String, _ context: ConsoleContext, _ out: inout Outcomes) {
    let name = String(name.trimmed.prefix(40))
    guard !name.isEmpty, !bar.applied.isEmpty else { return }
    var view = context.view
    view.filters.removeAll { $0.name == name }
    guard view.filters.count < SavedFilter.most else {
      return out.say(.warning, "There are \(SavedFilter.most) already: f and d remove one.")
    }
    view.filters.append(SavedFilter(name: name, filter: bar.applied))
    out.add(.view(view))
    out.say(.good, "Saved as “\(name)”: f and \(view.filters.count) bring it back.")
  }

  // MARK: Tags and notes

  func askForTags(_ out: inout Outcomes) {
    let ids = list.marksOrSelected
    guard let first = ids.first else { return }
    let tags = ids.count == 1 ? list.cache[first]?.tags ?? [] : []
    out.ask(.tags(ids), proposing: tags.joined(separator: " "))
  }

  func askForNote(_ out: inout Outcomes) {
    guard let selected else { return }
    out.ask(.note(selected.id), proposing: selected.note ?? "")
  }

  /// Tags of one request are as they were typed; to several they are added.
  mutating func setTags(_ text: String, of ids: [Int64], _ context: ConsoleContext, _ out: inout Outcomes) {
    let typed = Remark.tags([text])
    var (before, after): ([Int64: Remark], [Int64: Remark]) = ([:], [:])
    for row in ids.compactMap({ list.cache[$0] }) {
      before[row.id] = Remark(row)
      after[row.id] = Remark(tags: ids.count == 1 ? typed : row.tags + typed, note: row.note)
    }
    let what = typed.isEmpty ? "Removed the tags from" : "Tagged"
    change(before, to: after, "\(what) \(words(for: Array(after.keys)))", context, &out)
  }

  mutating func setNote(_ text: String, of id: Int64, _ context: ConsoleContext, _ out: inout Outcomes) {
    guard let row = list.cache[id] else { return out.say(.error, "That request is no longer recorded.") }
    let after = Remark(tags: row.tags, note: text)
    let what = after.note == nil ? "Removed the note from" : "Noted"
    change([id: Remark(row)], to: [id: after], "\(what) \(words(for: [id]))", context, &out)
  }

  private mutating func change(
    _ before: [Int64: Remark], to after: [Int64: Remark], _ title: String, _ context: ConsoleContext,
    _ out: inout Outcomes
  ) {
    guard before != after else { return }
    out.add(.done(title, .remarked(from: before, to: after)))
    out.say(.good, "\(title).", undoable: true)
    setRemarks(after, context, &out)
  }
}

extension FilterValue {
  /// What a filter may be called, such as `api 5xx` for `host:api status:5xx`.
  static func name(for filter: String) -> String {
    let words = filter.split(separator: " ").map { word in
      word.split(separator: ":", maxSplits: 1).last.map(String.init) ?? String(word)
    }
    return String(words.joined(separator: " ").prefix(24))
  }
}
