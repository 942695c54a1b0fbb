/// Punycode (RFC 3492), the ASCII form of one label of an international host name.
enum Punycode {
  private static let base = 36
  private static let minimum = 1
  private static let maximum = 26

  /// Without the prefix `xn--`; nil when the label is too long to count.
  static func encode(_ label: String) -> String? {
    let scalars = label.unicodeScalars.map { Int($0.value) }
    guard scalars.count <= 256 else { return nil }
    var output = scalars.filter { $0 < 0x80 }.map { UInt8($0) }
    let basic = output.count
    if basic > 0 { output.append(UInt8(ascii: "-")) }
    var code = 0x80
    var delta = 0
    var bias = 72
    var handled = basic
    while handled < scalars.count {
      guard let next = scalars.filter({ $0 >= code }).min() else { return nil }
      delta += (next - code) * (handled + 1)
      code = next
      for scalar in scalars {
        if scalar < code { delta += 1 }
        guard scalar == code else { continue }
        var rest = delta
        var k = base
        while true {
          let threshold = min(max(k - bias, minimum), maximum)
          if rest < threshold { break }
          output.append(digit(threshold + (rest - threshold) % (base - threshold)))
          rest = (rest - threshold) / (base - threshold)
          k += base
        }
        output.append(digit(rest))
        bias = adapt(delta, handled + 1, first: handled == basic)
        delta = 0
        handled += 1
      }
      delta += 1
      code += 1
    }
    return String(decoding: output, as: UTF8.self)
  }

  /// The label without its `xn--`; nil when it is no punycode.
  static func decode(_ text: String) -> String? {
    let bytes = Array(text.utf8)
    guard bytes.count <= 256, bytes.allSatisfy({ $0 < 0x80 }) else { return nil }
    let split = bytes.lastIndex(of: UInt8(ascii: "-"))
    var output = bytes[..<(split ?? 0)].map { UInt32($0) }
    var index = split.map { $0 + 1 } ?? 0
    var code = 0x80
    var position = 0
    var bias = 72
    while index < bytes.count {
      let old = position
      var weight = 1
      var k = base
      while true {
        guard index < bytes.count, let value = value(of: bytes[index]) else { return nil }
        index += 1
        position += value * weight
        guard position < 1 << 40 else { return nil }
        let threshold = min(max(k - bias, minimum), maximum)
        if value < threshold { break }
        weight *= base - threshold
        guard weight < 1 << 40 else { return nil }
        k += base
      }
      let count = output.count + 1
      bias = adapt(position - old, count, first: old == 0)
      code += position / count
      position %= count
      guard code < 0x11_0000, Unicode.Scalar(UInt32(code)) != nil else { return nil }
      output.insert(UInt32(code), at: position)
      position += 1
    }
    var scalars = String.UnicodeScalarView()
    scalars.append(contentsOf: output.compactMap { Unicode.Scalar($0) })
    return String(scalars)
  }

  private static func adapt(_ delta: Int, _ count: Int, first: Bool) -> Int {
    var delta = first ? delta / 700 : delta / 2
    delta += delta / count
    var k = 0
    while delta > (base - minimum) * maximum / 2 {
      delta /= base - minimum
      k += base
    }
    return k + (base - minimum + 1) * delta / (delta + 38)
  }

  private static func digit(_ value: Int) -> UInt8 { UInt8(value < 26 ? 0x61 + value : 0x30 + value - 26) }

  private static func value(of byte: UInt8) -> Int? {
    switch byte {
    case 0x30...0x39: Int(byte) - 0x30 + 26
    case 0x41...0x5A: Int(byte) - 0x41
    case 0x61...0x7A: Int(byte) - 0x61
    default: nil
    }
  }
}
