import PatchbayFiles
import PatchbayServer
import PatchbayStubs
import Synchronization

/// The stub files of a console: read at the start, watched, and written when the person asks for it.
final class StubFileSet: Sendable {
  private struct State {
    /// As they were read first; the watch knows them as they are.
    var files: StubFiles
    var watch: StubFileWatch?
    var onNotice: (@Sendable (_ sentence: String, _ isError: Bool) -> Void)?
    /// Told before anybody listened.
    var early: [(String, Bool)] = []
  }

  private let state: Mutex<State>

  /// - Throws: all mistakes of all files with their places.
  init(_ paths: [String]) throws {
    state = Mutex(State(files: try StubFiles.read(paths.map(AbsolutePath.of))))
  }

  /// Where sentences about the files go; what came before is told at once.
  var onNotice: (@Sendable (_ sentence: String, _ isError: Bool) -> Void)? {
    get { state.withLock { $0.onNotice } }
    set {
      let early = state.withLock { state in
        state.onNotice = newValue
        defer { if newValue != nil { state.early = [] } }
        return newValue == nil ? [] : state.early
      }
      for (sentence, isError) in early { newValue?(sentence, isError) }
    }
  }

  /// Puts the stubs on the board, the first file first, and watches the files from now on.
  func putInForce(on server: ConsoleServer) throws {
    let files = files
    let marks = StubFileWatch.marks(of: files)
    for warning in files.warnings { tell("\(warning)", isError: false) }
    for file in files.files { try load(file, on: server) }
    watch(files, since: marks, for: server)
  }

  /// Reads one more file, whose stubs come after those of the files before it, and watches it too. One that is there
  /// already is read again.
  ///
  /// - Returns: the file as it was read; its path is absolute.
  /// - Throws: all its mistakes with their places; nothing has changed then.
  func add(_ path: String, to server: ConsoleServer) throws -> StubFile {
    let file = try StubFile.read(AbsolutePath.of(path))
    let together = try together(with: [file])
    let marks = StubFileWatch.marks(of: together)
    try load(file, on: server)
    watch(together, since: marks, for: server)
    for warning in together.warnings where warning.path == file.path { tell("\(warning)", isError: false) }
    return file
  }

  /// Files as they were just read, in place of what was known of them or behind the others.
  private func together(with read: [StubFile]) throws -> StubFiles {
    var all = files.files
    for file in read {
      if let known = all.firstIndex(where: { $0.path == file.path }) { all[known] = file } else { all.append(file) }
    }
    return try StubFiles(checking: all)
  }

  /// Takes the stubs of a file away and watches it no longer; the file stays as it is.
  func forget(_ path: String, on server: ConsoleServer) throws {
    try server.edit([.fileForgotten(path: path)], by: .person)
    try watch(StubFiles(checking: files.files.filter { $0.path != path }), for: server)
  }

  private var files: StubFiles { state.withLock { $0.watch?.files ?? $0.files } }

  private func watch(_ files: StubFiles, since marks: FileMarks = FileMarks(), for server: ConsoleServer) {
    let watch: StubFileWatch? =
      files.files.isEmpty
      ? nil
      : StubFileWatch(files, since: marks) { [weak self, weak server] reload in
        guard let self, let server else { return }
        reloaded(reload, server)
      }
    let previous = state.withLock { state in
      defer { (state.files, state.watch) = (files, watch) }
      return state.watch
    }
    previous?.stop()
  }

  func stop() {
    state.withLock { state in
      defer { state.watch = nil }
      return state.watch
    }?.stop()
  }

  private func load(_ file: StubFile, on server: ConsoleServer) throws {
    try server.edit(by: .file(file.path)) { board in
      board = try board.apply(.fileLoaded(path: file.path, file.stubs))
    }
  }

  private func reloaded(_ reload: StubFileWatch.Reload, _ server: ConsoleServer) {
    switch reload {
    case .loaded(let file, let warnings):
      do {
        try load(file, on: server)
        let count = file.stubs.count
        tell("Read \(file.path) again: \(count) stub\(count == 1 ? "" : "s").", isError: false)
        let kept = server.board.entries.filter { $0.origin == .file(file.path) && $0.isContentEdited }.map(\.stub.name)
        if let first = kept.first {
          let others = kept.count > 1 ? " and \(kept.count - 1) more" : ""
          tell(
            "“\(first)”\(others) stay\(kept.count == 1 ? "s" : "") as edited here, until written or reverted.",
            isError: false)
        }
        for warning in warnings { tell("\(warning)", isError: false) }
      } catch {
        tell("\(file.path): \(error)", isError: true)
      }
    case .broken(let path, let mistakes):
      let first = mistakes.first.map { "\($0)" } ?? path
      let more = mistakes.count > 1 ? " (and \(mistakes.count - 1) more mistakes)" : ""
      let end = first.hasSuffix("?") && more.isEmpty ? " The" : "; the"
      tell("\(first)\(more)\(end) last good stubs stay in force.", isError: true)
    case .bodiesChanged(let path):
      server.refreshBodies(by: .file(path))
    }
  }

  private func tell(_ sentence: String, isError: Bool) {
    let listener = state.withLock { state in
      if state.onNotice == nil { state.early.append((sentence, isError)) }
      return state.onNotice
    }
    listener?(sentence, isError)
  }
}

extension StubFileSet {
  /// Where stubs made on screen go when no stub file was given.
  private static let newFile = "patchbay-stubs.yaml"

  /// Writes what was changed on screen to the files that it came from; stubs made on screen go to the file of the
  /// stub above them, so that the order stays, else to the first, or to a new one in the working directory, which is watched
  /// from then on.
  ///
  /// - Returns: a sentence that says what was written where.
  func write(_ server: ConsoleServer) throws -> String {
    let board = server.board
    let home = board.files.first ?? AbsolutePath.of(Self.newFile)
    let made = board.made(home: home)
    var written: [StubFile] = []
    for path in board.files.isEmpty ? [home] : board.files {
      let adding = made[path] ?? []
      guard board.isChanged(path) || !adding.isEmpty || board.isOrderEdited else { continue }
      let file = try StubFileWriter.write(board, to: path, adding: adding)
      try server.edit(by: .person) { board in
        board.entries.removeAll { $0.origin == .console && adding.contains($0.stub.name) }
        board.removed.removeAll { $0.origin == .file(path) }
        board = try board.apply(.fileLoaded(path: path, file.stubs))
      }
      written.append(file)
    }
    guard !written.isEmpty else { return "Nothing was changed since the stubs were read." }
    // What stands in them is known, so that the watch tells only what others write.
    let together = try together(with: written)
    watch(together, for: server)
    for warning in together.warnings { tell("\(warning)", isError: false) }
    // The order is the files' now, where no file's stubs stand between another's and nobody has moved any meanwhile.
    if board.isOrderEdited {
      let order = board.entries.map(\.stub.name)
      try server.edit(by: .person) { board in
        let inOrder = try board.apply(.resetOrder)
        if inOrder.entries == board.entries, board.entries.map(\.stub.name) == order { board = inOrder }
      }
    }
    return "Wrote the stubs to \(written.map(\.path).joined(separator: ", "))."
  }
}

extension StubBoard {
  /// Whether a stub of that file was edited or removed here.
  fileprivate func isChanged(_ path: String) -> Bool {
    entries.contains { $0.origin == .file(path) && $0.edited } || removed.contains { $0.origin == .file(path) }
  }
}
