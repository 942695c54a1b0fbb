/// Where a key counts. The contexts in force form a list, the innermost first; the first that has a binding wins.
package enum KeyContext: String, CaseIterable, Sendable {
  /// Everywhere but in boxes and forms.
  case global
  /// The list of requests, or its detail.
  case requests
  /// The detail of a request has the keys.
  case detail
  /// The selected request is held.
  case held
  case stubs
  case traffic
  case processes
  case output
  /// A form or a text that is being edited.
  case form

  /// For the headings of the help.
  package var title: String {
    switch self {
    case .global: "Everywhere"
    case .requests: "Requests"
    case .detail: "Detail of a request"
    case .held: "On a held request"
    case .stubs: "Stubs"
    case .traffic: "Traffic"
    case .processes: "Processes"
    case .output: "Output"
    case .form: "Forms and editors"
    }
  }

  /// Whether its keys come before those of another context, so that the other's would not be reached.
  func covers(_ other: KeyContext) -> Bool {
    switch other {
    case .global: self != .global && self != .form
    case .requests: self == .detail || self == .held
    case .held: self == .detail
    case .detail, .stubs, .traffic, .processes, .output, .form: false
    }
  }
}
