import PatchbayGrid

/// All keys, by context, narrowed by what is typed.
struct HelpBox: Sendable {
  enum Row: Sendable, Equatable {
    case heading(String)
    case binding(keys: String, help: String, command: String)
    case blank
  }

  var search = TextEditor("", singleLine: true)
  var top = 0

  func rows(of map: KeyMap, first: [KeyContext]) -> [Row] {
    let words = search.text.lowercased().split(separator: " ")
    var rows: [Row] = []
    let order = first + KeyContext.allCases.filter { !first.contains($0) }
    for context in order {
      let fitting = map.bindings.filter { $0.context == context }.map { binding -> Row in
        let keys = binding.keys.map(Binding.label).joined(separator: " ")
        return .binding(keys: keys.isEmpty ? "—" : keys, help: binding.help, command: binding.command.name)
      }.filter { row in
        guard case .binding(let keys, let help, let command) = row else { return false }
        let text = "\(keys) \(help) \(command) \(context.title)".lowercased()
        return words.allSatisfy { text.contains($0) }
      }
      guard !fitting.isEmpty else { continue }
      if !rows.isEmpty { rows.append(.blank) }
      rows.append(.heading(context.title))
      rows += fitting
    }
    return rows
  }
}
