import Foundation
import PatchbayStubs
import PatchbaySystem

/// Stubs made of the documents of other tools: WireMock mappings, OpenAPI 3, Postman 2.1 collections, cURL commands.
///
/// Each importer makes drafts by the schema of stub files, which are then read like a file's: nothing comes out that
/// `stubs check` would refuse. What a draft cannot say is noted with its place.
package struct StubImport: Sendable {
  /// The stub file.
  package let text: String
  package let count: Int
  /// What was left out or is said otherwise, in the order found.
  package let notes: [FileMistake]

  /// - Parameters:
  ///   - paths: files, folders, `-` for standard input, or a cURL command itself.
  ///   - output: where the stub file will lie, to which bodies in files are relative; nil where that is not known.
  package static func read(_ paths: [String], output: String? = nil) throws(FilesError) -> StubImport {
    var reader = ImportReader(bodies: ImportedBodies(output: output))
    for path in paths { try reader.read(path) }
    var assembly = StubAssembly()
    for draft in reader.drafts { assembly.add(draft, &reader.notes) }
    guard !reader.sources.isEmpty else { throw FilesError(reader.notes.listed) }
    let head = ["Imported by patchbay from \(reader.sources.joined(separator: ", "))."]
    let text = StubFile.yaml(assembly.stubs, notes: assembly.comments, head: head)
    guard text.utf8.count <= TextFile.limit else {
      throw FilesError(
        path: output ?? paths[0],
        "the stub file would be larger than \(TextFile.limit >> 20) MiB: import fewer documents at once")
    }
    return StubImport(text: text, count: assembly.stubs.count, notes: reader.notes.listed)
  }
}

/// What is said of documents while they are imported.
struct ImportNotes {
  private var order: [Key] = []
  private var places: [Key: [SourcePosition]] = [:]

  private struct Key: Hashable {
    var path: String
    var message: String
  }

  /// So many different ones are kept; a document without end in it would make as many.
  private static let limit = 2_000
  /// Of the same sentence so many lines are named.
  private static let lines = 8

  mutating func add(_ message: String, path: String, at position: SourcePosition?) {
    let key = Key(path: path, message: message)
    if places[key] == nil {
      guard order.count < Self.limit else {
        let rest = Key(path: path, message: "more than \(Self.limit) things were left out; the others are not named")
        if places.updateValue([], forKey: rest) == nil { order.append(rest) }
        return
      }
      order.append(key)
      places[key] = []
    }
    if let position { places[key]?.append(position) }
  }

  /// One for each sentence of a document: at its first place, with the lines where the same holds.
  var listed: [FileMistake] {
    order.map { key in
      let all = places[key] ?? []
      var seen: Set<Int> = []
      let others = all.dropFirst().map(\.line).filter { $0 != all.first?.line && seen.insert($0).inserted }
      var rest = ""
      if !others.isEmpty {
        let named = others.prefix(Self.lines).map(String.init)
        let more = others.count > named.count ? ["\(others.count - named.count) more"] : []
        let list = named + more
        rest = "; also on line\(list.count == 1 ? "" : "s") " + list.joined(separator: ", ")
      }
      return FileMistake(path: key.path, position: all.first, message: key.message + rest)
    }
  }
}

/// Makes stubs of drafts: names that are there once, and nothing that a stub file may not hold.
private struct StubAssembly {
  private(set) var stubs: [Stub] = []
  /// By the stub's name.
  private(set) var comments: [String: [String]] = [:]
  private var names: Set<String> = []
  /// How often a name was taken, so that a thousand of the same are not a million questions.
  private var taken: [String: Int] = [:]

  /// Reading a template looks for each in what is left of the text.
  private static let braceLimit = 20_000

  mutating func add(_ draft: StubDraft, _ notes: inout ImportNotes) {
    var draft = draft
    draft.name = free(draft.name)
    guard draft.then.braces <= Self.braceLimit else {
      notes.add(
        "the stub `\(draft.name)` is left out: its answer has more braces ({{) than a template may", path: draft.path,
        at: draft.position)
      return
    }
    let stub: Stub
    do throws(StubError) {
      stub = try StubSchema.stub(DocumentNode(draft.json))
    } catch {
      let reason = error.message.split(separator: "\n").first.map(String.init) ?? ""
      notes.add("the stub `\(draft.name)` is left out: \(reason)", path: draft.path, at: draft.position)
      return
    }
    names.insert(draft.name)
    stubs.append(stub)
    if !draft.comments.isEmpty { comments[draft.name] = draft.comments }
  }

  private mutating func free(_ wanted: String) -> String {
    var name = wanted.split(whereSeparator: { $0.isNewline || $0 == "\t" }).joined(separator: " ")
      .trimmingCharacters(in: .whitespaces)
    if name.isEmpty { name = "imported" }
    name = name.shortened(to: 120)
    guard names.contains(name) else { return name }
    var number = taken[name] ?? 2
    while names.contains("\(name) (\(number))") { number += 1 }
    taken[name] = number + 1
    return "\(name) (\(number))"
  }
}
