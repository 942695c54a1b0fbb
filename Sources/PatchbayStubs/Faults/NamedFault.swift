/// A failure worth having by name: a row of the fault menu, and a word after `fail:` in stub files.
package struct NamedFault: Hashable, Sendable, Identifiable {
  /// What stub files write; unlike every name of a `URLError` code, unless it means the same.
  package var name: String
  /// What the menu shows.
  package var title: String
  package var group: Group
  package var action: Action

  package var id: String { name }

  package enum Group: String, Hashable, Sendable, CaseIterable {
    case connection = "Connection"
    case status = "Status"
    case slow = "Slow"
    case broken = "Broken transfer"
    case content = "Wrong content"
  }

  package init(name: String, title: String, group: Group, action: Action) {
    self.name = name
    self.title = title
    self.group = group
    self.action = action
  }

  private static let byName = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })

  package static subscript(_ name: String) -> NamedFault? { byName[name] }

  /// The fault that does just that, if one does.
  package static func of(_ action: Action) -> NamedFault? { all.first { $0.action == action } }

  /// The action with the names of faults replaced by what they do. A delay and a partial answer that were given beside
  /// the name are kept.
  package static func resolve(_ action: Action) -> Action {
    guard case .fail(let fault) = action, case .named(let name) = fault.error,
      URLErrorCode.code(named: name) == nil
    else { return action }
    switch Self[name]?.action {
    case .fail(var found):
      found.delay = fault.delay ?? found.delay
      found.after = fault.after ?? found.after
      return .fail(found)
    case .respond(var response):
      response.delay = fault.delay ?? response.delay
      return .respond(response)
    case .pass(var changes):
      changes.delay = fault.delay ?? changes.delay
      return .pass(changes)
    default:
      var unknown = fault
      unknown.error = .named("unknown")
      return .fail(unknown)
    }
  }
}
