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
