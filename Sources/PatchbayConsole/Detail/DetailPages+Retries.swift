import PatchbayGrid
import PatchbayInspect
import PatchbayWire

extension DetailPages {
  /// The same request, asked before and after: when, how it ended, and how long the program waited in between.
  static func retries(_ all: [ExchangeSummary], of id: Int64, _ utcOffset: Int) -> [PageLine] {
    guard all.count > 1 else { return [] }
    var lines = [PageLine([]), PageLine("Asked \(Wording.count(all.count, "time")) in the same way", .key)]
    var before: ExchangeSummary?
    for summary in all {
      defer { before = summary }
      let look = OutcomeLook(summary)
      let isThis = summary.id == id
      var pieces: [PageLine.Piece] = [
        .init(isThis ? "▸ " : "  ", .mark), .init("\(summary.id)  ", .dim),
        .init(Wording.time(summary.startedAt, utcOffset: utcOffset), isThis ? .text : .dim),
        .init("  " + padded("\(look.sign) \(look.text)", toWidth: 14), look.role),
        .init(padded(summary.duration.map(Wording.duration) ?? "—", toWidth: 9), .text),
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
}
