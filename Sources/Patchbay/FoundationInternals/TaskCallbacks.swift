import Foundation
import Synchronization

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
    /// A caller gets the whole body, and a delegate of this one call hears of the response.
    case dataWithDelegate
    case download
    case downloadWithDelegate
  }

  private let rows: RegistryRows
  private let address: UnsafeMutableRawPointer
  private let registry: AnyObject
  private let identifier: Int

  init?(of task: URLSessionTask, in session: URLSession) {
    guard let registry = Self.registryField?.object(in: session), let rows = RegistryRows.of(registry) else {
      return nil
    }
    self.rows = rows
    self.registry = registry
    address = rows.field.address(in: registry)
    identifier = task.taskIdentifier
  }

  /// The row, opaque; put back with ``replace(with:)``.
  var row: Any? { rows.type.row(identifier, in: address) }

  /// Puts another row in; false if it is of another type or there is none to replace.
  @discardableResult
  func replace(with row: Any) -> Bool {
    rows.type.replace(row, at: identifier, in: address)
  }

  /// What kind of row it is; cheaper than to copy the row.
  var kind: Kind? {
    guard let key = rows.type.key(identifier, in: address) else { return row.flatMap(Self.kind(of:)) }
    return Self.known(key) ?? row.flatMap(Self.kind(of:))
  }

  /// Whether it is a row of `dataWithDelegate` that may have a delegate: one whose third word is zero has none. Cheaper
  /// than to copy the row.
  var mayHaveDataDelegate: Bool {
    guard let (key, word) = rows.type.look(identifier, in: address) else { return false }
    return word != 0 && (Self.known(key) ?? row.flatMap(Self.kind(of:))) == .dataWithDelegate
  }

  /// Whether a row of `dataWithDelegate` or `downloadWithDelegate` has a delegate.
  ///
  /// - Parameter isThird: What ``delegateIsThird(in:_:)`` says of such rows. If not, it takes a `Mirror` to know (about 60 µs).
  static func hasDelegate(_ row: Any, isThird: Bool) -> Bool {
    if isThird, let word = EnumCase.payloadWord(2, of: row) { return word != 0 }
    return delegate(of: row) != nil
  }

  /// The delegate of one call that such a row has. Takes a `Mirror` where there is one.
  static func delegate(of row: Any) -> (any URLSessionTaskDelegate)? {
    guard let payload = Mirror(reflecting: row).children.first?.value else { return nil }
    return Mirror(reflecting: payload).children.dropFirst().first?.value as? any URLSessionTaskDelegate
  }

  /// Whether a row keeps its delegate behind the two words of its completion handler.
  static func delegateIsThird(in row: Any, _ delegate: AnyObject) -> Bool {
    EnumCase.payloadWord(2, of: row) == UInt(bitPattern: Unmanaged.passUnretained(delegate).toOpaque())
  }

  static func kind(of row: Any) -> Kind? {
    let key = EnumCase(row)
    if let key, let known = known(key) { return known }
    guard let name = _openExistential(row, do: enumCaseName) else { return nil }
    let kind = kinds.first { strcmp($0.name, name) == 0 }?.kind
    if let key, let kind {
      knownKinds.withLock { known in
        if !known.contains(where: { $0.key == key }) { known.append((key, kind)) }
      }
    }
    return kind
  }

  private static func known(_ key: EnumCase) -> Kind? {
    knownKinds.withLock { known in known.first { $0.key == key }?.kind }
  }

  /// The name of a case is slow to find; a row's type has as many cases as there are kinds.
  private static let knownKinds = Mutex<[(key: EnumCase, kind: Kind)]>([])

  private static let kinds: [(name: String, kind: Kind)] = [
    ("dataCompletionHandler", .data), ("dataCompletionHandlerWithTaskDelegate", .dataWithDelegate),
    ("callDelegate", .delegate), ("downloadCompletionHandler", .download),
    ("downloadCompletionHandlerWithTaskDelegate", .downloadWithDelegate),
  ]
}

/// The name of an enum's case, as the standard library prints it; much cheaper than a `Mirror`.
@_silgen_name("swift_EnumCaseName")
private func enumCaseName<Value>(_ value: Value) -> UnsafePointer<CChar>?

/// The registry's dictionary from task identifiers to rows, found once; its class has no name that could be written
/// here.
private struct RegistryRows: Sendable {
  let field: StoredField
  let type: any TaskRows.Type

  private static let cache = Mutex<(owner: ObjectIdentifier, rows: RegistryRows?)?>(nil)

  static func of(_ registry: AnyObject) -> RegistryRows? {
    let owner: AnyClass = Swift.type(of: registry)
    return cache.withLock { cache in
      if let cache, cache.owner == ObjectIdentifier(owner) { return cache.rows }
      let field = StoredField("behaviours", in: owner)
      let rows = field.flatMap { field in
        (field.type as? any TaskRows.Type).map { RegistryRows(field: field, type: $0) }
      }
      cache = (ObjectIdentifier(owner), rows)
      return rows
    }
  }
}

/// A dictionary by task identifier whose values' type has no name that could be written here.
private protocol TaskRows: SendableMetatype {
  static func row(_ identifier: Int, in address: UnsafeMutableRawPointer) -> Any?
  static func key(_ identifier: Int, in address: UnsafeMutableRawPointer) -> EnumCase?
  /// The row's case, and its third word.
  static func look(_ identifier: Int, in address: UnsafeMutableRawPointer) -> (EnumCase, UInt?)?
  static func replace(_ row: Any, at identifier: Int, in address: UnsafeMutableRawPointer) -> Bool
}

extension Dictionary: TaskRows where Key == Int {
  fileprivate static func row(_ identifier: Int, in address: UnsafeMutableRawPointer) -> Any? {
    address.assumingMemoryBound(to: Self.self).pointee[identifier]
  }

  fileprivate static func key(_ identifier: Int, in address: UnsafeMutableRawPointer) -> EnumCase? {
    guard let row = address.assumingMemoryBound(to: Self.self).pointee[identifier] else { return nil }
    return EnumCase(of: row)
  }

  fileprivate static func look(_ identifier: Int, in address: UnsafeMutableRawPointer) -> (EnumCase, UInt?)? {
    guard let row = address.assumingMemoryBound(to: Self.self).pointee[identifier] else { return nil }
    return EnumCase(of: row).map { ($0, EnumCase.payloadWord(2, in: row)) }
  }

  fileprivate static func replace(_ row: Any, at identifier: Int, in address: UnsafeMutableRawPointer) -> Bool {
    guard let row = row as? Value else { return false }
    let rows = address.assumingMemoryBound(to: Self.self)
    guard let index = rows.pointee.index(forKey: identifier) else { return false }
    rows.pointee.values[index] = row
    return true
  }
}
