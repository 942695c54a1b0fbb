/// One header field (RFC 9110 §5). Order and repeats are kept, so a header section is an array of these.
public struct HeaderField: Hashable, Sendable {
  /// The name as it was written; compare it without regard to case.
  public var name: String
  /// The value, without blanks around it.
  public var value: String

  /// - Parameters:
  ///   - name: The name as it is to be sent.
  ///   - value: The value.
  public init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }
}

extension Array where Element == HeaderField {
  /// The first value of that name, letter case ignored.
  public func first(named name: String) -> String? {
    first { $0.name.caseInsensitiveEquals(name) }?.value
  }

  /// All values of that name in order, letter case ignored.
  public func all(named name: String) -> [String] {
    filter { $0.name.caseInsensitiveEquals(name) }.map(\.value)
  }

  /// Puts the value in the place of the first field of that name and removes the others; appends when there is none.
  package mutating func set(_ name: String, to value: String) {
    guard let index = firstIndex(where: { $0.name.caseInsensitiveEquals(name) }) else {
      append(HeaderField(name, value))
      return
    }
    let kept = self[index].name
    remove(named: name)
    insert(HeaderField(kept, value), at: Swift.min(index, count))
  }

  /// Removes every field of that name.
  package mutating func remove(named name: String) {
    removeAll { $0.name.caseInsensitiveEquals(name) }
  }
}

extension String {
  /// Whether both are equal when the letters A to Z count as a to z (the rule for field names, schemes and hosts).
  package func caseInsensitiveEquals(_ other: String) -> Bool {
    var left = self
    var right = other
    return left.withUTF8 { left in
      right.withUTF8 { right in
        guard left.count == right.count else { return false }
        for index in left.indices where left[index] != right[index] {
          let small = left[index] | 0x20
          guard left[index] ^ right[index] == 0x20, small >= 0x61, small <= 0x7A else { return false }
        }
        return true
      }
    }
  }
}
