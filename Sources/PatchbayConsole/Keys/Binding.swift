import PatchbayGrid

/// One row of the table from which keys, help, footer and palette are made.
public struct Binding: Sendable, Equatable {
  public var command: ConsoleCommand
  /// The keys that run it, the one to show first. May be empty: then it is in the palette only.
  public var keys: [Key]
  /// A short sentence for help and palette.
  public var help: String
  /// One or two words for the footer; nil keeps it out of there.
  public var hint: String?
  /// The place in the footer, smaller is further left.
  public var priority: Int

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
  public var context: KeyContext { command.context }

  /// The first key as people write it: `↵`, `ctrl-r`, `J`.
  public var keyLabel: String { keys.first.map(Binding.label) ?? "" }

  public static func label(_ key: Key) -> String {
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
