/// One scalar of a text; bytes that are not UTF-8 are U+FFFD each.
struct RegexScalar {
  let scalar: Unicode.Scalar
  let length: Int

  init(_ text: UnsafeBufferPointer<UInt8>, at start: Int) {
    let lead = text[start]
    guard lead >= 0x80 else {
      self.init(scalar: Unicode.Scalar(lead), length: 1)
      return
    }
    let length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2
    var value = UInt32(lead) & (length == 2 ? 0x1F : length == 3 ? 0x0F : 0x07)
    var isText = lead >= 0xC2 && lead < 0xF5 && start + length <= text.count
    if isText {
      for offset in 1..<length {
        let byte = text[start + offset]
        isText = isText && byte & 0xC0 == 0x80
        value = value << 6 | UInt32(byte & 0x3F)
      }
    }
    guard isText, let scalar = Unicode.Scalar(value), length == 2 || value >= (length == 3 ? 0x800 : 0x10000) else {
      self.init(scalar: "\u{FFFD}", length: 1)
      return
    }
    self.init(scalar: scalar, length: length)
  }

  private init(scalar: Unicode.Scalar, length: Int) {
    self.scalar = scalar
    self.length = length
  }
}
