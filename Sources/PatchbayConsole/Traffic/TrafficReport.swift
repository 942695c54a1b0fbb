/// What the runtime counted: one row for each endpoint.
public struct TrafficReport: Sendable, Equatable {
  /// By endpoint; rows by host are made on request by the runtime too.
  public var endpoints: [TrafficRow]
  public var hosts: [TrafficRow]

  public init(endpoints: [TrafficRow] = [], hosts: [TrafficRow] = []) {
    self.endpoints = endpoints
    self.hosts = hosts
  }
}

/// The traffic of one host, or one endpoint of it.
public struct TrafficRow: Sendable, Equatable {
  public var host: String
  /// With ids folded to `{id}`; nil for the whole host.
  public var path: String?
  public var method: String?
  public var count: Int
  /// Failed, or with a status of 400 and above.
  public var errors: Int
  public var sent: Int64
  public var received: Int64
  /// Percentiles of the duration in microseconds; nil where nothing has ended.
  public var p50: Int64?
  public var p95: Int64?
  public var p99: Int64?
  /// Requests in equal stretches of time up to now, oldest first.
  public var spark: [Double]

  public init(
    host: String, path: String? = nil, method: String? = nil, count: Int, errors: Int = 0, sent: Int64 = 0,
    received: Int64 = 0, p50: Int64? = nil, p95: Int64? = nil, p99: Int64? = nil, spark: [Double] = []
  ) {
    self.host = host
    self.path = path
    self.method = method
    self.count = count
    self.errors = errors
    self.sent = sent
    self.received = received
    self.p50 = p50
    self.p95 = p95
    self.p99 = p99
    self.spark = spark
  }

  var errorRate: Double { count == 0 ? 0 : Double(errors) / Double(count) }
}

/// The columns of the Traffic tab.
enum TrafficColumn: CaseIterable, Sendable {
  case name, count, errors, sent, received, p50, p95, p99

  var title: String {
    switch self {
    case .name: "endpoint"
    case .count: "count"
    case .errors: "errors"
    case .sent: "up"
    case .received: "down"
    case .p50: "p50"
    case .p95: "p95"
    case .p99: "p99"
    }
  }

  /// Below 0, 0 or above it.
  func compare(_ left: TrafficRow, _ right: TrafficRow) -> Int {
    func sign<Value: Comparable>(_ one: Value, _ other: Value) -> Int { one < other ? -1 : one == other ? 0 : 1 }
    switch self {
    case .name: return sign(left.host + (left.path ?? ""), right.host + (right.path ?? ""))
    case .count: return sign(left.count, right.count)
    case .errors: return sign(left.errorRate, right.errorRate)
    case .sent: return sign(left.sent, right.sent)
    case .received: return sign(left.received, right.received)
    case .p50: return sign(left.p50 ?? -1, right.p50 ?? -1)
    case .p95: return sign(left.p95 ?? -1, right.p95 ?? -1)
    case .p99: return sign(left.p99 ?? -1, right.p99 ?? -1)
    }
  }
}
