import Foundation
import PatchbayConsole
import PatchbayStubs
import PatchbayWire

/// The text of a file that keeps stubs over the end of a console.
enum KeptStubsFile {
  static func text(_ kept: KeptStubs, place: String) -> String {
    JSONValue.members([
      "patchbay": 1, "place": .string(place), "savedAt": .number("\(kept.savedAt.microseconds)"),
      "board": kept.board.json,
      "draft": kept.draft.map {
        .members(["base": $0.base.map { .string($0) } ?? .null, "stub": $0.stub.json])
      } ?? .null,
    ]).compact
  }

  /// What a file holds; nil where it is for another place or cannot be read.
  static func read(_ path: String, place: String) -> KeptStubs? {
    guard let data = FileManager.default.contents(atPath: path), let json = try? JSONValue(parsing: data),
      json["place"]?.text == place, case .number(let digits)? = json["savedAt"], let savedAt = Int64(digits),
      let value = json["board"], let board = try? StubBoard(json: value)
    else { return nil }
    var draft: StubDraft?
    if let kept = json["draft"], let value = kept["stub"], let stub = try? Stub(json: value, checked: false) {
      draft = StubDraft(base: kept["base"]?.text, stub: stub)
    }
    return KeptStubs(id: path, savedAt: Timestamp(microseconds: savedAt), board: board, draft: draft)
  }
}
