import PatchbayWire

/// Who is told of exchanges: the console, and the log in code.
final class ReportHub: ExchangeSink {
  private let link: ConsoleLink?
  private let log: ExchangeLog?

  init(link: ConsoleLink?, log: ExchangeLog?) {
    self.link = link
    self.log = log
  }

  func report(_ report: consuming ExchangeReport) {
    if let log { log.note(report) }
    link?.queue.append(report)
  }

  func hold(_ key: UInt64, resume: @escaping @Sendable (Verdict.Decision?) -> Void) {
    guard let link else { return resume(nil) }
    link.holds.add(key, resume)
  }

  func unhold(_ key: UInt64) { link?.holds.remove(key) }

  func notice(_ sentence: String) { link?.queue.append(.notice(sentence)) }
}
