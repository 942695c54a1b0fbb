import PatchbayWire

/// What a person has said of an exchange: tags and a note.
package struct Remark: Hashable, Sendable {
  /// Each once, in their order.
  package private(set) var tags: [String]
  package private(set) var note: String?

  package init(tags: [String] = [], note: String? = nil) {
    self.tags = Self.tags(tags)
    self.note = Self.note(note)
  }

  package init(_ summary: ExchangeSummary) { self.init(tags: summary.tags, note: summary.note) }

  package var isEmpty: Bool { tags.isEmpty && note == nil }

  /// More than this nobody types; files of others may hold anything.
  private static let (mostTags, longestTag, longestNote) = (50, 100, 10_000)

  /// Tags as they are kept: without blanks, which part them where they are typed, and each once.
  package static func tags(_ texts: [String]) -> [String] {
    var seen: Set<String> = []
    let words = texts.flatMap { $0.split { $0.isWhitespace || $0 == "," }.map { String($0.prefix(longestTag)) } }
    return Array(words.filter { seen.insert($0).inserted }.prefix(mostTags))
  }

  /// A note as it is kept; nil where nothing is said.
  package static func note(_ text: String?) -> String? {
    guard let text else { return nil }
    let note = String(text.prefix(longestNote)).trimmed
    return note.isEmpty ? nil : note
  }
}
