import PatchbayFiles
import PatchbayHistory

extension ConfigFile {
  /// How much a history keeps: what the person chose, and what is usual where nothing is said.
  package func retention(else usual: Retention) -> Retention {
    Retention(count: history.count ?? usual.count, bytes: history.size.map(Int64.init) ?? usual.bytes)
  }
}
