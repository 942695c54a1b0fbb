import PatchbayInspect

/// What the runtime counted: one row for each endpoint, and one for each host.
public struct TrafficReport: Sendable, Equatable {
  public var endpoints: [TrafficStatistics]
  public var hosts: [TrafficStatistics]

  public init(endpoints: [TrafficStatistics] = [], hosts: [TrafficStatistics] = []) {
    self.endpoints = endpoints
    self.hosts = hosts
  }
}
