extension StubBoard {
  /// Takes in what a file says. By their names in the file: stubs that were edited on screen stay as edited, the
  /// others become what the file says, those that it no longer has go unless they were edited. A stub that was only
  /// switched becomes what the file says and stays switched.
  mutating func load(_ path: String, _ stubs: [Stub]) throws(StubError) {
    if !files.contains(path) { files.append(path) }
    let origin = Origin.file(path)
    let names = Set(stubs.map(\.name))
    entries.removeAll {
      $0.origin == origin && !$0.isContentEdited && !names.contains($0.baseline?.name ?? $0.stub.name)
    }
    removed.removeAll { $0.origin == origin && !names.contains($0.baseline?.name ?? $0.stub.name) }
    for index in entries.indices where entries[index].origin == origin {
      // Edited, and gone from the file: it lives on as one made on screen.
      guard let name = entries[index].baseline?.name, !names.contains(name) else { continue }
      entries[index].baseline = nil
      entries[index].edited = true
    }
    var previous: String?
    for loaded in stubs {
      try merge(loaded, from: origin, of: names, after: previous)
      previous = loaded.name
    }
    orders[path] = stubs.map(\.name)
    if !isOrderEdited { sort(path, stubs.map(\.name)) }
  }

  /// Where all stubs stand as had nobody moved one, the order is the files' again: what was moved was moved back.
  mutating func settleOrder() {
    guard isOrderEdited else { return }
    var sorted = self
    sorted.sort()
    for case .file(let path) in Set(entries.map(\.origin)) {
      guard let names = orders[path] else { return }
      sorted.sort(path, names)
    }
    isOrderEdited = sorted.entries != entries
  }

  /// The names of the stubs made on screen, by the file that each is to be written to: the one of the nearest stub of a
  /// file above it, so that writing does not change which of two comes first; `home` for those above all of them.
  package func made(home: String) -> [String: Set<String>] {
    var made: [String: Set<String>] = [:]
    var nearest = home
    for entry in entries {
      switch entry.origin {
      case .file(let path): nearest = path
      case .console: made[nearest, default: []].insert(entry.stub.name)
      case .code: continue
      }
    }
    return made
  }

  /// - Parameter names: all that the file has.
  private mutating func merge(
    _ loaded: Stub, from origin: Origin, of names: Set<String>, after previous: String?
  ) throws(StubError) {
    let name = loaded.name
    if let gone = removed.firstIndex(where: { $0.origin == origin && $0.baseline?.name == name }) {
      removed[gone].baseline = loaded
      return
    }
    if let index = entries.firstIndex(where: { $0.origin == origin && $0.baseline?.name == name }) {
      if !entries[index].isContentEdited {
        let isSwitched = entries[index].edited
        let isOn = entries[index].stub.enabled
        entries[index].stub = loaded
        if isSwitched { entries[index].stub.enabled = isOn }
      }
      entries[index].baseline = loaded
      entries[index].edited = entries[index].stub != loaded
      return
    }
    let entry = Entry(stub: loaded, origin: origin, baseline: loaded)
    guard let taken = entries.firstIndex(where: { $0.stub.name == name }) else {
      return insert(entry, after: previous)
    }
    switch entries[taken].origin {
    case .code:
      entries.remove(at: taken)
      insert(entry, after: previous)
    case .file(let other) where Origin.file(other) != origin:
      throw StubError("The name `\(name)` is taken by a stub of \(other).")
    case .file, .console:
      // Made on screen and then written to the file: the two are one.
      let before = entries[taken].baseline
      entries[taken].origin = origin
      entries[taken].baseline = loaded
      entries[taken].edited = entries[taken].stub != loaded
      // Renamed on screen, and the file has it by both names: what it was is a stub of its own.
      if let before, names.contains(before.name) { try merge(before, from: origin, of: names, after: nil) }
    }
  }

  /// Puts an entry in: after the one before it in its file, else where its file begins.
  mutating func insert(_ entry: Entry, after previous: String? = nil) {
    if let previous,
      let index = entries.firstIndex(where: { $0.baseline?.name == previous && $0.origin == entry.origin })
    {
      entries.insert(entry, at: index + 1)
      return
    }
    let rank = rank(entry)
    let first = entries.firstIndex { $0.origin == entry.origin } ?? entries.firstIndex { self.rank($0) >= rank }
    let index = first ?? entries.count
    entries.insert(entry, at: index)
  }

  private func rank(_ entry: Entry) -> Int {
    switch entry.origin {
    case .code: -2
    case .console: -1
    case .file(let path): files.firstIndex(of: path) ?? files.count
    }
  }

  /// Back to the order that nobody has edited; a file's own order is the one of its stubs' baselines as they stand.
  mutating func sort() {
    let ranked = entries.enumerated().sorted { left, right in
      let before = rank(left.element)
      let after = rank(right.element)
      return before == after ? left.offset < right.offset : before < after
    }
    entries = ranked.map(\.element)
  }

  private mutating func sort(_ path: String, _ names: [String]) {
    let places = Dictionary(names.enumerated().map { ($0.element, $0.offset) }, uniquingKeysWith: { first, _ in first })
    let origin = Origin.file(path)
    func place(_ entry: Entry) -> Int { places[entry.baseline?.name ?? entry.stub.name] ?? Int.max }
    sort()
    guard let first = entries.firstIndex(where: { $0.origin == origin }) else { return }
    let group = entries.filter { $0.origin == origin }.enumerated().sorted { left, right in
      let before = place(left.element)
      let after = place(right.element)
      return before == after ? left.offset < right.offset : before < after
    }.map(\.element)
    entries.replaceSubrange(first..<(first + group.count), with: group)
  }
}
