import PatchbayGrid

/// One row of the table from which keys, help, footer and palette are made.
package struct Binding: Sendable, Equatable {
  package var command: ConsoleCommand
  /// The keys that run it, the one to show first. May be empty: then it is in the palette only.
  package var keys: [Key]
  /// A short sentence for help and palette.
  package var help: String
  /// One or two words for the footer; nil keeps it out of there.
  package var hint: String?
  /// The place in the footer, smaller is further left.
  package var priority: Int

  init(
    _ command: ConsoleCommand, _ keys: String, _ help: String, hint: String? = nil, priority: Int = 50
  ) {
    self.command = command
    self.keys = keys.split(separator: " ").compactMap { Key(parsing: $0) }
    self.help = help
    self.hint = hint
    self.priority = priority
  }

  /// Where the keys count.
  package var context: KeyContext { command.context }

  /// The first key as people write it: `↵`, `ctrl-r`, `J`.
  package var keyLabel: String { keys.first.map(Binding.label) ?? "" }

  package static func label(_ key: Key) -> String {
    guard key.modifiers.isEmpty else { return key.description }
    switch key.code {
    case .up: return "↑"
    case .down: return "↓"
    case .left: return "←"
    case .right: return "→"
    default: return key.description
    }
  }
}

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
