/// Which case of its enum a value is, with the enum: the number that the compiler gave it.
struct EnumCase: Hashable {
  private let type: ObjectIdentifier
  private let tag: UInt32

  /// nil where the value is of no enum.
  init?(_ value: Any) {
    func tag<Value>(_ value: Value) -> UInt32? {
      let metadata = unsafeBitCast(Value.self as Any.Type, to: UnsafePointer<UnsafeRawPointer>.self)
      guard UnsafeRawPointer(metadata).load(as: UInt.self) == Self.enumKind else { return nil }
      // The table of what can be done with a value of the type stands before the type; the functions of enums stand at
      // its end, behind ten words (swift/ABI/ValueWitness.def). They are called as C functions are.
      let getTag = (metadata - 1).pointee.load(fromByteOffset: 11 * Self.word, as: GetTag.self)
      return withUnsafePointer(to: value) { getTag($0, metadata) }
    }
    guard let tag = _openExistential(value, do: tag) else { return nil }
    type = ObjectIdentifier(Swift.type(of: value))
    self.tag = tag
  }

  private typealias GetTag = @convention(c) (UnsafeRawPointer, UnsafeRawPointer) -> UInt32
  private static let word = MemoryLayout<UnsafeRawPointer>.size
  /// `MetadataKind::Enum` of the Swift ABI.
  private static let enumKind: UInt = 0x201
}
