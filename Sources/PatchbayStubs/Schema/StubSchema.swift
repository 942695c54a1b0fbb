/// The one schema of stubs: files in YAML and JSON, and stubs on the wire, are read and written by it.
package enum StubSchema {
  /// The version that files name after `patchbay:`.
  package static let version = 1

  /// The keys of each kind of map.
  package enum Keys {
    package static let file = ["patchbay", "stubs", "$schema"]
    package static let stub = ["name", "enabled", "when", "then", "skip", "chance", "seed", "times", "scenario"]
    package static let when = [
      "method", "url", "scheme", "host", "port", "path", "query", "headers", "body", "process", "any", "not",
    ]
    package static let body = ["contains", "equals", "matches", "json", "pointer", "form", "multipart", "graphql"]
    package static let text = ["matches", "not"]
    package static let graphql = ["operation", "variables"]
    package static let scenario = ["name", "in", "to"]
    package static let event = ["event", "id", "data", "after"]
    package static let actions = ["respond", "fail", "pass", "hold", "sequence"]
    package static let then = actions + ["afterwards"]
    package static let bodies = ["json", "body", "base64", "file", "filler", "folder", "events"]
    package static let respond = ["status", "headers"] + bodies + ["otherwise", "delay", "throttle", "dribble"]
    package static let after = respond.filter { !["folder", "otherwise", "events"].contains($0) } + ["bytes"]
    package static let fail = ["error", "domain", "code", "message", "delay", "after"]
    package static let pass = [
      "to", "request", "delay", "throttle", "dribble", "status", "headers", "mergePatch", "replace",
    ]
    package static let requestBodies = ["json", "body", "base64", "file"]
    package static let request =
      ["method", "scheme", "host", "port", "path", "query", "headers"] + requestBodies + ["mergePatch", "replace"]
    package static let replacement = ["find", "with"]
    package static let delay = ["from", "to"]
    package static let dribble = ["pieces", "over"]
  }

  /// A stub with its place in the text.
  package struct Located: Hashable, Sendable {
    package var stub: Stub
    package var node: DocumentNode
    package var namePosition: SourcePosition?
    /// The files that its bodies come from.
    package var files: [FileReference]
  }

  package struct FileReference: Hashable, Sendable {
    package var path: String
    package var position: SourcePosition?
    /// A folder that answers, rather than a body.
    package var isFolder = false
  }

  /// A whole file: the stubs that are right, and all mistakes, in order.
  package struct Document: Hashable, Sendable {
    package var stubs: [Located]
    package var mistakes: [StubError]
    /// The files of all bodies, those of stubs with mistakes too.
    package var files: [FileReference]
  }

  /// Mistakes by their places.
  package static func inOrder(_ mistakes: [StubError]) -> [StubError] { mistakes.inOrder }

  /// Reads a whole file.
  ///
  /// - Parameter source: its text, for the places of mistakes within one value.
  package static func document(_ node: DocumentNode, source: String? = nil) -> Document {
    let reader = SchemaReader(source: source)
    let stubs = reader.file(node)
    return Document(stubs: stubs, mistakes: reader.mistakes.inOrder, files: reader.allFiles)
  }

  /// Reads one stub; the error has all mistakes in one sentence each.
  ///
  /// - Parameter allowsCode: whether the code of the program may stand as its action, as in a stub that it declares.
  package static func stub(_ node: DocumentNode, allowsCode: Bool = false) throws(StubError) -> Stub {
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
