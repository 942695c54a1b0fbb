import Foundation
import PatchbayStubs
import PatchbaySystem

/// Reads the documents that are named, tells what they are by their content, and lets the right importer read them.
struct ImportReader {
  private(set) var drafts: [StubDraft] = []
  var notes = ImportNotes()
  /// What was read: kinds and names, for the first line of the stub file.
  private(set) var sources: [String] = []
  private var bodies: ImportedBodies

  /// More files of one folder are not read.
  private static let fileLimit = 10_000
  private static let depthLimit = 16

  init(bodies: ImportedBodies) { self.bodies = bodies }

  /// - Throws: where a document that was named is none of those that are known.
  mutating func read(_ argument: String) throws(FilesError) {
    if argument.hasPrefix("curl "), access(argument, F_OK) != 0 {
      read(curl: argument, path: "the command")
      return
    }
    var wiremock = WireMockImport(bodies: bodies)
    if Path.status(argument, following: true)?.isFolder == true {
      wiremock.filesFolder = Self.filesFolder(ofFolder: argument)
      try read(folder: argument, &wiremock)
    } else {
      wiremock.filesFolder = argument == "-" ? nil : Self.filesFolder(ofFile: argument)
      try read(file: argument, into: &wiremock)
    }
    drafts += wiremock.finish(&notes)
    bodies = wiremock.bodies
  }

  private mutating func read(folder: String, _ wiremock: inout WireMockImport) throws(FilesError) {
    let before = sources.count
    var others: [String] = []
    for path in try Self.files(in: folder) {
      let name = path.lowercased()
      guard [".json", ".yaml", ".yml", ".curl", ".sh"].contains(where: { name.hasSuffix($0) }) else {
        others.append(Path.name(of: path))
        continue
      }
      do throws(FilesError) {
        try read(file: path, into: &wiremock)
      } catch {
        for mistake in error.mistakes { notes.add(mistake.message, path: mistake.path, at: mistake.position) }
      }
    }
    if !others.isEmpty {
      let named = others.prefix(5).joined(separator: ", ") + (others.count > 5 ? ", …" : "")
      notes.add(
        "\(others.count) other file\(others.count == 1 ? " was" : "s were") passed over (\(named))", path: folder,
        at: nil)
    }
    if sources.count == before { notes.add("holds no document that can be imported", path: folder, at: nil) }
  }

  private mutating func read(file path: String, into wiremock: inout WireMockImport) throws(FilesError) {
    let text = try TextFile.text(path)
    let first = text.first { !$0.isWhitespace && $0 != "\u{FEFF}" }
    if first != "{", first != "[", CurlImport.isCommands(text) {
      read(curl: text, path: path)
      return
    }
    let node: DocumentNode
    do throws(StubError) {
      if first == "{" || first == "[" {
        node = try DocumentNode(parsingJSON: Array(text.utf8))
      } else {
        let (document, repeats) = try YAMLReader.documentWithRepeats(text)
        for mistake in repeats { notes.add("\(mistake.message); the first counts", path: path, at: mistake.position) }
        node = text.contains("<<:") ? document.withMerges(depth: 0) : document
      }
    } catch { throw FilesError(path: path, [error]) }
    try read(node, path: path, &wiremock)
  }

  private mutating func read(_ node: DocumentNode, path: String, _ wiremock: inout WireMockImport) throws(FilesError) {
    switch try ImportedKind.of(node, path: path) {
    case .wiremock:
      source("WireMock", path)
      wiremock.add(node, path: path, &notes)
    case .openAPI:
      source("OpenAPI", path)
      var importer = OpenAPIImport(node, path: path)
      let made = importer.drafts(&notes)
      if made.isEmpty { notes.add("it names no operation under `paths`: no stub is made of it", path: path, at: nil) }
      drafts += made
    case .postman:
      source("Postman", path)
      var importer = PostmanImport(node, path: path)
      let made = importer.drafts(&notes)
      if made.isEmpty { notes.add("the collection holds no request: no stub is made of it", path: path, at: nil) }
      drafts += made
    }
  }

  private mutating func read(curl text: String, path: String) {
    source("cURL", path)
    var importer = CurlImport(path: path)
    drafts += importer.drafts(text, &notes)
  }

  private mutating func source(_ kind: String, _ path: String) {
    let name = path == "-" ? "standard input" : path.hasPrefix("the ") ? path : Path.name(of: path)
    // A folder may hold thousands.
    if sources.count < 5 { sources.append("\(name) (\(kind))") } else if sources.last != "…" { sources.append("…") }
  }

  // MARK: - Folders

  /// The files below a folder by their names, without hidden ones, links and what is in `__files`.
  private static func files(in folder: String) throws(FilesError) -> [String] {
    var found: [String] = []
    var open: [(path: String, depth: Int)] = [(Path.withoutTrailingSlash(folder), 0)]
    while let next = open.popLast() {
      guard let names = try? FileManager.default.contentsOfDirectory(atPath: next.path) else {
        throw FilesError(path: next.path, "cannot be read: \(TextFile.reason(errno))")
      }
      for name in names.sorted(by: >) where !name.hasPrefix(".") && name != "__files" {
        let path = Path.join(next.path, name)
        guard let status = Path.status(path, following: false) else { continue }
        if status.isFolder, next.depth < depthLimit { open.append((path, next.depth + 1)) }
        if status.isFile { found.append(path) }
        guard found.count <= fileLimit else {
          throw FilesError(path: folder, "holds more than \(fileLimit) files: name the folders that are meant")
        }
      }
    }
    return found.sorted()
  }

  private static func filesFolder(ofFolder folder: String) -> String? {
    let inside = Path.join(folder, "__files")
    if Path.status(inside, following: true)?.isFolder == true { return inside }
    return filesFolder(ofFile: Path.join(Path.withoutTrailingSlash(folder), "x"))
  }

  /// `__files` beside the folder of mappings, or a little further up.
  private static func filesFolder(ofFile path: String) -> String? {
    guard var folder = Path.resolved(Path.folder(of: path)) else { return nil }
    for _ in 0..<4 {
      let place = Path.join(folder, "__files")
      if Path.status(place, following: true)?.isFolder == true { return place }
      if folder == "/" { return nil }
      folder = Path.folder(of: folder)
    }
    return nil
  }
}

/// Whose a document is.
enum ImportedKind {
  case wiremock
  case openAPI
  case postman

  static func of(_ node: DocumentNode, path: String) throws(FilesError) -> ImportedKind {
    func refuse(_ message: String) -> FilesError { FilesError(path: path, message) }
    if case .list(let items) = node.value, items.first?["request"] != nil || items.first?["response"] != nil {
      return .wiremock
    }
    guard case .map = node.value else {
      throw refuse("is none of WireMock mappings, OpenAPI 3, a Postman collection and cURL commands")
    }
    if let version = node["openapi"]?.scalar {
      guard version.hasPrefix("3.") else {
        throw refuse("is OpenAPI \(version.shortened(to: 20)); 3.0 and 3.1 are read")
      }
      return .openAPI
    }
    if node["swagger"] != nil {
      throw refuse("is OpenAPI 2 (Swagger): convert it to OpenAPI 3, as editor.swagger.io does, and import that")
    }
    if node["patchbay"] != nil { throw refuse("is a stub file already: give it to --stubs") }
    if node["item"]?.list != nil, node["info"] != nil { return .postman }
    if let inner = node["collection"], inner["item"]?.list != nil { return .postman }
    if node["requests"]?.list != nil, node["order"] != nil || node["folders"] != nil {
      throw refuse("is a Postman collection of version 1: export it from Postman as v2.1")
    }
    if node["_postman_variable_scope"] != nil {
      throw refuse("is an environment of Postman, not a collection: export the collection as v2.1")
    }
    if node["mappings"]?.list != nil || node["request"] != nil || node["response"] != nil { return .wiremock }
    throw refuse("is none of WireMock mappings, OpenAPI 3, a Postman collection and cURL commands")
  }
}

extension DocumentNode {
  /// A scalar's text; nothing is nil.
  var scalar: String? {
    guard case .scalar(let text, let kind) = value, kind != .null else { return nil }
    return text
  }

  /// A text's text; a number is none.
  var string: String? {
    guard case .scalar(let text, .text) = value else { return nil }
    return text
  }

  var list: [DocumentNode]? {
    guard case .list(let items) = value else { return nil }
    return items
  }

  var entries: [Entry] {
    guard case .map(let entries) = value else { return [] }
    return entries
  }

  var isMap: Bool {
    guard case .map = value else { return false }
    return true
  }

  var isTrue: Bool {
    guard case .scalar(let text, .bool) = value else { return false }
    return text.lowercased() == "true"
  }

  /// A number within bounds: what is larger is the bound.
  func integer(in range: ClosedRange<Int>) -> Int? {
    guard let text = scalar, let number = Double(text), !number.isNaN else { return nil }
    if number <= Double(range.lowerBound) { return range.lowerBound }
    return number >= Double(range.upperBound) ? range.upperBound : Int(number)
  }

  /// The value as JSON; a number that JSON cannot say is its text.
  var json: JSONValue {
    switch value {
    case .scalar(let text, .number):
      var isOdd = false
      let number = JSONValue(self) { _, _ in isOdd = true }
      return isOdd ? .string(text) : number
    case .scalar: return JSONValue(self) { _, _ in }
    case .list(let items): return .array(items.map(\.json))
    case .map(let entries): return .object(entries.map { .init($0.key, $0.value.json) })
    }
  }

  /// The maps that `<<` names written out, as readers of YAML 1.1 take them; a key that is there counts.
  func withMerges(depth: Int) -> DocumentNode {
    guard depth < 200 else { return self }
    switch value {
    case .scalar: return self
    case .list(let items):
      return DocumentNode(.list(items.map { $0.withMerges(depth: depth + 1) }), at: position, bytes: bytes)
    case .map(let entries):
      var all: [Entry] = []
      var merged: [Entry] = []
      for var entry in entries {
        entry.value = entry.value.withMerges(depth: depth + 1)
        guard entry.key == "<<" else {
          all.append(entry)
          continue
        }
        merged += entry.value.list.map { $0.flatMap(\.entries) } ?? entry.value.entries
      }
      var names = Set(all.map(\.key))
      for entry in merged where names.insert(entry.key).inserted { all.append(entry) }
      return DocumentNode(.map(all), at: position, bytes: bytes)
    }
  }
}
