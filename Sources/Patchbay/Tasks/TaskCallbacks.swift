import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// How a task tells its program what happens: a row of the session's task registry.
///
/// The registry is touched on the session's work queue only, which is where the framework calls a `URLProtocol`.
struct TaskCallbacks {
  private static let registryField = StoredField(
    "taskRegistry", in: URLSession.self, size: MemoryLayout<AnyObject>.size)

  enum Kind {
    /// The session's delegate (or nobody) is called, piece by piece.
    case delegate
    /// A completion handler or an async caller gets the whole body.
    case data
    /// The same, with a delegate for this one call, who hears of the response.
    case dataWithDelegate
    case download
    case downloadWithDelegate
  }

  /// The dictionary from task identifiers to rows.
  private let rows: StoredField
  private let registry: AnyObject
  private let identifier: Int

  init?(of task: URLSessionTask, in session: URLSession) {
    guard let registry = Self.registryField?.object(in: session), let rows = RegistryRows.field(in: registry) else {
      return nil
    }
    self.rows = rows
    self.registry = registry
    identifier = task.taskIdentifier
  }

  /// The row, opaque; put back with ``replace(with:)``.
  var row: Any? {
    (rows.value(in: registry) as? any TaskRows)?.row(identifier)
  }

  /// Puts another row in; false if it is of another type or there is none to replace.
  @discardableResult
  func replace(with row: Any) -> Bool {
    func change<Rows>(_ type: Rows.Type) -> Bool {
      let address = rows.address(in: registry)
      guard let rowsType = type as? any TaskRows.Type else { return false }
      return rowsType.replace(row, at: identifier, in: address)
    }
    return _openExistential(rows.type, do: change)
  }

  var kind: Kind? { row.flatMap(Self.kind(of:)) }

  /// Whether a row of `dataWithDelegate` or `downloadWithDelegate` has a delegate.
  static func hasDelegate(_ row: Any) -> Bool {
    guard let payload = Mirror(reflecting: row).children.first?.value,
      let delegate = Mirror(reflecting: payload).children.dropFirst().first?.value
    else { return false }
    let mirror = Mirror(reflecting: delegate)
    return mirror.displayStyle != .optional || !mirror.children.isEmpty
  }

  static func kind(of row: Any) -> Kind? {
    switch Mirror(reflecting: row).children.first?.label {
    case nil: "\(row)" == "callDelegate" ? .delegate : nil
    case "dataCompletionHandler": .data
    case "dataCompletionHandlerWithTaskDelegate": .dataWithDelegate
    case "downloadCompletionHandler": .download
    case "downloadCompletionHandlerWithTaskDelegate": .downloadWithDelegate
    default: nil
    }
  }
}

/// Finds the registry's dictionary once; its class has no name that could be written here.
private enum RegistryRows {
  private static let found = NSLock()
  nonisolated(unsafe) private static var cache: (owner: ObjectIdentifier, field: StoredField?)?  // Guarded by `found`.

  static func field(in registry: AnyObject) -> StoredField? {
    let owner: AnyClass = type(of: registry)
    return found.withLock {
      if let cache, cache.owner == ObjectIdentifier(owner) { return cache.field }
      let field = StoredField("behaviours", in: owner)
      cache = (ObjectIdentifier(owner), field?.type is any TaskRows.Type ? field : nil)
      return cache?.field
    }
  }
}

/// A dictionary by task identifier whose values' type has no name that could be written here.
private protocol TaskRows {
  func row(_ identifier: Int) -> Any?
  static func replace(_ row: Any, at identifier: Int, in address: UnsafeMutableRawPointer) -> Bool
}

extension Dictionary: TaskRows where Key == Int {
  fileprivate func row(_ identifier: Int) -> Any? { self[identifier] }

  fileprivate static func replace(_ row: Any, at identifier: Int, in address: UnsafeMutableRawPointer) -> Bool {
    guard let row = row as? Value else { return false }
    let rows = address.assumingMemoryBound(to: Self.self)
    guard let index = rows.pointee.index(forKey: identifier) else { return false }
    rows.pointee.values[index] = row
    return true
  }
}
