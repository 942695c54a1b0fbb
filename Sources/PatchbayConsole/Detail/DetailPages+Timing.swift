import PatchbayGrid
import PatchbayWire

extension DetailPages {
  /// Bars for held, waiting and body; redirect hops below.
  static func timing(of exchange: Exchange) -> [PageLine] {
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
    if !exchange.isObserved {
      let sent = Wording.size(exchange.bytesSent)
      lines.append(row("bytes", "\(sent) sent, \(Wording.size(exchange.bytesReceived)) received", .text))
    }
    let process = "\(SafeText.line(exchange.process.name)) \(exchange.process.pid)"
    let kind = exchange.task == .unknown ? "" : "a \(exchange.task.rawValue) task of "
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
