import Foundation
import PatchbayInspect

/// A search in the body of a page: goes through a large one piece by piece.
struct PageSearch: Sendable {
  /// Bytes gone through at once.
  static let piece = 2 << 20

  private(set) var text = ""
  private var search = BodySearch("")
  /// Which of the hits is shown.
  var current: Int?

  init() {}

  init(_ text: String, in body: BodyPane?) {
    self.text = text
    search = BodySearch(text, isJSON: body.map { $0.kind == .json || $0.kind == .ndjson } ?? false)
    if let body, !text.isEmpty { search.search(body.bytes, bytes: PageSearch.piece) }
  }

  var count: Int { search.hits.count }
  var isComplete: Bool { search.isComplete || text.isEmpty }

  mutating func goOn(in body: BodyPane) { search.search(body.bytes, bytes: PageSearch.piece) }

  func offset(_ hit: Int) -> Int? { search.hits.indices.contains(hit) ? search.hits[hit] : nil }

  /// The first hit at or after a byte; the first of all where there is none.
  func hit(from offset: Int) -> Int? {
    guard count > 0 else { return nil }
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if search.hits[middle] < offset { low = middle + 1 } else { high = middle }
    }
    return low < count ? low : 0
  }

  /// `3 of 14`, with a sign while it goes on.
  var note: String {
    guard !text.isEmpty else { return "" }
    guard count > 0 else { return isComplete ? "not found" : "searching…" }
    let place = current.map { "\(Wording.count($0 + 1)) of " } ?? ""
    return "\(place)\(Wording.count(count))\(isComplete ? "" : "+")"
  }
}
