import PatchbayFiles
import PatchbayServer
import PatchbayStubs

extension StubFileSet {
  /// Where stubs made on screen go when no stub file was given.
  static let newFile = "patchbay-stubs.yaml"

  /// Writes what was changed on screen to the files that it came from; stubs made on screen go to the file of the
  /// stub above them, so that the order stays, else to the first, or to a new one in the working directory.
  ///
  /// - Returns: a sentence that says what was written where.
  func write(_ server: ConsoleServer) throws -> String {
    let board = server.board
    let home = board.files.first ?? AbsolutePath.of(Self.newFile)
    let made = board.made(home: home)
    var paths: [String] = []
    for path in board.files.isEmpty ? [home] : board.files {
      let adding = made[path] ?? []
      guard board.isChanged(path) || !adding.isEmpty || board.isOrderEdited else { continue }
      let file = try StubFileWriter.write(board, to: path, adding: adding)
      try server.edit(by: .person) { board in
        board.entries.removeAll { $0.origin == .console && adding.contains($0.stub.name) }
        board.removed.removeAll { $0.origin == .file(path) }
        board = try board.apply(.fileLoaded(path: path, file.stubs))
      }
      paths.append(path)
    }
    guard !paths.isEmpty else { return "Nothing was changed since the stubs were read." }
    return "Wrote the stubs to \(paths.joined(separator: ", "))."
  }
}

extension StubBoard {
  /// Whether a stub of that file was edited or removed here.
  fileprivate func isChanged(_ path: String) -> Bool {
    entries.contains { $0.origin == .file(path) && $0.edited } || removed.contains { $0.origin == .file(path) }
  }
}
