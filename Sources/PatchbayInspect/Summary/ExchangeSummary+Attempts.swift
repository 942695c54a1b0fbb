extension ExchangeSummary {
  /// Whether it asks, from the same process, the same thing as another but for the query.
  public func isAttempt(like other: ExchangeSummary) -> Bool {
    process == other.process && method == other.method && authority == other.authority
      && path.prefix { $0 != "?" } == other.path.prefix { $0 != "?" }
  }
}
