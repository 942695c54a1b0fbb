import PatchbayGrid
import PatchbayInspect
import PatchbayWire

/// What the runtime found of one row of the Traffic tab.
package struct TrafficDetail: Sendable, Equatable {
  /// How many requests it is made of: the newest ones that fit.
  package var count: Int
  /// Median and highest duration in microseconds of each equal part of the time, oldest first; nil where none ended.
  package var median: [Int64?]
  package var highest: [Int64?]
  package var from: Timestamp
  package var to: Timestamp
  /// What became of them, the most frequent first: as the list has it, and how often.
  package var outcomes: [Outcome]
  /// The slowest of all that fit, at most three, the slowest first.
  package var slowest: [ExchangeSummary]

  package struct Outcome: Sendable, Equatable {
    package var status: Int?
    package var outcome: Exchange.Outcome?
    package var error: ExchangeSummary.Failure?
    package var count: Int

    /// Which of those that are as frequent comes first: always the same.
    fileprivate var place: (Int, String, String, Int) {
      (status ?? 1_000, outcome?.rawValue ?? "", error?.domain ?? "", error?.code ?? 0)
    }
  }

  /// So many parts the time has.
  package static let parts = 60

  /// - Parameters:
  ///   - rows: in any order.
  ///   - slowest: of these and of older ones.
  package init(_ rows: [ExchangeSummary], slowest: [ExchangeSummary]) {
    count = rows.count
    self.slowest = Array(slowest.prefix(3))
    from = rows.map(\.startedAt).min() ?? Timestamp(microseconds: 0)
    to = rows.map(\.startedAt).max() ?? from
    let span = TrafficTable.Span(from: from, to: to, parts: Self.parts)
    var times = [[Int64]](repeating: [], count: Self.parts)
    var counts: [Key: Int] = [:]
    for row in rows {
      if let duration = row.duration, let part = span.part(of: row.startedAt.microseconds) {
        times[part].append(duration)
      }
      if row.phase == .ended { counts[Key(row), default: 0] += 1 }
    }
    median = times.map { $0.isEmpty ? nil : $0.sorted()[$0.count / 2] }
    highest = times.map { $0.max() }
    outcomes = counts.map { Outcome(status: $0.status, outcome: $0.outcome, error: $0.error, count: $1) }
      .sorted { $0.count == $1.count ? $0.place < $1.place : $0.count > $1.count }
  }

  private struct Key: Hashable {
    var status: Int?
    var outcome: Exchange.Outcome?
    var error: ExchangeSummary.Failure?

    init(_ row: ExchangeSummary) {
      status = row.status
      outcome = row.outcome
      error = row.error
    }
  }
}

extension TrafficDetail {
  /// The lines below the table.
  func lines(of row: TrafficStatistics, width: Int, _ context: ConsoleContext) -> [PageLine] {
    let offset = context.setup.utcOffset
    func time(_ at: Timestamp) -> String { Wording.moment(at, now: context.now, utcOffset: offset, fraction: false) }
    var lines = [
      PageLine([
        .init(
          row.method.map { shown($0) + " " } ?? "", DetailPages.isRead(row.method ?? "") ? .methodRead : .methodWrite),
        .init(shown(row.host), .dim), .init(row.endpoint.map(PercentText.shown) ?? "", .text),
        .init(row.operation.map { " \(shown($0))" } ?? "", .literal),
      ]), PageLine([]),
    ]
    guard count > 0 else { return lines + [PageLine("It is no longer recorded.", .dim)] }
    lines += latencies(width: width)
    let end = time(to)
    let axis = max(0, min(Self.parts, width - 12) - textWidth(time(from)) - textWidth(end))
    lines.append(
      PageLine([.init(Self.name("") + time(from) + String(repeating: " ", count: axis) + end, .dim)]))
    lines += [PageLine([]), PageLine([.init(Self.name("ended as"), .dim)] + ends(width: width - 12))]
    lines.append(PageLine([]))
    for (place, slow) in slowest.enumerated() {
      let look = OutcomeLook(slow)
      lines.append(
        PageLine([
          .init(Self.name(place == 0 ? "slowest" : ""), .dim),
          .init(DetailPages.right(slow.duration.map(Wording.duration) ?? "—", toWidth: 8) + "  ", .text),
          .init("\(look.sign) \(look.text)  ", look.role), .init("#\(slow.id)  \(time(slow.startedAt))  ", .dim),
          .init(PercentText.shown(slow.path), .text),
        ]))
    }
    if row.count > count {
      lines += [PageLine([]), PageLine("Of the newest \(Wording.count(count)) of \(Wording.count(row.count)).", .dim)]
    }
    return lines
  }

  private static func name(_ text: String) -> String { padded(text, toWidth: 10) + "  " }

  /// Two rows of bars, the usual and the worst, on one scale each: what is rare and slow is not flattened by it.
  private func latencies(width: Int) -> [PageLine] {
    let room = max(10, min(Self.parts, width - 30))
    func row(_ name: String, _ values: [Int64?], _ role: ThemeRole) -> PageLine {
      // Where there are fewer cells than parts, neighbours share one, and the higher is seen.
      let cells = (0..<room).map { cell -> Double in
        let part = (cell * values.count / room)..<max(cell * values.count / room + 1, (cell + 1) * values.count / room)
        return Double(values[part].compactMap(\.self).max() ?? 0)
      }
      let most = values.compactMap(\.self).max() ?? 0
      return PageLine([
        .init(Self.name(name), .dim), .init(Spark.line(cells), role), .init("  up to \(Wording.duration(most))", .dim),
      ])
    }
    return [row("median", median, .good), row("highest", highest, .warning)]
  }

  private func ends(width: Int) -> [PageLine.Piece] {
    var pieces: [PageLine.Piece] = []
    var used = 0
    for end in outcomes {
      let look = OutcomeLook(ended: end.outcome, status: end.status, error: end.error)
      let text = "\(look.sign) \(look.text) "
      let number = "\(Wording.count(end.count))   "
      used += textWidth(text + number)
      guard used <= width || pieces.isEmpty else { break }
      pieces += [.init(text, look.role), .init(number, .dim)]
    }
    return pieces
  }
}
