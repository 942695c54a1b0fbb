/// One change of the board, by a person, a controller, a file or a process.
package enum StubEdit: Hashable, Sendable {
  /// A new stub made on screen or by a controller; without an index it comes first.
  case add(Stub, at: Int?)
  /// Another stub in the place of that one; its name may change. For a stub of code this overrides it.
  case replace(name: String, with: Stub)
  case remove(name: String)
  /// To that place in the list; stubs of code stay last.
  case move(name: String, to: Int)
  case setEnabled(name: String, Bool)
  case setAllEnabled(Bool)
  /// Back to what the file (or the code) says; a removed stub comes back.
  case revert(name: String)
  case revertAll
  /// Back to the order of the files.
  case resetOrder
  /// A file was read, for the first time or again. Stubs edited on screen stay as edited.
  case fileLoaded(path: String, [Stub])
  /// The file is no longer watched; its stubs go.
  case fileForgotten(path: String)
  /// An earlier state as a whole, to undo. The revision rises all the same.
  case restore(StubBoard)

  /// What was done, for a message and the list of undoable changes: "add `x`".
  package var title: String {
    switch self {
    case .add(let stub, _): "add `\(stub.name)`"
    case .replace(let name, let stub): name == stub.name ? "edit `\(name)`" : "edit `\(name)`, now `\(stub.name)`"
    case .remove(let name): "remove `\(name)`"
    case .move(let name, _): "move `\(name)`"
    case .setEnabled(let name, let on): "switch `\(name)` \(on ? "on" : "off")"
    case .setAllEnabled(let on): "switch all stubs \(on ? "on" : "off")"
    case .revert(let name): "revert `\(name)`"
    case .revertAll: "revert all stubs"
    case .resetOrder: "put the order of the files back"
    case .fileLoaded(let path, _): "read \(path)"
    case .fileForgotten(let path): "forget \(path)"
    case .restore: "undo"
    }
  }
}
