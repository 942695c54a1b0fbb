/// All stubs that the console knows, with where each came from. The set for the hooks is made of it.
///
/// The order, until someone moves a stub: those made on screen first, the newest on top, as who makes a stub expects
/// it to win; then the files in the order given, each in its own order; those of code last.
package struct StubBoard: Hashable, Sendable {
  package var revision: UInt64
  /// In the order in which they are tried; stubs of code come last.
  package var entries: [Entry]
  /// The stub files in the order in which they were given; earlier ones win.
  package var files: [String] = []
  /// Stubs of files that were removed on screen, until they are removed from their file or brought back.
  package var removed: [Entry] = []
  /// Someone moved a stub: files that are read again no longer put their own order back.
  package var isOrderEdited = false

  package struct Entry: Hashable, Sendable, Identifiable {
    package var stub: Stub
    package var origin: Origin
    /// Edited on screen or by a controller since it was read from its file, and neither written nor reverted.
    package var edited: Bool
    /// The stub as its file has it; nil for stubs that no file has.
    package var baseline: Stub?

    package var id: String { stub.name }

    package init(stub: Stub, origin: Origin, edited: Bool = false, baseline: Stub? = nil) {
      self.stub = stub
      self.origin = origin
      self.edited = edited
      self.baseline = baseline
    }
  }

  package enum Origin: Hashable, Sendable {
    /// The stub file's path as it was given.
    case file(String)
    /// Made on screen or by a controller.
    case console
    /// Declared in the code of that process (name and pid).
    case code(String)

    package var isCode: Bool {
      if case .code = self { return true }
      return false
    }
  }

  package init(revision: UInt64 = 0, entries: [Entry] = []) {
    self.revision = revision
    self.entries = entries
  }

  package var stubs: [Stub] { entries.map(\.stub) }

  package subscript(_ name: String) -> Entry? { entries.first { $0.stub.name == name } }
}
