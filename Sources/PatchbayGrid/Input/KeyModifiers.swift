/// Keys held down with another.
public struct KeyModifiers: OptionSet, Hashable, Sendable {
  public let rawValue: UInt8

  public init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  public static let shift = KeyModifiers(rawValue: 1)
  public static let alt = KeyModifiers(rawValue: 2)
  public static let control = KeyModifiers(rawValue: 4)
  public static let `super` = KeyModifiers(rawValue: 8)

  /// From the parameter that xterm and kitty send: one plus the bits.
  init(parameter: Int) {
    let bits = max(0, parameter - 1)
    self.init(rawValue: UInt8(bits & 15))
    if bits & 32 != 0 { insert(.alt) }
  }
}
