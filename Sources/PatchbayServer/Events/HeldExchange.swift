import PatchbayWire

/// An exchange that waits for a verdict.
public struct HeldExchange: Hashable, Sendable, Identifiable {
  public enum Stage: String, Hashable, Sendable, CaseIterable {
    case request
    case response
  }

  public var exchange: Exchange
  public var stage: Stage
  public var link: LinkID
  /// When the console learnt of the hold.
  public var since: Timestamp

  public var id: Int64 { exchange.id }
}
