import Foundation
import PatchbayGrid
import PatchbayInspect
import PatchbayStubs

/// A body as lines that can be shown, folded and searched; a large one is gone through piece by piece.
struct BodyPane: Sendable {
  private var document: BodyDocument
  private var folds = FoldMap()
  /// Folding of everything below a level that has not come to the end: from which line it goes on.
  private var folding: (level: Int, next: Int)?
  /// Bytes gone through at once when a body is opened, and with each further step.
  static let firstPiece = 512 << 10
  static let piece = 512 << 10

  /// The body as a terminal may show it, and how many lines of facts stand above it; nil where it is no whole picture of
  /// a kind that one knows.
  let picture: (picture: Picture, facts: Int)?

  /// - Parameter raw: show it as it came, without making it readable.
  init(_ body: Data, contentType: String?, raw: Bool = false) {
    document = BodyDocument(body, contentType: contentType, raw: raw)
    let facts = raw ? nil : (document.layout as? ImageLayout)?.factCount
    picture = facts.flatMap { facts in Picture(body).map { ($0, facts) } }
    document.layout.layOut(bytes: BodyPane.firstPiece)
  }

  var label: String { document.kind.rawValue }
  var kind: BodyKind { document.kind }
  /// What a search goes through.
  var bytes: Data { document.searched }
  var isComplete: Bool { document.layout.isComplete }

  /// Lines that can be seen so far, folded ones left out.
  var count: Int { document.layout.lineCount - folds.hidden }

  /// Goes on through the body.
  mutating func layOutMore() { document.layout.layOut(bytes: BodyPane.piece) }

  /// Goes on until that many lines are known, or to the end.
  mutating func layOut(toShow line: Int) {
    while !isComplete, count <= line { layOutMore() }
  }

  /// A line to be drawn; empty where there is none.
  func line(_ number: Int) -> PageLine {
    guard number >= 0, number < count else { return PageLine([]) }
    let place = folds.line(shownAt: number)
    guard let found = document.layout.lines(place..<(place + 1)).first else { return PageLine([]) }
    var pieces = found.runs.map { PageLine.Piece(BodyPane.safe($0.text), BodyPane.role($0.kind)) }
    if let hidden = folds.hiddenLines(by: place) {
      pieces.append(PageLine.Piece(" … \(Wording.count(max(1, hidden - 1), "line")) ", .dim))
      let last = document.layout.lines((place + hidden)..<(place + hidden + 1)).first
      pieces += last?.runs.map { PageLine.Piece(BodyPane.safe($0.text), BodyPane.role($0.kind)) } ?? []
    }
    return PageLine(pieces, depth: min(40, found.indent))
  }

  /// The number that a line has in the whole body, folded lines counted (from 1).
  func lineNumber(_ number: Int) -> Int? {
    number >= 0 && number < count ? folds.line(shownAt: number) + 1 : nil
  }

  /// Where a line of the whole body (from 1) is shown, opening what hides it.
  mutating func reveal(lineNumber: Int) -> Int {
    layOut(toShow: lineNumber + folds.hidden)
    let place = max(0, min(document.layout.lineCount - 1, lineNumber - 1))
    folds.reveal(place)
    return folds.shownIndex(of: place)
  }

  /// Folds or unfolds what a line opens, or what it is in. Returns where the line is that does.
  mutating func toggleFold(_ number: Int) -> Int? {
    guard number >= 0, number < count else { return nil }
    var place = folds.line(shownAt: number)
    if !folds.isFolded(place), document.layout.foldEnd(of: place) == nil {
      guard let parent = parent(of: place) else { return nil }
      place = parent
    }
    if folds.isFolded(place) {
      folds.unfold(place)
    } else if let end = document.layout.foldEnd(of: place) {
      folds.fold(place, hiding: (place + 1)..<(end + 1))
    }
    return folds.shownIndex(of: place)
  }

  /// Whether folding has to go on.
  var isFolding: Bool { folding != nil }

  /// Folds all that is opened on that level and deeper; a large body is gone through piece by piece.
  mutating func fold(level: Int) {
    folds = FoldMap()
    folding = (level, 0)
    foldMore()
  }

  /// Goes on folding, by some thousand lines.
  mutating func foldMore() {
    guard let (level, first) = folding else { return }
    var place = first
    var left = 4_096
    while left > 0, place < document.layout.lineCount {
      let chunk = document.layout.lines(place..<min(document.layout.lineCount, place + 256))
      if chunk.isEmpty { break }
      let start = place
      while left > 0, place - start < chunk.count {
        let line = chunk[place - start]
        left -= 1
        guard line.opens, line.indent >= level else {
          place += 1
          continue
        }
        guard let end = document.layout.foldEnd(of: place) else {
          // Its end has not been found yet; where there is none it stays open.
          if !isComplete {
            folding = (level, place)
            return
          }
          place += 1
          continue
        }
        if end > place { folds.append(place, hiding: (place + 1)..<(end + 1)) }
        place = end + 1
        left -= 4
      }
    }
    folding = isComplete && place >= document.layout.lineCount ? nil : (level, place)
  }

  mutating func unfoldAll() {
    folds = FoldMap()
    folding = nil
  }

  /// Where a line of the whole body (from 1) is shown; one that is hidden, where that is that hides it.
  func shownIndex(lineNumber: Int) -> Int { folds.shownIndex(of: max(0, lineNumber - 1)) }

  /// The line that opens what this one is in.
  private func parent(of place: Int) -> Int? {
    guard let depth = document.layout.lines(place..<(place + 1)).first?.indent, depth > 0 else { return nil }
    var end = place
    while end > 0 {
      let start = max(0, end - 256)
      let lines = document.layout.lines(start..<end)
      for (offset, line) in lines.enumerated().reversed() where line.indent < depth && line.opens {
        return start + offset
      }
      end = start
    }
    return nil
  }

  /// The way to the value on a line, such as `$.items[3].name`; nil where it has none.
  func path(at number: Int) -> String? {
    guard number >= 0, number < count else { return nil }
    return document.layout.path(of: folds.line(shownAt: number))
  }

  /// The same, step by step; nil where no value begins on the line.
  func steps(at number: Int) -> [JSONStep]? {
    guard kind == .json, number >= 0, number < count else { return nil }
    return document.layout.steps(of: folds.line(shownAt: number))
  }

  /// The JSON value on a line, with all that is in it; nil where there is none, and where it is very long.
  func value(at number: Int) -> String? {
    guard kind == .json || kind == .ndjson, number >= 0, number < count else { return nil }
    let place = folds.line(shownAt: number)
    let end = document.layout.foldEnd(of: place) ?? place
    guard end - place < 50_000 else { return nil }
    var lines = document.layout.lines(place..<(end + 1))
    guard let base = lines.first?.indent else { return nil }
    if lines[0].runs.first?.kind == .key { lines[0].runs.removeFirst(min(2, lines[0].runs.count)) }
    let texts = lines.map { String(repeating: "  ", count: max(0, $0.indent - base)) + $0.text }
    let text = texts.joined(separator: "\n")
    return text.hasSuffix(",") ? String(text.dropLast()) : text
  }

  /// The line of the whole body (from 1) that shows a byte.
  func lineNumber(showing offset: Int) -> Int? { document.layout.line(showing: offset).map { $0 + 1 } }

  private static func safe(_ text: String) -> String {
    text.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F } ? text : SafeText.lines(text, tabWidth: 4)
  }

  private static func role(_ kind: BodyLine.Kind) -> ThemeRole {
    switch kind {
    case .text: .text
    case .key, .tag: .key
    case .string: .string
    case .number: .number
    case .literal, .attribute: .literal
    case .punctuation: .punctuation
    case .comment, .note: .dim
    case .offset: .lineNumber
    }
  }
}

extension Picture {
  /// A PNG or JPEG that is there from its beginning to its end and says how large it is.
  init?(_ body: Data) {
    guard body.count <= Picture.byteLimit, let facts = ImageFacts(body), facts.isWhole(body),
      let width = facts.width, let height = facts.height
    else { return nil }
    let size = Size(width: width, height: height)
    switch facts.format {
    case "PNG": self.init(.png, Array(body), size: size)
    case "JPEG": self.init(.jpeg, Array(body), size: size)
    default: return nil
    }
  }
}

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
    let place = search.hits.partitioningIndex { $0 >= offset }
    return place < count ? place : 0
  }

  /// `3 of 14`, with a sign while it goes on.
  var note: String {
    guard !text.isEmpty else { return "" }
    guard count > 0 else { return isComplete ? "not found" : "searching…" }
    let place = current.map { "\(Wording.count($0 + 1)) of " } ?? ""
    return "\(place)\(Wording.count(count))\(isComplete ? "" : "+")"
  }
}
