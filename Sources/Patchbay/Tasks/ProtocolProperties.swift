import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The private notes that the framework's client reads from a `URLProtocol`, by the raw values of their keys.
enum ProtocolProperties {
  private static let field: StoredField? = {
    let field = StoredField("properties", in: URLProtocol.self, size: MemoryLayout<AnyObject>.size)
    return field?.type is any PropertyTable.Type ? field : nil
  }()

  static func value(named name: String, of loading: URLProtocol) -> Any? {
    (field?.value(in: loading) as? any PropertyTable)?.value(named: name)
  }

  /// Sets a note; false if it cannot be done on this version of Foundation.
  static func set(_ name: String, to value: Any, of loading: URLProtocol) -> Bool {
    guard let field, let table = field.type as? any PropertyTable.Type else { return false }
    return table.set(name, to: value, in: field.address(in: loading))
  }
}

/// A dictionary whose key type has no name that could be written here.
private protocol PropertyTable {
  func value(named name: String) -> Any?
  static func set(_ name: String, to value: Any, in address: UnsafeMutableRawPointer) -> Bool
}

extension Dictionary: PropertyTable where Value == Any {
  fileprivate func value(named name: String) -> Any? {
    Self.key(name).flatMap { self[$0] }
  }

  fileprivate static func set(_ name: String, to value: Any, in address: UnsafeMutableRawPointer) -> Bool {
    guard let key = key(name) else { return false }
    address.assumingMemoryBound(to: Self.self).pointee[key] = value
    return true
  }

  private static func key(_ name: String) -> Key? {
    guard let type = Key.self as? any RawRepresentable<String>.Type else { return nil }
    return type.init(rawValue: name) as? Key
  }
}
