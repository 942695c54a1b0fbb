import GRDB
import PatchbayInspect
import PatchbayWire

/// A filter as it is asked of stored exchanges: of packs where they know it, else of the tables.
struct SearchCondition: Sendable {
  private(set) var sql: FilterSQL
  /// nil: packs say nothing about it.
  private(set) var packs: PackCondition?

  init(_ filter: Filter, now: Timestamp, _ database: Database) throws {
    let texts = TextLookup(database)
    sql = try FilterSQL(filter, now: now, texts)
    packs = try PackCondition.reading(filter, now: now, texts)
  }

  /// The same for one reader alone; it must live as long as the statements that it is bound to.
  func unshared() -> SearchCondition {
    var copy = self
    copy.sql = sql.unshared()
    copy.packs = packs?.unshared()
    return copy
  }
}
