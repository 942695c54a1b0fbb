/// A change of the history that can be undone as long as the console runs.
package enum HistoryChange: Hashable, Sendable {
  case mark([Int64])
  case unmark([Int64])
  case delete([Int64])
  /// Brings back what was deleted.
  case restore([Int64])
  /// Hides all that is recorded so far.
  case clear
  /// Takes back a clearing: only what came before was hidden then.
  case unclear(through: Int64)
}
