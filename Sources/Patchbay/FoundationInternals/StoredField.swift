import Foundation

/// A stored property of one of Foundation's classes that has no public accessor: found by name once, then read and
/// written at its offset. Everything that is not as expected is nil, and the caller does without.
///
/// `Mirror` on each request would cost more than the request's own work; this costs a load.
struct StoredField: Sendable {
  private let offset: Int
  /// The property's declared type.
  let type: any Any.Type

  /// - Parameter size: The size that the property must have; nil accepts any.
  init?(_ name: String, in owner: AnyClass, size: Int? = nil) {
    guard let (offset, type) = Self.find(name, in: owner), offset >= MemoryLayout<UnsafeRawPointer>.size * 2 else {
      return nil
    }
    if let size, Self.size(of: type) != size { return nil }
    self.offset = offset
    self.type = type
  }

  /// Where a property of a value lies in it; nil where it has none of that name and type.
  static func offset<Value>(of name: String, in owner: Any.Type, as wanted: Value.Type) -> Int? {
    find(name, in: owner).flatMap { $0.type == wanted ? $0.offset : nil }
  }

  private static func find(_ name: String, in owner: Any.Type) -> (offset: Int, type: any Any.Type)? {
    for index in 0..<mirroredFieldCount(owner) {
      var field = MirroredField()
      let type = mirroredFieldType(owner, index: index, field: &field)
      let isWanted = field.name.map { strcmp($0, name) == 0 } ?? false
      field.free?(field.name)
      if isWanted { return (mirroredFieldOffset(owner, index: index), type) }
    }
    return nil
  }

  /// Where the property lies in that object, which must be of the class (or a subclass) that the field was found in.
  func address(in object: AnyObject) -> UnsafeMutableRawPointer {
    Unmanaged.passUnretained(object).toOpaque() + offset
  }

  /// The value, whatever its type.
  func value(in object: AnyObject) -> Any {
    func load<Value>(_ type: Value.Type) -> Any {
      address(in: object).assumingMemoryBound(to: type).pointee
    }
    return _openExistential(type, do: load)
  }

  /// Gives one object's value to another.
  func copy(from source: AnyObject, to target: AnyObject) {
    func copy<Value>(_ type: Value.Type) {
      let value = address(in: source).assumingMemoryBound(to: type).pointee
      address(in: target).assumingMemoryBound(to: type).pointee = value
    }
    _openExistential(type, do: copy)
  }

  /// The object of a property that is a class reference or an existential of a class-bound protocol.
  func object(in owner: AnyObject) -> AnyObject? {
    address(in: owner).assumingMemoryBound(to: AnyObject?.self).pointee
  }

  private static func size(of type: any Any.Type) -> Int {
    func size<Value>(_ type: Value.Type) -> Int { MemoryLayout<Value>.size }
    return _openExistential(type, do: size)
  }
}

/// What the runtime says of a field; the layout is the standard library's own.
private struct MirroredField {
  var name: UnsafePointer<CChar>?
  var free: (@convention(c) (UnsafePointer<CChar>?) -> Void)?
  var isStrong = false
  var isVar = false
}

@_silgen_name("swift_reflectionMirror_recursiveCount")
private func mirroredFieldCount(_ type: Any.Type) -> Int

@_silgen_name("swift_reflectionMirror_recursiveChildMetadata")
private func mirroredFieldType(_ type: Any.Type, index: Int, field: UnsafeMutablePointer<MirroredField>) -> Any.Type

@_silgen_name("swift_reflectionMirror_recursiveChildOffset")
private func mirroredFieldOffset(_ type: Any.Type, index: Int) -> Int
