import PatchbayGrid
import PatchbayInspect
import PatchbayWire

extension DetailPages {
  /// The same request, asked before and after: when, how it ended, and how long the program waited in between.
  static func retries(_ all: [ExchangeSummary], of id: Int64, _ utcOffset: Int) -> [PageLine] {
    guard all.count > 1 else { return [] }
    var lines = [PageLine([]), PageLine("Asked \(Wording.count(all.count, "time")) in the same way", .key)]
    let longest = max(1, all.compactMap(\.duration).max() ?? 1)
    let digits = all.map { String($0.id).count }.max() ?? 1
    var before: ExchangeSummary?
    for summary in all {
      defer { before = summary }
      let look = OutcomeLook(summary)
      let isThis = summary.id == id
      var pieces: [PageLine.Piece] = [
        .init(isThis ? "▸ " : "  ", .mark), .init("\(right(String(summary.id), toWidth: digits))  ", .dim),
        .init(Wording.time(summary.startedAt, utcOffset: utcOffset), isThis ? .text : .dim),
        .init("  " + padded("\(look.sign) \(look.text)", toWidth: 14), look.role),
        .init(right(summary.duration.map(Wording.duration) ?? "—", toWidth: 8) + "  ", .text),
        .init(retryBar(summary.duration, of: longest) + "  ", look.role),
      ]
      if let before {
        let end = before.startedAt.microseconds + (before.duration ?? 0)
        let gap = summary.startedAt.microseconds - end
        pieces.append(.init(gap < 0 ? "while the one before went on" : "after \(Wording.duration(gap))", .dim))
      }
      lines.append(PageLine(pieces))
    }
    return lines
  }

  private static func retryBar(_ duration: Int64?, of longest: Int64) -> String {
    let width = 12
    let cells = duration.map { max(1, Int((Double($0) / Double(longest) * Double(width)).rounded())) } ?? 0
    return padded(String(repeating: "▬", count: cells), toWidth: width)
  }
}
