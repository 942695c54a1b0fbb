import PatchbayGrid

/// Why a person's keys cannot be used.
package enum KeyMapError: Error, Equatable, CustomStringConvertible {
  case unknownCommand(String, near: String?)
  case unknownKey(String, command: String)
  case clash(Key, ConsoleCommand, ConsoleCommand, in: KeyContext)

  package var description: String {
    switch self {
    case .unknownCommand(let name, let near):
      let hint =
        near.map { "; did you mean \($0)?" } ?? "; press ? in the console for the names of all commands."
      return "there is no command \(name) to give a key to\(hint)"
    case .unknownKey(let key, let command):
      return "\(key), given to \(command), is no key; write keys like j, J, ctrl-r, alt-x, space, enter, f5 or pgdn."
    case .clash(let key, let one, let other, let context):
      return
        "the key \(Binding.label(key)) is given to both \(one.name) and \(other.name) in \(context.rawValue); "
        + "give one of them another key."
    }
  }
}

extension KeyMapError {
  /// The one of these names, as the config file has them, that the mistake is about.
  func name(in names: some Collection<String>) -> String? {
    switch self {
    case .unknownCommand(let name, _), .unknownKey(_, let name): name
    case .clash(_, let command, _, let context):
      names.contains("\(context.rawValue).\(command.name)")
        ? "\(context.rawValue).\(command.name)"
        : names.sorted().first { $0 == command.name || $0.hasSuffix(".\(command.name)") }
    }
  }
}
