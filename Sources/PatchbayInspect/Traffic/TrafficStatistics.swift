import PatchbayWire

/// The traffic of one endpoint, or of a whole host.
package struct TrafficStatistics: Hashable, Sendable {
  package var host: String
  /// nil for a whole host.
  package var method: String?
  /// The path, its ids folded.
  package var endpoint: String?
  /// The GraphQL operation.
  package var operation: String?
  package var count: Int
  /// Failed, or with a status of 400 and above.
  package var errors: Int
  /// Bytes of request and response bodies.
  package var sent: Int64
  package var received: Int64
  /// Microseconds, by nearest rank: the least duration that at least that share does not exceed. nil: none ended.
  package var p50: Int64?
  package var p95: Int64?
  package var p99: Int64?
  /// Requests in each part of the span, oldest first.
  package var sparkline: [Int]

  package var errorRate: Double { count == 0 ? 0 : Double(errors) / Double(count) }

  package init(
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
    let parts = endpoint.map(Endpoint.parts)
    self.endpoint = parts?.path
    operation = parts?.operation
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

/// The raw counts of one group.
package struct TrafficGroup: Hashable, Sendable {
  package private(set) var count = 0
  package private(set) var errors = 0
  package private(set) var sent: Int64 = 0
  package private(set) var received: Int64 = 0
  /// Microseconds, of those that have ended.
  package private(set) var durations: [Int64] = []
  package private(set) var parts: [Int]

  package init(parts: Int) { self.parts = Array(repeating: 0, count: parts) }

  package init(count: Int, errors: Int, sent: Int64, received: Int64, durations: [Int64], parts: [Int]) {
    self.count = count
    self.errors = errors
    self.sent = sent
    self.received = received
    self.durations = durations
    self.parts = parts
  }

  package mutating func add(isError: Bool, sent: Int64, received: Int64, duration: Int64?, part: Int?) {
    count += 1
    if isError { errors += 1 }
    self.sent = self.sent.addingUpTo63Bits(sent)
    self.received = self.received.addingUpTo63Bits(received)
    if let duration { durations.append(duration) }
    if let part, parts.indices.contains(part) { parts[part] += 1 }
  }

  package mutating func add(_ other: TrafficGroup) {
    count += other.count
    errors += other.errors
    sent = sent.addingUpTo63Bits(other.sent)
    received = received.addingUpTo63Bits(other.received)
    durations += other.durations
    for index in parts.indices where other.parts.indices.contains(index) { parts[index] += other.parts[index] }
  }
}

/// Percentiles by nearest rank, without sorting everything. Asked for the highest first, each narrows the next.
struct NearestRank {
  private var values: [Int64]
  /// All values from here on are at least as large as all before.
  private var end: Int

  init(_ values: [Int64]) {
    self.values = values
    end = values.count
  }

  /// The least value that at least that share of the values does not exceed; nil where there are none.
  mutating func percentile(_ percent: Int) -> Int64? {
    guard !values.isEmpty else { return nil }
    let place = max(0, (values.count * percent + 99) / 100 - 1)
    // What lies behind the last one asked for is in no order.
    if place >= end { end = values.count }
    let found = values.withUnsafeMutableBufferPointer { Self.select($0, place, from: 0, to: end) }
    end = place + 1
    return found
  }

  /// Puts the value of that rank in its place, smaller ones before it, and gives it back.
  private static func select(
    _ values: UnsafeMutableBufferPointer<Int64>, _ place: Int, from start: Int, to end: Int
  ) -> Int64 {
    var (low, high) = (start, end - 1)
    var rounds = 0
    while low < high {
      rounds += 1
      // Many rounds mean unlucky pivots: sorting what is left ends it.
      if rounds > 64 || high - low < 16 {
        var rest = UnsafeMutableBufferPointer(rebasing: values[low...high])
        rest.sort()
        break
      }
      let pivot = median(values[low], values[low + (high - low) / 2], values[high])
      var (left, right) = (low, high)
      while left <= right {
        while values[left] < pivot { left += 1 }
        while values[right] > pivot { right -= 1 }
        if left <= right {
          values.swapAt(left, right)
          left += 1
          right -= 1
        }
      }
      if place <= right {
        high = right
      } else if place >= left {
        low = left
      } else {
        return values[place]
      }
    }
    return values[place]
  }

  private static func median(_ one: Int64, _ two: Int64, _ three: Int64) -> Int64 {
    max(min(one, two), min(max(one, two), three))
  }
}
