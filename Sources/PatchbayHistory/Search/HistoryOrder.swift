/// By what exchanges can be sorted. What is equal stands in the order in which it was recorded.
package enum HistoryOrder: Hashable, Sendable, CaseIterable {
  case id, started
  /// By name, then by process id.
  case process
  case method
  /// Those without one come after all others: those that wait first, then those that failed, by their error's code.
  case status
  case host
  /// Path and query, byte by byte.
  case path
  /// The media type of the response.
  case type
  case size
  /// Those that have not ended come last.
  case duration
  /// By kind, then by the stub's name.
  case answerer

  /// What is read of each exchange `e`; texts that are shared by their ids.
  var column: String {
    switch self {
    case .id: "e.id"
    case .started: "e.started"
    case .process: "(e.process << 32) | (e.pid & 4294967295)"
    case .method: "e.method"
    case .status: "coalesce(e.status, 1000 + abs(coalesce(e.error_code, 0)))"
    case .host: "e.host"
    case .path: "e.url"
    case .type: "coalesce(e.type, 0)"
    case .size: "e.size"
    case .duration: "coalesce(e.duration, 9223372036854775807)"
    case .answerer: "(e.answerer << 32) | coalesce(e.stub, 0)"
    }
  }

  /// Whether `column` stands for a text.
  var isShared: Bool { [.process, .method, .host, .type, .answerer].contains(self) }
}
