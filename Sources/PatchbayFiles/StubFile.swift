import Foundation
import PatchbayStubs
import PatchbaySystem

/// A stub file as it was read: its text, and the stubs in it with their places.
package struct StubFile: Hashable, Sendable {
  /// As it was given.
  package var path: String
  package var text: String
  package var format: Format
  package var document: DocumentNode
  package var located: [StubSchema.Located]

  package enum Format: String, Hashable, Sendable {
    case yaml
    case json
  }

  /// Larger files are not read.
  package static let sizeLimit = TextFile.limit

  package var stubs: [Stub] { located.map(\.stub) }

  /// Reads a file; the error has all its mistakes. The files of `file:` bodies must be there.
  package static func read(_ path: String) throws(FilesError) -> StubFile {
    try parse(try TextFile.text(path), path: path, checksBodies: true)
  }

  /// Reads a text as the file of that path would be read.
  ///
  /// - Parameters:
  ///   - checksBodies: whether the files of `file:` bodies must be there.
  ///   - beforeBodies: is told their paths before it is looked whether they are.
  package static func parse(
    _ text: String, path: String, checksBodies: Bool = false, beforeBodies: ([String]) -> Void = { _ in }
  ) throws(FilesError) -> StubFile {
    let format = format(of: text, path: path)
    let node: DocumentNode
    var mistakes: [StubError] = []
    do throws(StubError) {
      (node, mistakes) = try documentWithRepeats(text, format)
    } catch { throw FilesError(path: path, [error]) }
    let read = StubSchema.document(node, source: text)
    mistakes += read.mistakes
    if checksBodies {
      beforeBodies(read.files.map { BodyFile.path($0.path, stubFile: path) })
      mistakes += read.files.compactMap { BodyFile.mistake($0, stubFile: path) }
    }
    guard mistakes.isEmpty else { throw FilesError(path: path, StubSchema.inOrder(mistakes)) }
    return StubFile(path: path, text: text, format: format, document: node, located: read.stubs)
  }

  /// Whether the text is JSON: by the path's end, else by its first character.
  static func format(of text: String, path: String) -> Format {
    let name = path.lowercased()
    if name.hasSuffix(".json") { return .json }
    if name.hasSuffix(".yaml") || name.hasSuffix(".yml") { return .yaml }
    return text.first { !$0.isWhitespace } == "{" ? .json : .yaml
  }

  private static func documentWithRepeats(
    _ text: String, _ format: Format
  ) throws(StubError) -> (DocumentNode, [StubError]) {
    switch format {
    case .json: (try DocumentNode(parsingJSON: Array(text.utf8)), [])
    case .yaml: try YAMLReader.documentWithRepeats(text)
    }
  }

  private static func document(_ text: String, _ format: Format) throws(StubError) -> DocumentNode {
    switch format {
    case .json: try DocumentNode(parsingJSON: Array(text.utf8))
    case .yaml: try YAMLReader.document(text)
    }
  }

  /// One stub as the YAML that a stub file has for it, `- name: …` on, with a line end at the end.
  package static func yaml(_ stub: Stub) -> String {
    YAMLWriter.item(stub.json).joined(separator: "\n") + "\n"
  }

  /// A whole stub file of these stubs.
  ///
  /// - Parameters:
  ///   - notes: comments before the stub of that name.
  ///   - head: comments at the beginning.
  package static func yaml(_ stubs: [Stub], notes: [String: [String]] = [:], head: [String] = []) -> String {
    let list = stubs.map { comments(notes[$0.name] ?? []) + yaml($0) }.joined(separator: "\n")
    return comments(head) + "patchbay: \(StubSchema.version)\n"
      + (stubs.isEmpty ? "stubs: []\n" : "stubs:\n" + list)
  }

  /// Stubs as a person copies them: a whole stub file. What the program answers in its own code no file can hold; of such
  /// a stub a comment says so, with what can be said of it.
  package static func copy(_ stubs: [Stub]) -> String {
    let inCode = stubs.filter(\.then.hasCode)
    let said = inCode.flatMap { stub -> [String] in
      var known = stub.json
      if case .object(let members) = known { known = .object(members.filter { $0.name != "then" }) }
      return ["The stub “\(stub.name)” is answered by the program's code, which no file can hold:"]
        + YAMLWriter.item(known)
    }
    return yaml(stubs.filter { !$0.then.hasCode }, head: said)
  }

  /// A line each, whatever is in them.
  private static func comments(_ texts: [String]) -> String {
    texts.map { text in
      let line = text.unicodeScalars.map { scalar -> Character in
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: "?"
        default: Character(scalar)
        }
      }
      return "# \(String(line))\n"
    }
    .joined()
  }

  /// Reads the YAML (or JSON) of one stub, as a person edits it in an editor: a list with one stub, a stub alone, or a
  /// whole file with one. The error has all mistakes.
  package static func stub(_ text: String, path: String = "stub.yaml") throws(FilesError) -> Stub {
    do throws(StubError) {
      var node = try document(text, format(of: text, path: path))
      if case .map = node.value, let list = node["stubs"] { node = list }
      if case .list(let items) = node.value {
        guard items.count == 1 else {
          throw StubError("one stub was expected, not \(items.count)", at: node.position)
        }
        node = items[0]
      }
      return try StubSchema.stub(node, allowsCode: true)
    } catch {
      throw FilesError(path: path, [error])
    }
  }
}

/// Several stub files together: earlier ones win, and no name is there twice.
package struct StubFiles: Hashable, Sendable {
  package var files: [StubFile]

  /// Reads them all; the error has the mistakes of all of them.
  package static func read(_ paths: [String]) throws(FilesError) -> StubFiles {
    var files: [StubFile] = []
    var mistakes: [FileMistake] = []
    for path in paths {
      do throws(FilesError) { files.append(try StubFile.read(path)) } catch { mistakes += error.mistakes }
    }
    let all = mistakes + duplicates(files)
    guard all.isEmpty else { throw FilesError(all) }
    return StubFiles(files: files)
  }

  /// Files that were read one by one; the error has the names that are there twice.
  package init(checking files: [StubFile]) throws(FilesError) {
    let mistakes = Self.duplicates(files)
    guard mistakes.isEmpty else { throw FilesError(mistakes) }
    self.files = files
  }

  init(files: [StubFile]) { self.files = files }

  package var stubs: [Stub] { files.flatMap(\.stubs) }

  /// What is allowed and hardly meant, each with its place: globs that no request has, lengths that a request does not have,
  /// and stubs of which an earlier one takes everything.
  package var warnings: [FileMistake] {
    files.flatMap { file in
      file.located.flatMap { located in
        (located.node["when"].map { Self.doubts($0, path: file.path) } ?? [])
          + (located.node["then"]?["pass"]?["request"]?["headers"].map { Self.framing($0, path: file.path) } ?? [])
      }
    } + shadowed
  }

  /// A length that is sent and is not the body's: the server waits for the rest until the request times out.
  private static func framing(_ headers: DocumentNode, path: String) -> [FileMistake] {
    headers.entries.filter { $0.key.caseInsensitiveEquals("Content-Length") && !$0.value.isNull }.map { entry in
      FileMistake(
        path: path, position: entry.value.position,
        message:
          "`Content-Length` is counted from what is sent: leave it out, or the server may wait for bytes that never come"
      )
    }
  }

  /// Of a pattern and its alternatives; in `not` such a text does no harm.
  private static func doubts(_ when: DocumentNode, path: String) -> [FileMistake] {
    var found: [FileMistake] = []
    for key in PatternDoubt.keys {
      guard let value = when[key] else { continue }
      for item in value.list ?? [value] {
        guard case .scalar(let text, let kind) = item.value, kind != .null,
          let sentence = PatternDoubt.sentence(text, in: key)
        else { continue }
        found.append(FileMistake(path: path, position: item.position, message: sentence))
      }
    }
    return found + (when["any"]?.list ?? []).flatMap { doubts($0, path: path) }
  }

  private var shadowed: [FileMistake] {
    let all = files.flatMap { file in file.located.map { (file.path, $0) } }
    return ShadowCheck.findings(all.map(\.1.stub)).map { finding in
      let (path, located) = all[finding.index]
      let (otherPath, other) = all[finding.by]
      let place = otherPath == path ? "" : " in \(otherPath)"
      let line = (other.namePosition ?? other.node.position).map { " (line \($0.line)\(place))" } ?? place
      return FileMistake(
        path: path, position: located.namePosition ?? located.node.position,
        message:
          "the stub `\(located.stub.name)` can never match: `\(other.stub.name)`\(line) comes before it and takes "
          + "every request that it could")
    }
  }

  private static func duplicates(_ files: [StubFile]) -> [FileMistake] {
    var seen: [String: (path: String, position: SourcePosition?)] = [:]
    var mistakes: [FileMistake] = []
    var paths: Set<String> = []
    for file in files {
      guard paths.insert(URL(fileURLWithPath: file.path).resolvingSymlinksInPath().path).inserted else {
        mistakes.append(FileMistake(path: file.path, position: nil, message: "the file is given twice: name it once"))
        continue
      }
      for located in file.located {
        guard let first = seen[located.stub.name] else {
          seen[located.stub.name] = (file.path, located.namePosition)
          continue
        }
        let place = first.position.map { "\(first.path):\($0.line)" } ?? first.path
        mistakes.append(
          FileMistake(
            path: file.path, position: located.namePosition,
            message: "the name `\(located.stub.name)` is taken by a stub of another file (\(place))"))
      }
    }
    return mistakes
  }
}

/// The files that `file:` bodies name, relative to the stub file.
package enum BodyFile {
  /// Larger bodies are refused.
  package static let limit = 64 << 20

  /// Where the file lies: beside the stub file, unless the path is absolute or begins with `~/`.
  package static func path(_ path: String, stubFile: String) -> String {
    if path.hasPrefix("/") { return path }
    if path.hasPrefix("~/") { return Path.expandingTilde(path) }
    return stubFile.contains("/") ? Path.join(Path.folder(of: stubFile), path) : path
  }

  /// The bytes of the files that the action names; the error has all that cannot be read.
  package static func read(_ action: Action, stubFile: String) throws(FilesError) -> [String: Data] {
    var found: [String: Data] = [:]
    var mistakes: [FileMistake] = []
    for name in action.bodyFiles {
      do throws(FilesError) {
        found[name] = try TextFile.bytes(path(name, stubFile: stubFile), limit: limit)
      } catch {
        mistakes += error.mistakes
      }
    }
    guard mistakes.isEmpty else { throw FilesError(mistakes) }
    return found
  }

  static func mistake(_ file: StubSchema.FileReference, stubFile: String) -> StubError? {
    let place = path(file.path, stubFile: stubFile)
    var facts = stat()
    guard stat(place, &facts) == 0 else {
      let what = file.isFolder ? "the folder \(place)" : "the file of this body, \(place),"
      return StubError("\(what) cannot be read: \(TextFile.reason(errno))", at: file.position)
    }
    if file.isFolder {
      return facts.st_mode & S_IFMT == S_IFDIR ? nil : StubError("\(place) is no folder", at: file.position)
    }
    guard facts.st_mode & S_IFMT == S_IFREG else {
      return StubError("\(place) is no file", at: file.position)
    }
    guard facts.st_size <= off_t(limit) else {
      return StubError("\(place) is larger than \(limit >> 20) MiB; use `filler` for a huge body", at: file.position)
    }
    return access(place, R_OK) == 0
      ? nil : StubError("the file of this body, \(place), cannot be read: \(TextFile.reason(errno))", at: file.position)
  }
}

extension Action {
  /// Whether the program's own code has a part in it.
  fileprivate var hasCode: Bool {
    switch self {
    case .code: true
    case .sequence(let steps, _): steps.contains(.code)
    case .respond, .fail, .pass, .hold: false
    }
  }
}
