import Foundation
import GRDB
import PatchbayInspect
import PatchbayWire

/// Makes the pack of a run of its rows.
///
/// Packs hold nothing that the tables do not have. They are made for runs that are no longer the newest, and dropped
/// when a row of the run is written again or removed; marks, and what is hidden, are not in them.
struct PackBuilder {
  private static let columns = PackNumbers.Column.allCases
  /// A run with more text than this (bytes) gets no pack: reading it would take more memory than is sensible.
  private static let textLimit = 8 << 20

  /// The parts of the pack; nil where the run cannot have one.
  static func parts(of run: Int64, _ database: Database) throws -> [Data]? {
    let names = columns.map { "e." + $0.sql }.joined(separator: ", ")
    let statement = try RawStatement(
      keptBy: database,
      """
      SELECT \(names), e.url, d.facts FROM exchange e LEFT JOIN detail d ON d.id = e.id
      WHERE e.id BETWEEN ? AND ? ORDER BY e.id
      """)
    let first = run * Census.span
    statement.bind(1, first)
    statement.bind(2, first + Census.span - 1)
    var numbers = [[Int64]](repeating: [], count: columns.count)
    for column in numbers.indices { numbers[column].reserveCapacity(Int(Census.span)) }
    var urls = PackTextsBuilder()
    var headers = PackHeadersBuilder()
    var row: Int64 = 0
    var budget = YieldBudget(milliseconds: 100)
    while try statement.step() {
      for column in numbers.indices {
        let value = statement.optionalInt(Int32(column))
        if value == PackNumbers.null { return nil }
        numbers[column].append(value ?? PackNumbers.null)
      }
      // Of a run without gaps this is the same number for all rows.
      numbers[0][Int(row)] -= first + row
      urls.append(statement.bytes(Int32(columns.count)).bindMemory(to: UInt8.self))
      let facts = statement.bytes(Int32(columns.count + 1)).bindMemory(to: UInt8.self)
      _ = Facts.anyHeader(in: facts) { line in
        headers.append(line)
        return false
      }
      headers.endRow()
      row += 1
      budget.step()
      guard urls.bytes.count <= textLimit, headers.size <= textLimit else { return nil }
    }
    return row == 0 ? nil : [PackNumbers.encoded(numbers), urls.data, headers.data]
  }
}
