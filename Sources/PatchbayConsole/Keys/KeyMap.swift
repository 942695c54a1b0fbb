import PatchbayGrid
import PatchbayStubs

/// The bindings in force, found by key.
package struct KeyMap: Sendable {
  package private(set) var bindings: [Binding]
  private var commands: [KeyContext: [Key: ConsoleCommand]] = [:]

  package init(_ bindings: [Binding] = Binding.table) {
    self.bindings = bindings
    for binding in bindings {
      for key in binding.keys where commands[binding.context]?[key] == nil {
        commands[binding.context, default: [:]][key] = binding.command
      }
    }
  }

  /// The table with a person's keys in it. A command's name is its raw value, or `context.name` for one context only;
  /// no keys take it off the keyboard.
  ///
  /// - Throws: `KeyMapError` for an unknown command, a key that does not exist, and two commands on one key.
  package init(overriding overrides: [String: [String]]) throws(KeyMapError) {
    var rows = Binding.table
    var changed: Set<Int> = []
    for (name, keys) in overrides.sorted(by: { $0.key < $1.key }) {
      let places = try KeyMap.places(of: name, in: rows)
      var parsed: [Key] = []
      for text in keys {
        guard let key = Key(parsing: text) else { throw .unknownKey(text, command: name) }
        parsed.append(key)
      }
      for place in places {
        rows[place].keys = parsed
        changed.insert(place)
      }
    }
    for place in changed.sorted() {
      for key in rows[place].keys {
        let other = rows.indices.first {
          $0 != place && rows[$0].context == rows[place].context && rows[$0].keys.contains(key)
        }
        if let other {
          throw .clash(key, rows[place].command, rows[other].command, in: rows[place].context)
        }
        // One of the usual keys may be covered as it always was, such as g on Traffic.
        guard !Binding.table[place].keys.contains(key) else { continue }
        let cover = rows.first {
          $0.context.covers(rows[place].context) && $0.keys.contains(key) && $0.command.name != rows[place].command.name
        }
        if let cover { throw .clash(key, rows[place].command, cover.command, in: cover.context) }
      }
    }
    self.init(rows)
  }

  /// The table with those of a person's keys in it that can be used. The commands of the others keep the usual ones;
  /// each is handed back by its name in the config file with what is wrong.
  package static func lenient(
    overriding overrides: [String: [String]]
  ) -> (map: KeyMap, problems: [(name: String, error: KeyMapError)]) {
    var left = overrides
    var problems: [(name: String, error: KeyMapError)] = []
    while true {
      do throws(KeyMapError) {
        return (try KeyMap(overriding: left), problems)
      } catch {
        let name = error.name(in: left.keys) ?? left.keys.sorted()[0]
        problems.append((name, error))
        left[name] = nil
      }
    }
  }

  package func command(for key: Key, in contexts: [KeyContext]) -> ConsoleCommand? {
    for context in contexts {
      if let command = commands[context]?[key] { return command }
    }
    return nil
  }

  package func formCommand(for key: Key) -> FormCommand? {
    if case .form(let command) = command(for: key, in: [.form]) { command } else { nil }
  }

  /// The bindings that count in these contexts: those of inner ones first, without rows whose keys are all taken.
  package func active(in contexts: [KeyContext]) -> [Binding] {
    contexts.flatMap { context in
      bindings.filter { row in
        row.context == context
          && (row.keys.isEmpty || row.keys.contains { command(for: $0, in: contexts) == row.command })
      }
    }
  }

  private static func places(of name: String, in rows: [Binding]) throws(KeyMapError) -> [Int] {
    let parts = name.split(separator: ".", maxSplits: 1)
    let context = parts.count == 2 ? KeyContext(rawValue: String(parts[0])) : nil
    if parts.count == 2, context == nil { throw .unknownCommand(name, near: nil) }
    let bare = parts.last.map(String.init) ?? name
    let places = rows.indices.filter {
      rows[$0].command.name == bare && (context == nil || rows[$0].context == context)
    }
    guard !places.isEmpty else {
      throw .unknownCommand(name, near: NearestName.find(bare, among: Binding.table.map(\.command.name)))
    }
    return places
  }
}

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
