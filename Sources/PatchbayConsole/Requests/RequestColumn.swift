/// A column of the request list. The raw value is its name in settings.
package enum RequestColumn: String, CaseIterable, Sendable {
  case number
  case startedAt = "time"
  case process
  case method
  case status
  case host
  case path
  case type
  case size
  case duration
  case by
  case timeline

  /// What stands above it.
  package var title: String {
    switch self {
    case .number: "#"
    case .startedAt: "time"
    case .duration: "took"
    default: rawValue
    }
  }

  var alignsRight: Bool { self == .number || self == .size || self == .duration }
}
