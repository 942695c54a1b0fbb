extension StubBoard {
  /// The board after one change, its revision one higher (the same when nothing changed). The error says why the
  /// change cannot be made.
  package func apply(_ edit: StubEdit) throws(StubError) -> StubBoard {
    var board = self
    try board.perform(edit)
    switch edit {
    case .add, .remove, .move, .revert, .replace: board.settleOrder()
    default: break
    }
    if board == self { return self }
    board.revision = revision + 1
    return board
  }

  private mutating func perform(_ edit: StubEdit) throws(StubError) {
    switch edit {
    case .add(let stub, let index): try add(stub, at: index)
    case .replace(let name, let stub): try replace(name, with: stub)
    case .remove(let name): try remove(name)
    case .move(let name, let index): try move(name, to: index)
    case .setEnabled(let name, let on): setEnabled(try index(of: name), on)
    case .setAllEnabled(let on): for index in entries.indices { setEnabled(index, on) }
    case .setPaused(let paused): isPaused = paused
    case .setSetPaused(let set, let paused):
      if !paused {
        pausedSets.remove(set)
      } else if sets.contains(set) {
        pausedSets.insert(set)
      } else {
        throw StubError("There is no stub of that set.")
      }
    case .revert(let name): try revert(name)
    case .revertAll:
      let names = entries.filter(\.edited).map(\.stub.name) + removed.map(\.stub.name)
      for name in names { try revert(name) }
    case .resetOrder:
      isOrderEdited = false
      sort()
    case .fileLoaded(let path, let stubs): try load(path, stubs)
    case .fileForgotten(let path):
      files.removeAll { $0 == path }
      orders[path] = nil
      pausedSets.remove(.file(path))
      entries.removeAll { $0.origin == .file(path) }
      removed.removeAll { $0.origin == .file(path) }
    case .restore(let board): self = board
    }
  }

  func index(of name: String) throws(StubError) -> Int {
    if let index = entries.firstIndex(where: { $0.stub.name == name }) { return index }
    let end = NearestName.hint(for: name, among: entries.map(\.stub.name), otherwise: ".")
    throw StubError("There is no stub named `\(name)`\(end)")
  }

  private func checkName(_ name: String, except index: Int? = nil) throws(StubError) {
    if name.allSatisfy(\.isWhitespace) { throw StubError("A stub needs a name that is not empty.") }
    if entries.indices.contains(where: { $0 != index && entries[$0].stub.name == name && !entries[$0].origin.isCode }) {
      throw StubError("The name `\(name)` is taken by another stub; `\(freeName(name))` is free.")
    }
  }

  private mutating func add(_ stub: Stub, at index: Int?) throws(StubError) {
    try checkName(stub.name)
    // A stub of that name in code is overridden by this one.
    entries.removeAll { $0.origin.isCode && $0.stub.name == stub.name }
    let first = countOfCode
    let place = min(max(index ?? first, first), entries.count)
    entries.insert(Entry(stub: stub, origin: .console), at: place)
    if place > first { isOrderEdited = true }
  }

  private mutating func replace(_ name: String, with stub: Stub) throws(StubError) {
    let index = try index(of: name)
    try checkName(stub.name, except: index)
    if entries[index].origin.isCode, stub.name != name {
      throw StubError("The stub `\(name)` is declared in code; its name cannot be changed here.")
    }
    entries[index].stub = stub
    markEdited(index)
  }

  private mutating func remove(_ name: String) throws(StubError) {
    let index = try index(of: name)
    if case .code(let process) = entries[index].origin {
      throw StubError("The stub `\(name)` is declared in the code of \(process); switch it off instead.")
    }
    let entry = entries.remove(at: index)
    if entry.baseline != nil { removed.append(entry) }
  }

  private mutating func move(_ name: String, to index: Int) throws(StubError) {
    let old = try self.index(of: name)
    if case .code(let process) = entries[old].origin {
      throw StubError("The stub `\(name)` is declared in the code of \(process); stubs of code come first.")
    }
    let place = min(max(index, countOfCode), entries.count - 1)
    guard place != old else { return }
    let entry = entries.remove(at: old)
    entries.insert(entry, at: place)
    isOrderEdited = true
  }

  private mutating func setEnabled(_ index: Int, _ on: Bool) {
    entries[index].stub.enabled = on
    markEdited(index)
  }

  private mutating func revert(_ name: String) throws(StubError) {
    if let gone = removed.firstIndex(where: { $0.stub.name == name }) {
      var entry = removed.remove(at: gone)
      entry.stub = entry.baseline ?? entry.stub
      entry.edited = false
      try checkName(entry.stub.name)
      insert(entry)
      return
    }
    let index = try index(of: name)
    guard let baseline = entries[index].baseline else {
      throw StubError("The stub `\(name)` was made here; there is no file to go back to.")
    }
    try checkName(baseline.name, except: index)
    entries[index].stub = baseline
    entries[index].edited = false
  }

  private mutating func markEdited(_ index: Int) {
    guard let baseline = entries[index].baseline else { return }
    entries[index].edited = entries[index].stub != baseline
  }

  /// How many stubs of code there are, behind which the others begin.
  package var countOfCode: Int { entries.prefix { $0.origin.isCode }.count }

  /// A name like the wanted one that no stub has: nor one that was removed on screen, which could else not come back.
  ///
  /// - Parameter own: Names of stubs that make room in the same change.
  package func freeName(_ wanted: String, besides own: [String] = []) -> String {
    Self.freeName(wanted, taken: Set(entries.map(\.stub.name)).subtracting(own).union(removed.map(\.stub.name)))
  }

  /// The wanted name, else the first one with a number behind it that is not taken: `x 2` after `x`, `x 3` after `x 2`.
  package static func freeName(_ wanted: String, taken: Set<String>) -> String {
    let trimmed = wanted.trimmingPrefix { $0.isWhitespace }
    let base = trimmed.isEmpty ? "stub" : String(trimmed)
    if !taken.contains(base) { return base }
    var stem = base[...]
    while stem.last?.isNumber == true { stem.removeLast() }
    let prefix = stem.last == " " && stem.count > 1 ? String(stem.dropLast()) : base
    var number = 2
    while taken.contains("\(prefix) \(number)") { number += 1 }
    return "\(prefix) \(number)"
  }
}
