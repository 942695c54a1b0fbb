import Foundation

/// A body ready to be shown: what it is and its lines.
public struct BodyDocument: Sendable {
  public let kind: BodyKind
  public var layout: any BodyLayout
  /// The body in UTF-8.
  public let text: Data
  /// What a search goes through; its offsets are those that the layout knows.
  public var searched: Data { (layout as? ListedLayout)?.text ?? text }

  /// - Parameter raw: true shows the body as it came, without indentation.
  public init(_ body: Data, contentType: String?, raw: Bool = false) {
    let kind = BodyKind(of: body, contentType: contentType)
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
    case .multipart: layout = ListedLayout(Self.multipart(text, contentType: contentType))
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

  private static func multipart(_ body: Data, contentType: String?) -> [BodyLine] {
    let boundary = contentType.map(MediaType.init)?["boundary"] ?? ""
    let parts = MultipartParts(body, boundary: boundary).parts
    guard !parts.isEmpty else {
      var layout = TextLayout(body)
      layout.layOutAll()
      return layout.lines(0..<min(layout.lineCount, 10_000))
    }
    return parts.flatMap { part -> [BodyLine] in
      let type = part.headers.first(named: "Content-Type")
      var title = [BodyLine.Run(.key, part.name ?? "part")]
      if let file = part.fileName { title.append(.init(.note, "  \(file)")) }
      title.append(.init(.note, "  \(type ?? "text/plain"), \(part.body.count) bytes"))
      var inner = BodyDocument(part.body, contentType: type)
      inner.layout.layOut(bytes: 1 << 20)
      let lines = inner.layout.lines(0..<2_000).map { line in
        BodyLine(indent: line.indent + 1, runs: line.runs, continues: line.continues, opens: line.opens)
      }
      return [BodyLine(runs: title, opens: true)] + lines
    }
  }
}
