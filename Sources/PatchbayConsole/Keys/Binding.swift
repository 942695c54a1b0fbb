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
