/// The traffic of one endpoint, or of a whole host.
public struct TrafficStatistics: Hashable, Sendable {
  public var host: String
  /// nil for a whole host.
  public var method: String?
  public var endpoint: String?
  public var count: Int
  /// Failed, or with a status of 400 and above.
  public var errors: Int
  /// Bytes of request and response bodies.
  public var sent: Int64
  public var received: Int64
  /// Microseconds, by nearest rank: the least duration that at least that share does not exceed. nil: none ended.
  public var p50: Int64?
  public var p95: Int64?
  public var p99: Int64?
  /// Requests in each part of the span, oldest first.
  public var sparkline: [Int]

  public var errorRate: Double { count == 0 ? 0 : Double(errors) / Double(count) }

  public init(
    host: String, method: String? = nil, endpoint: String? = nil, count: Int, errors: Int = 0, sent: Int64 = 0,
    received: Int64 = 0, p50: Int64? = nil, p95: Int64? = nil, p99: Int64? = nil, sparkline: [Int] = []
  ) {
    self.host = host
    self.method = method
    self.endpoint = endpoint
    self.count = count
    self.errors = errors
    self.sent = sent
    self.received = received
    self.p50 = p50
    self.p95 = p95
    self.p99 = p99
    self.sparkline = sparkline
  }

  init(_ host: String, _ method: String?, _ endpoint: String?, _ group: TrafficGroup) {
    self.host = host
    self.method = method
    self.endpoint = endpoint
    count = group.count
    errors = group.errors
    sent = group.sent
    received = group.received
    var ranks = NearestRank(group.durations)
    p99 = ranks.percentile(99)
    p95 = ranks.percentile(95)
    p50 = ranks.percentile(50)
    sparkline = group.parts
  }
}
