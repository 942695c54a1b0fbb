import PatchbayInspect

/// What the runtime counted: one row for each endpoint, and one for each host.
package struct TrafficReport: Sendable, Equatable {
  package var endpoints: [TrafficStatistics]
  package var hosts: [TrafficStatistics]

  package init(endpoints: [TrafficStatistics] = [], hosts: [TrafficStatistics] = []) {
    self.endpoints = endpoints
    self.hosts = hosts
  }
}
