/// The one schema of stubs: files in YAML and JSON, and stubs on the wire, are read and written by it.
public enum StubSchema {
  /// The version that files name after `patchbay:`.
  public static let version = 1

  /// The keys of each kind of map.
  public enum Keys {
    public static let file = ["patchbay", "stubs", "$schema"]
    public static let stub = ["name", "enabled", "when", "then", "skip", "chance", "seed", "times"]
    public static let when = [
      "method", "url", "scheme", "host", "port", "path", "query", "headers", "body", "process",
    ]
    public static let body = ["contains", "equals", "matches", "json", "pointer", "form", "multipart"]
    public static let text = ["matches"]
    public static let actions = ["respond", "fail", "pass", "hold", "sequence"]
    public static let then = actions + ["afterwards"]
    public static let bodies = ["json", "body", "base64", "file", "filler"]
    public static let respond = ["status", "headers"] + bodies + ["delay", "throttle", "dribble"]
    public static let after = respond + ["bytes"]
    public static let fail = ["error", "domain", "code", "message", "delay", "after"]
    public static let pass = ["delay", "throttle", "dribble", "status", "headers", "mergePatch", "replace"]
    public static let replacement = ["find", "with"]
    public static let delay = ["from", "to"]
    public static let dribble = ["pieces", "over"]
  }

  /// A stub with its place in the text.
  public struct Located: Hashable, Sendable {
    public var stub: Stub
    public var node: DocumentNode
    public var namePosition: SourcePosition?
    /// The files that its bodies come from.
    public var files: [FileReference]
  }

  public struct FileReference: Hashable, Sendable {
    public var path: String
    public var position: SourcePosition?
  }

  /// A whole file: the stubs that are right, and all mistakes, in order.
  public struct Document: Hashable, Sendable {
    public var stubs: [Located]
    public var mistakes: [StubError]
    /// The files of all bodies, those of stubs with mistakes too.
    public var files: [FileReference]
  }

  /// Mistakes by their places.
  public static func inOrder(_ mistakes: [StubError]) -> [StubError] { mistakes.inOrder }

  /// Reads a whole file.
  public static func document(_ node: DocumentNode) -> Document {
    let reader = SchemaReader()
    let stubs = reader.file(node)
    return Document(stubs: stubs, mistakes: reader.mistakes.inOrder, files: reader.allFiles)
  }

  /// Reads one stub; the error has all mistakes in one sentence each.
  ///
  /// - Parameter allowsCode: whether the code of the program may stand as its action, as in a stub that it declares.
  public static func stub(_ node: DocumentNode, allowsCode: Bool = false) throws(StubError) -> Stub {
    let reader = SchemaReader(allowsCode: allowsCode)
    let located = reader.stub(node)
    return try reader.finish(located?.stub)
  }
}

extension [StubError] {
  /// By their places; those of the same place in the order found.
  var inOrder: [StubError] {
    enumerated().sorted { left, right in
      let before = left.element.position ?? SourcePosition(line: 0, column: 0)
      let after = right.element.position ?? SourcePosition(line: 0, column: 0)
      return before == after ? left.offset < right.offset : before < after
    }.map(\.element)
  }
}
