/// The raw counts of one group.
public struct TrafficGroup: Hashable, Sendable {
  public private(set) var count = 0
  public private(set) var errors = 0
  public private(set) var sent: Int64 = 0
  public private(set) var received: Int64 = 0
  /// Microseconds, of those that have ended.
  public private(set) var durations: [Int64] = []
  public private(set) var parts: [Int]

  public init(parts: Int) { self.parts = Array(repeating: 0, count: parts) }

  package init(count: Int, errors: Int, sent: Int64, received: Int64, durations: [Int64], parts: [Int]) {
    self.count = count
    self.errors = errors
    self.sent = sent
    self.received = received
    self.durations = durations
    self.parts = parts
  }

  public mutating func add(isError: Bool, sent: Int64, received: Int64, duration: Int64?, part: Int?) {
    count += 1
    if isError { errors += 1 }
    self.sent += sent
    self.received += received
    if let duration { durations.append(duration) }
    if let part, parts.indices.contains(part) { parts[part] += 1 }
  }

  public mutating func add(_ other: TrafficGroup) {
    count += other.count
    errors += other.errors
    sent += other.sent
    received += other.received
    durations += other.durations
    for index in parts.indices where other.parts.indices.contains(index) { parts[index] += other.parts[index] }
  }
}

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
