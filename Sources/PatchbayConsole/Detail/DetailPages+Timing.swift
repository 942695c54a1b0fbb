import PatchbayGrid
import PatchbayInspect
import PatchbayWire

extension DetailPages {
  /// Bars for held, waiting and body; redirect hops below.
  static func timing(of exchange: Exchange, _ context: ConsoleContext) -> [PageLine] {
    let timing = exchange.timing
    var lines: [PageLine] = []
    if let end = timing.end {
      let head = timing.head ?? end
      let held = max(0, min(timing.held, end))
      // What came before the last redirect is shown hop by hop.
      let moved = max(held, min(exchange.redirects.compactMap(\.at).last ?? 0, head))
      var parts: [(String, Int64, Int64, ThemeRole)] = [("held", 0, held, .barHeld)]
      parts += hops(exchange.redirects, from: held, to: moved)
      parts += [("wait", moved, max(0, head - moved), .barWait), ("body", head, max(0, end - head), .barBody)]
      for (name, start, length, role) in parts where length > 0 || name != "held" && name != "body" {
        lines.append(bar(name, start, length, of: max(1, end), role))
      }
      lines.append(
        PageLine([
          .init(padded("total", toWidth: 12), .dim), .init(String(repeating: " ", count: barCells)),
          .init(right(Wording.duration(end), toWidth: 9), .text),
        ]))
      lines.append(PageLine([]))
      if timing.head != nil, exchange.response != nil {
        lines.append(row("first byte", "after \(Wording.duration(head))", .text))
      }
    } else if exchange.isObserved {
      lines.append(PageLine("Only observed: when it ended is not known.", .dim))
      lines.append(PageLine([]))
    } else {
      lines.append(PageLine("Still going on.", .waiting))
      if let head = timing.head { lines.append(row("first byte", Wording.duration(head), .text)) }
      lines.append(PageLine([]))
    }
    let offset = context.setup.utcOffset
    lines.append(row("started", Wording.wholeMoment(exchange.startedAt, utcOffset: offset), .text))
    if !exchange.isObserved {
      let sent = Wording.size(exchange.bytesSent)
      lines.append(row("bytes", "\(sent) sent, \(Wording.size(exchange.bytesReceived)) received", .text))
    }
    let process = "\(SafeText.line(exchange.process.name)) \(exchange.process.pid)"
    let article = exchange.task == .upload ? "an" : "a"
    let kind = exchange.task == .unknown ? "" : "\(article) \(exchange.task.rawValue) task of "
    lines.append(row("from", kind + process, .text))
    guard !exchange.redirects.isEmpty else { return lines }
    lines.append(PageLine([]))
    lines.append(PageLine(Wording.count(exchange.redirects.count, "redirect"), .key))
    for hop in exchange.redirects {
      let at = hop.at.map { "after \(Wording.duration($0))  " } ?? ""
      lines.append(
        PageLine([.init("→ \(hop.status) ", .redirect), .init(at, .dim), .init(SafeText.line(hop.url))]))
      if let target = hop.headers.first(named: "Location") {
        lines.append(PageLine([.init("      to ", .dim), .init(SafeText.line(target))]))
      }
      if let target = hop.target {
        lines.append(PageLine([.init("      the program went to ", .dim), .init(SafeText.line(target))]))
      }
    }
    return lines
  }

  /// How long each redirect took to come, where that is known.
  private static func hops(
    _ redirects: [RedirectHop], from start: Int64, to end: Int64
  ) -> [(String, Int64, Int64, ThemeRole)] {
    var before = start
    return redirects.compactMap { hop in
      guard let at = hop.at else { return nil }
      let reached = max(before, min(at, end))
      defer { before = reached }
      return ("→ \(hop.status)", before, reached - before, .redirect)
    }
  }

  private static func row(_ name: String, _ value: String, _ role: ThemeRole) -> PageLine {
    PageLine([.init(padded(name, toWidth: 12), .dim), .init(value, role)])
  }

  private static let barCells = 40

  private static func bar(_ name: String, _ start: Int64, _ length: Int64, of total: Int64, _ role: ThemeRole)
    -> PageLine
  {
    let width = barCells
    let from = Int(Double(start) / Double(total) * Double(width))
    let cells = max(1, Int((Double(length) / Double(total) * Double(width)).rounded()))
    let blank = String(repeating: "·", count: min(from, width - 1))
    let fill = String(repeating: "█", count: min(cells, width - min(from, width - 1)))
    let rest = String(repeating: "·", count: max(0, width - blank.count - fill.count))
    return PageLine([
      .init(padded(name, toWidth: 12), .dim), .init(blank, .line), .init(fill, role), .init(rest, .line),
      .init(right(Wording.duration(length), toWidth: 9)),
      .init(right(Wording.percent(Double(length) / Double(total)), toWidth: 8), .dim),
    ])
  }

  /// Text at the right of its columns.
  static func right(_ text: String, toWidth width: Int) -> String {
    String(repeating: " ", count: max(0, width - textWidth(text))) + text
  }
}

extension DetailPages {
  /// The runtime looks for no more than these.
  private static let retriesShown = 20

  /// The same request, asked before and after: when, how it ended, and how long the program waited in between.
  static func retries(_ all: [ExchangeSummary], of id: Int64, _ utcOffset: Int) -> [PageLine] {
    guard all.count > 1 else { return [] }
    var lines = [
      PageLine([]),
      PageLine(
        all.count < retriesShown
          ? "Asked \(Wording.count(all.count, "time")) in the same way around this time"
          : "The \(retriesShown) times around this one that it was asked in the same way", .key),
    ]
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
