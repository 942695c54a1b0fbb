import GRDB

/// Reads packs, one run at a time.
///
/// Not `Sendable`: belongs to the reading in which it was made.
final class PackReader {
  /// A pack has three rows, so that only what a filter asks for is read.
  enum Part: Int64, CaseIterable {
    case numbers, urls, headers

    func id(run: Int64) -> Int64 { run * 4 + rawValue }
  }

  private let statements: [RawStatement]
  private let scratch: UnsafeMutablePointer<Int64>

  /// - Returns: nil where the file is of a version that had none.
  init?(_ database: Database) throws {
    guard try database.tableExists("pack") else { return nil }
    statements = try Part.allCases.map { _ in try RawStatement(database, "SELECT data FROM pack WHERE id = ?") }
    scratch = .allocate(capacity: Int(Census.span))
    scratch.initialize(repeating: 0, count: Int(Census.span))
  }

  deinit { scratch.deallocate() }

  /// The pack of a run; nil where it has none that can be read. What was given out before is no longer good.
  func run(_ run: Int64) throws -> PackRun? {
    for statement in statements { statement.reset() }
    guard let numbers = try load(.numbers, of: run).flatMap({ PackNumbers($0) }) else { return nil }
    return PackRun(first: run * Census.span, numbers, scratch: scratch) { [self] in try load($0, of: run) }
  }

  private func load(_ part: Part, of run: Int64) throws -> UnsafeRawBufferPointer? {
    let statement = statements[Int(part.rawValue)]
    statement.reset()
    statement.bind(1, part.id(run: run))
    return try statement.step() ? statement.bytes(0) : nil
  }
}
