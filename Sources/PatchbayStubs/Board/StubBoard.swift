/// All stubs that the console knows, with where each came from. The set for the hooks is made of it.
public struct StubBoard: Hashable, Sendable {
  public var revision: UInt64
  /// In the order in which they are tried; stubs of code come last.
  public var entries: [Entry]

  public struct Entry: Hashable, Sendable, Identifiable {
    public var stub: Stub
    public var origin: Origin
    /// Edited on screen or by a controller since it was read from its file, and neither written nor reverted.
    public var edited: Bool
    /// The stub as its file has it; nil for stubs that no file has.
    public var baseline: Stub?

    public var id: String { stub.name }

    public init(stub: Stub, origin: Origin, edited: Bool = false, baseline: Stub? = nil) {
      self.stub = stub
      self.origin = origin
      self.edited = edited
      self.baseline = baseline
    }
  }

  public enum Origin: Hashable, Sendable {
    /// The stub file's path as it was given.
    case file(String)
    /// Made on screen or by a controller.
    case console
    /// Declared in the code of that process (name and pid).
    case code(String)
  }

  public init(revision: UInt64 = 0, entries: [Entry] = []) {
    self.revision = revision
    self.entries = entries
  }

  public var stubs: [Stub] { entries.map(\.stub) }

  public subscript(_ name: String) -> Entry? { entries.first { $0.stub.name == name } }
}
