import PatchbayWire

/// An exchange as one readable line: time, method, status or error, URL, size, duration, by whom. Text of the network
/// is in it as it came; who prints it makes it safe.
public enum OneLine {
  /// - Parameter utcOffset: seconds east of UTC for the time of day.
  public static func text(_ summary: ExchangeSummary, utcOffset: Int = 0) -> String {
    let size = summary.status == nil ? "—" : Quantity.bytes(summary.size)
    let took = summary.duration.map(Quantity.duration) ?? "—"
    var line = Moment.timeOfDay(summary.startedAt, utcOffset: utcOffset)
    // There may be thousands a second.
    line.reserveCapacity(64 + summary.url.utf8.count)
    for part in [padded(summary.method, 6), padded(result(summary), 3), summary.url, size, took, by(summary)] {
      line += "  "
      line += part
    }
    return line
  }

  /// The status, the error's name, or how far it has come.
  public static func result(_ summary: ExchangeSummary) -> String {
    switch summary.outcome {
    case .cancelled: "cancelled"
    case .abandoned: "abandoned"
    case .failed: summary.error.map { $0.name ?? "\($0.domain) \($0.code)" } ?? "failed"
    case .responded: summary.status.map(String.init) ?? "—"
    case nil where summary.isHeld: "held"
    case nil where summary.isObserved: "observed"
    case nil: summary.status.map(String.init) ?? "waiting"
    }
  }

  private static func by(_ summary: ExchangeSummary) -> String {
    switch (summary.by, summary.stub) {
    case (.network, nil): "network"
    case (.network, let stub?): "network, through \(stub)"
    case (.stub, let stub?): "stub \(stub)"
    case (.code, let stub?): "code \(stub)"
    case (let by, let stub): stub.map { "\(by.rawValue) \($0)" } ?? by.rawValue
    }
  }

  private static func padded(_ text: String, _ width: Int) -> String {
    let count = text.count
    return count >= width ? text : text + String(repeating: " ", count: width - count)
  }
}
