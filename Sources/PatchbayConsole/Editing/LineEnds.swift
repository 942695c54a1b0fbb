import Foundation

/// The line ends of a text that is edited in lines without them: what was not touched goes out byte for byte.
struct LineEnds: Sendable, Equatable {
  /// Empty where every end is a plain line feed.
  private var lines: [Substring] = []
  /// One for each line but the last.
  private var ends: [String] = []

  init(_ text: String) {
    guard text.utf8.contains(0x0D) else { return }
    var start = text.utf8.startIndex
    while let place = text.utf8[start...].firstIndex(where: { $0 == 0x0A || $0 == 0x0D }) {
      let next = text.utf8.index(after: place)
      let isPair = text.utf8[place] == 0x0D && next < text.utf8.endIndex && text.utf8[next] == 0x0A
      lines.append(text[start..<place])
      ends.append(isPair ? "\r\n" : text.utf8[place] == 0x0D ? "\r" : "\n")
      start = isPair ? text.utf8.index(after: next) : next
    }
    lines.append(text[start...])
  }

  /// The edited lines as one text: those before and after the changed ones have their old ends, further ones the end
  /// of the line before them.
  func text(_ edited: EditedLines) -> String {
    guard !ends.isEmpty else { return edited.text }
    let shared = min(lines.count, edited.count)
    let before = (0..<shared).first { !lines[$0].utf8.elementsEqual(edited[$0].utf8) } ?? shared
    var after = 0
    while after < shared - before,
      lines[lines.count - 1 - after].utf8.elementsEqual(edited[edited.count - 1 - after].utf8)
    {
      after += 1
    }
    let lastChanged = max(before, lines.count - after) - 1
    var text = ""
    for place in edited.indices {
      text += edited[place]
      guard place < edited.count - 1 else { break }
      let old = place < edited.count - after ? min(place, lastChanged) : place - edited.count + lines.count
      text += ends[max(0, min(old, ends.count - 1))]
    }
    return text
  }
}
