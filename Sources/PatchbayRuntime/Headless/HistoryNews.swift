import PatchbayHistory

/// Turns what a history has to say into sentences that do not flood: what repeats with each report is gathered, and
/// told when it has doubled, and at the end.
package struct HistoryNews {
  private var retired: [HistoryEvent.Limit: (all: Int, told: Int)] = [:]
  private var shed = 0

  package init() {}

  /// What is to be said now; nil when it can wait.
  package mutating func take(_ event: HistoryEvent) -> String? {
    switch event {
    case .retired(let count, let why):
      let before = retired[why] ?? (0, 0)
      let all = before.all + count
      let isTold = all >= 2 * before.told
      retired[why] = (all, isTold ? all : before.told)
      return isTold ? HistoryEvent.retired(exchanges: all, why: why).description : nil
    case .shed(let bodies, let exchanges):
      guard bodies + exchanges >= 2 * shed else { return nil }
      shed = bodies + exchanges
      return event.description
    case .failed, .recovered, .lost: return event.description
    }
  }

  /// What has waited.
  package var rest: [String] {
    retired.sorted { $0.key.rawValue < $1.key.rawValue }.filter { $0.value.all > $0.value.told }
      .map { HistoryEvent.retired(exchanges: $0.value.all, why: $0.key).description }
  }
}
