import Foundation
import PatchbayStubs

/// A body ready to be shown: what it is and its lines.
package struct BodyDocument: Sendable {
  package let kind: BodyKind
  package var layout: any BodyLayout
  /// The body in UTF-8.
  package let text: Data
  /// What a search goes through; its offsets are those that the layout knows.
  package var searched: Data { (layout as? ListedLayout)?.text ?? text }

  /// - Parameter raw: true shows the body as it came, without indentation.
  package init(_ body: Data, contentType: String?, raw: Bool = false) {
    self.init(body, contentType: contentType, raw: raw, depth: 0)
  }

  /// - Parameter depth: in how many parts it lies.
  private init(_ body: Data, contentType: String?, raw: Bool, depth: Int) {
    var kind = BodyKind(of: body, contentType: contentType)
    if kind == .multipart, depth >= Multipart.deepest { kind = .text }
    self.kind = kind
    let text =
      kind == .binary || kind == .image ? body.rebased : BodyText.utf8(body, contentType: contentType, kind: kind)
    self.text = text
    if raw && kind != .binary && kind != .image {
      layout = TextLayout(text)
      return
    }
    switch kind {
    case .empty: layout = ListedLayout([])
    case .json, .ndjson: layout = JSONLayout(text)
    case .form: layout = ListedLayout(Self.form(text))
    case .multipart: layout = ListedLayout(Self.multipart(text, contentType: contentType, depth: depth))
    case .xml, .html:
      layout = MarkupLayout(text)
      layout.layOut(bytes: 1 << 16)
    case .events, .text: layout = TextLayout(text)
    case .image: layout = ImageLayout(body.rebased)
    case .binary: layout = HexLayout(body.rebased)
    }
  }

  private static func form(_ text: Data) -> [BodyLine] {
    FormFields.parse(String(decoding: text, as: UTF8.self)).map { field in
      BodyLine(runs: [.init(.key, field.name), .init(.punctuation, " = "), .init(.string, field.value)])
    }
  }

  private static func multipart(_ body: Data, contentType: String?, depth: Int) -> [BodyLine] {
    let boundary = contentType.map(MediaType.init)?["boundary"] ?? ""
    let body = body.rebased
    let parts = body.withUnsafeBytes { Multipart($0.bindMemory(to: UInt8.self), boundary: boundary).parts }
      .filter(\.isClosed)
    guard !parts.isEmpty else {
      var layout = TextLayout(body)
      layout.layOutAll()
      return layout.lines(0..<min(layout.lineCount, 10_000))
    }
    return parts.flatMap { part -> [BodyLine] in
      let type = part.headers.first(named: "Content-Type")
      var title = [BodyLine.Run(.key, part.name ?? "part")]
      if let file = part.fileName { title.append(.init(.note, "  \(file)")) }
      title.append(.init(.note, "  \(type ?? "text/plain"), \(part.content.count) bytes"))
      var inner = BodyDocument(body[part.content].rebased, contentType: type, raw: false, depth: depth + 1)
      inner.layout.layOut(bytes: 1 << 20)
      let lines = inner.layout.lines(0..<2_000).map { line in
        BodyLine(indent: line.indent + 1, runs: line.runs, continues: line.continues, opens: line.opens)
      }
      return [BodyLine(runs: title, opens: true)] + lines
    }
  }
}

/// A body laid out in lines. The lines are found piece by piece, so that a large body opens at once, and made again
/// from the bytes when they are shown, so that memory stays small.
package protocol BodyLayout: Sendable {
  /// The lines found so far.
  var lineCount: Int { get }
  /// Whether all of the body has been gone through.
  var isComplete: Bool { get }
  /// Goes through at least that many more bytes, or to the end.
  mutating func layOut(bytes: Int)
  /// The lines of that range, as far as they have been found.
  func lines(_ range: Range<Int>) -> [BodyLine]
  /// The line that shows the byte at that offset, as far as it has been found.
  func line(showing offset: Int) -> Int?
  /// Where the line's container ends, when the line opens one: the number of the closing line.
  func foldEnd(of line: Int) -> Int?
  /// The place of the line in the document, such as `$.books[2].title`; nil where the format has none.
  func path(of line: Int) -> String?
  /// The same, step by step; nil for the line that only ends a container.
  func steps(of line: Int) -> [JSONStep]?
}

extension BodyLayout {
  package func foldEnd(of line: Int) -> Int? { nil }
  package func path(of line: Int) -> String? { nil }
  package func steps(of line: Int) -> [JSONStep]? { nil }

  /// Goes through the whole body.
  package mutating func layOutAll() {
    while !isComplete { layOut(bytes: 1 << 24) }
  }
}

/// One line of a body as it is shown: indentation and coloured runs of text.
package struct BodyLine: Hashable, Sendable {
  /// Steps of indentation; how wide one is, is the view's business.
  package var indent: Int
  package var runs: [Run]
  /// The line goes on the one before it, which was too long to be shown as one.
  package var continues: Bool
  /// The line opens a container that can be folded.
  package var opens: Bool

  package struct Run: Hashable, Sendable {
    package var kind: Kind
    package var text: String

    package init(_ kind: Kind, _ text: String) {
      self.kind = kind
      self.text = text
    }
  }

  package enum Kind: Hashable, Sendable, CaseIterable {
    case text
    case key
    case string
    case number
    case literal
    case punctuation
    case tag
    case attribute
    case comment
    case offset
    /// What is not part of the body: a note, a sign for what was left out.
    case note
  }

  package init(indent: Int = 0, runs: [Run], continues: Bool = false, opens: Bool = false) {
    self.indent = indent
    self.runs = runs
    self.continues = continues
    self.opens = opens
  }

  /// The text without indentation.
  package var text: String { runs.map(\.text).joined() }
}

/// A layout whose lines are made at once: for small bodies and for facts about a body.
package struct ListedLayout: BodyLayout {
  private let all: [BodyLine]
  /// The lines one below the other as they are shown; offsets of hits are places in it.
  let text: Data
  private let starts: [Int]

  package init(_ lines: [BodyLine]) {
    all = lines
    var text = Data()
    var starts: [Int] = []
    for line in lines {
      starts.append(text.count)
      for run in line.runs { text.append(contentsOf: run.text.utf8) }
      text.append(0x0A)
    }
    self.text = text
    self.starts = starts
  }

  package var lineCount: Int { all.count }
  package var isComplete: Bool { true }
  package mutating func layOut(bytes: Int) {}
  package func lines(_ range: Range<Int>) -> [BodyLine] { Array(all[range.clamped(to: 0..<all.count)]) }

  package func line(showing offset: Int) -> Int? {
    guard offset >= 0, offset < text.count else { return nil }
    return max(0, starts.partitioningIndex { $0 > offset } - 1)
  }

  package func foldEnd(of line: Int) -> Int? {
    guard all.indices.contains(line), all[line].opens else { return nil }
    return all[(line + 1)...].firstIndex { $0.indent <= all[line].indent }
  }
}
