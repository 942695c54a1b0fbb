/// International host names as people write them (RFC 3492, RFC 5890).
enum Punycode {
  /// The host with its `xn--` labels in their own script, or nil where it has none that can be read.
  static func readable(_ host: Bytes) -> String? {
    guard host.count > 4, ByteSearch("xn--", isCaseSensitive: false).find(in: host) != nil else { return nil }
    var changed = false
    let labels = String(decoding: host, as: UTF8.self).split(separator: ".", omittingEmptySubsequences: false).map {
      label -> String in
      guard label.utf8.count <= 256, label.lowercased().hasPrefix("xn--"),
        let text = decoded(Array(label.utf8.dropFirst(4)))
      else {
        return String(label)
      }
      changed = true
      return text
    }
    return changed ? labels.joined(separator: ".") : nil
  }

  /// One label without its prefix.
  private static func decoded(_ label: [UInt8]) -> String? {
    var output: [UInt32] = []
    var rest = label[...]
    if let hyphen = label.lastIndex(of: UInt8(ascii: "-")) {
      output = label[..<hyphen].map(UInt32.init)
      rest = label[(hyphen + 1)...]
    }
    var (code, bias, index) = (UInt32(128), 72, 0)
    while !rest.isEmpty {
      let start = index
      var weight = 1
      var step = 36
      while true {
        guard let byte = rest.popFirst(), let digit = digit(byte) else { return nil }
        let (product, overflow) = digit.multipliedReportingOverflow(by: weight)
        guard !overflow, index <= Int.max / 2, product <= 0x7FFF_FFFF else { return nil }
        index += product
        let threshold = step <= bias ? 1 : step >= bias + 26 ? 26 : step - bias
        if digit < threshold { break }
        weight *= 36 - threshold
        guard weight <= 0x7FFF_FFFF else { return nil }
        step += 36
      }
      let count = output.count + 1
      bias = adapted(index - start, count: count, isFirst: start == 0)
      guard index / count <= 0x10FFFF else { return nil }
      code += UInt32(index / count)
      index %= count
      guard Unicode.Scalar(code) != nil else { return nil }
      output.insert(code, at: index)
      index += 1
    }
    var text = ""
    for value in output {
      guard let scalar = Unicode.Scalar(value) else { return nil }
      text.unicodeScalars.append(scalar)
    }
    return text
  }

  private static func adapted(_ delta: Int, count: Int, isFirst: Bool) -> Int {
    var delta = isFirst ? delta / 700 : delta / 2
    delta += delta / count
    var steps = 0
    while delta > 455 {
      delta /= 35
      steps += 36
    }
    return steps + 36 * delta / (delta + 38)
  }

  private static func digit(_ byte: UInt8) -> Int? {
    switch byte {
    case 0x30...0x39: Int(byte) - 0x30 + 26
    case 0x41...0x5A: Int(byte) - 0x41
    case 0x61...0x7A: Int(byte) - 0x61
    default: nil
    }
  }
}
