import Foundation
import PatchbayStubs

/// Writes stubs back to the file that they came from. Only the lines that changed are touched, so that comments and
/// order stay; the result is read again before it takes the file's place, and refused when a stub would be lost.
package enum StubFileWriter {
  /// A stub as it is to stand in the file.
  package struct Edited: Hashable, Sendable {
    package var stub: Stub
    /// As it was read from the file; nil for one that the file does not have.
    package var baseline: Stub?

    package init(_ stub: Stub, baseline: Stub? = nil) {
      self.stub = stub
      self.baseline = baseline
    }
  }

  /// Writes the stubs of the board that belong to that file, in the board's order, and removes those that were removed.
  ///
  /// - Parameter adding: names of stubs made on screen that the file is to have too.
  /// - Returns: the file as it is now.
  @discardableResult
  package static func write(
    _ board: StubBoard, to path: String, adding: Set<String> = []
  ) throws(FilesError) -> StubFile {
    let origin = StubBoard.Origin.file(path)
    let stubs = board.entries.compactMap { entry -> Edited? in
      if entry.origin == origin { return Edited(entry.stub, baseline: entry.baseline) }
      return adding.contains(entry.stub.name) && !entry.origin.isCode ? Edited(entry.stub) : nil
    }
    let removed = board.removed.filter { $0.origin == origin }.compactMap { $0.baseline?.name }
    return try write(stubs, removing: removed, to: path)
  }

  /// Writes these stubs in this order. Stubs that the file has got meanwhile stay.
  ///
  /// - Parameter removing: the names, in the file, of stubs that are to go.
  /// - Returns: the file as it is now.
  @discardableResult
  package static func write(
    _ stubs: [Edited], removing: [String] = [], to path: String
  ) throws(FilesError) -> StubFile {
    guard access(path, F_OK) == 0 || errno != ENOENT else {
      let text = new(stubs.map(\.stub), path: path)
      let file = try StubFile.parse(text, path: path)
      try TextFile.replace(path, with: text)
      return file
    }
    let old = try StubFile.parse(try TextFile.text(path), path: path)
    let text = try text(old, stubs, removing: removing)
    let file = try StubFile.parse(text, path: path)
    if text != old.text { try TextFile.replace(path, with: text) }
    return file
  }

  private static func new(_ stubs: [Stub], path: String) -> String {
    guard path.lowercased().hasSuffix(".json") else { return StubFile.yaml(stubs) }
    let list = JSONValue.array(stubs.map(\.json))
    return JSONValue.members(["patchbay": .number("\(StubSchema.version)"), "stubs": list]).indented() + "\n"
  }

  /// The file's text with the stubs in it; the error says why it cannot be made.
  package static func text(
    _ file: StubFile, _ stubs: [Edited], removing: [String] = []
  ) throws(FilesError) -> String {
    let slots = try slots(file, stubs, removing)
    let wanted = slots.map(\.stub)
    if Set(wanted.map(\.name)).count != wanted.count {
      throw FilesError(path: file.path, "two stubs of the same name would stand in the file; rename one")
    }
    for whole in [false, true] {
      guard let text = splice(file, slots, whole: whole) else { continue }
      if let stubs = try? StubFile.parse(text, path: file.path).stubs, stubs == wanted { return text }
    }
    throw FilesError(
      path: file.path,
      "cannot be changed without losing something in it (anchors, lists on one line with comments?); edit it by hand")
  }

  /// A stub's place in the new file.
  struct Slot {
    var stub: Stub
    /// The stub in the old file that it comes from.
    var source: Int?
    var isChanged: Bool
  }

  private static func slots(
    _ file: StubFile, _ stubs: [Edited], _ removing: [String]
  ) throws(FilesError) -> [Slot] {
    let places = Dictionary(file.stubs.enumerated().map { ($0.element.name, $0.offset) }) { first, _ in first }
    var slots: [Slot] = []
    for edited in stubs {
      guard let baseline = edited.baseline, let place = places[baseline.name] else {
        // A stub that is as it was, and that the file no longer has, was removed there.
        if edited.baseline != edited.stub { slots.append(Slot(stub: edited.stub, source: nil, isChanged: true)) }
        continue
      }
      let found = file.stubs[place]
      let isChanged = edited.stub != baseline
      if isChanged, found != baseline, found != edited.stub {
        throw FilesError(
          path: file.path,
          "the stub `\(baseline.name)` was changed in the file too; read the file again (save it) before you write")
      }
      let stub = isChanged ? edited.stub : found
      slots.append(Slot(stub: stub, source: place, isChanged: stub != found))
    }
    let known = Set(slots.compactMap(\.source)).union(removing.compactMap { places[$0] })
    for place in file.stubs.indices where !known.contains(place) {
      // After the nearest of those before it in the file that are still there.
      let before = slots.indices.filter { slots[$0].source.map { $0 < place } ?? false }
      let after = before.max { slots[$0].source ?? 0 < slots[$1].source ?? 0 }
      slots.insert(Slot(stub: file.stubs[place], source: place, isChanged: false), at: after.map { $0 + 1 } ?? 0)
    }
    return slots
  }

  private static func splice(_ file: StubFile, _ slots: [Slot], whole: Bool) -> String? {
    if file.format == .json { return JSONSplice.text(file, file.document, slots, whole: whole) }
    if file.text.first(where: { !$0.isWhitespace }) == "{" {
      guard let document = try? DocumentNode(parsingJSON: Array(file.text.utf8)) else { return nil }
      return JSONSplice.text(file, document, slots, whole: whole)
    }
    return YAMLSplice(file)?.text(slots, whole: whole)
  }
}

/// What comes into the place of some bytes or lines of a file.
struct SpliceEdit<Element> {
  var range: Range<Int>
  var new: [Element]
}

extension Array {
  /// That part of it with the edits made; nil where two of them are for the same place. What is inserted before something
  /// comes before what replaces it.
  func spliced(_ edits: [SpliceEdit<Element>], within range: Range<Int>) -> [Element]? {
    var output: [Element] = []
    var at = range.lowerBound
    let inOrder = edits.sorted {
      ($0.range.lowerBound, $0.range.upperBound) < ($1.range.lowerBound, $1.range.upperBound)
    }
    for edit in inOrder {
      guard edit.range.lowerBound >= at else { return nil }
      output += self[at..<edit.range.lowerBound] + edit.new
      at = edit.range.upperBound
    }
    return output + self[at..<range.upperBound]
  }
}
