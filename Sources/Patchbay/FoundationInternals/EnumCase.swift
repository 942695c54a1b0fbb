/// Which case of its enum a value is, with the enum: the number that the compiler gave it.
struct EnumCase: Hashable {
  private let type: ObjectIdentifier
  private let tag: UInt32

  /// nil where the value is of no enum.
  init?(_ value: Any) {
    func made<Value>(_ value: Value) -> EnumCase? { EnumCase(of: value) }
    guard let made = _openExistential(value, do: made) else { return nil }
    self = made
  }

  /// For a value whose type the caller knows, which is much cheaper than to open an `Any`.
  init?<Value>(of value: borrowing Value) {
    let metadata = unsafeBitCast(Value.self as Any.Type, to: UnsafePointer<UnsafeRawPointer>.self)
    guard UnsafeRawPointer(metadata).load(as: UInt.self) == Self.enumKind else { return nil }
    // The table of what can be done with a value of the type stands before the type; the functions of enums stand at
    // its end, behind ten words (swift/ABI/ValueWitness.def). They are called as C functions are.
    let getTag = (metadata - 1).pointee.load(fromByteOffset: 11 * Self.word, as: GetTag.self)
    type = ObjectIdentifier(Value.self)
    tag = withUnsafePointer(to: value) { getTag($0, metadata) }
  }

  /// A word of what the value's case carries; nil where the value is of no enum, or what it carries has less words.
  static func payloadWord(_ index: Int, of value: Any) -> UInt? {
    func word<Value>(_ value: Value) -> UInt? { payloadWord(index, in: value) }
    return _openExistential(value, do: word)
  }

  /// A word of what the case carries, of a value whose type the caller knows.
  static func payloadWord<Value>(_ index: Int, in value: Value) -> UInt? {
    let metadata = unsafeBitCast(Value.self as Any.Type, to: UnsafePointer<UnsafeRawPointer>.self)
    guard UnsafeRawPointer(metadata).load(as: UInt.self) == Self.enumKind,
      MemoryLayout<Value>.size >= (index + 1) * Self.word
    else { return nil }
    let table = (metadata - 1).pointee
    let getTag = table.load(fromByteOffset: 11 * Self.word, as: GetTag.self)
    let project = table.load(fromByteOffset: 12 * Self.word, as: Project.self)
    let inject = table.load(fromByteOffset: 13 * Self.word, as: Inject.self)
    // The case is kept in bits that what it carries has to spare: to be read it is taken apart, and put together.
    var copy = value
    return withUnsafeMutablePointer(to: &copy) { copy in
      let tag = getTag(copy, metadata)
      project(copy, metadata)
      defer { inject(copy, tag, metadata) }
      return UnsafeRawPointer(copy).load(fromByteOffset: index * Self.word, as: UInt.self)
    }
  }

  private typealias GetTag = @convention(c) (UnsafeRawPointer, UnsafeRawPointer) -> UInt32
  private typealias Project = @convention(c) (UnsafeMutableRawPointer, UnsafeRawPointer) -> Void
  private typealias Inject = @convention(c) (UnsafeMutableRawPointer, UInt32, UnsafeRawPointer) -> Void
  private static let word = MemoryLayout<UnsafeRawPointer>.size
  /// `MetadataKind::Enum` of the Swift ABI.
  private static let enumKind: UInt = 0x201
}
