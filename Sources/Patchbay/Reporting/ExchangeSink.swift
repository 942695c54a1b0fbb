import PatchbayWire

/// Who listens to the engine: the link to the console, and the log of exchanges in code.
///
/// Called on the request's path, from any thread, also under the queue that all sessions share: an implementation
/// appends to a list under a lock and returns.
protocol ExchangeSink: AnyObject, Sendable {
  /// Parts of one exchange as they become known. The last one of a key has an `end`.
  func report(_ report: consuming ExchangeReport)

  /// An exchange waits for a verdict; the report of it came just before.
  ///
  /// - Parameter resume: To be called once, from any thread: with the person's decision, or with nil to let it go on
  ///   as if it had never been held. Later calls do nothing.
  func hold(_ key: UInt64, resume: @escaping @Sendable (Verdict.Decision?) -> Void)

  /// The hold has ended without a verdict: the program cancelled, or the timeout came.
  func unhold(_ key: UInt64)

  /// A sentence for the person: something could not be done as they asked.
  func notice(_ sentence: String)
}
