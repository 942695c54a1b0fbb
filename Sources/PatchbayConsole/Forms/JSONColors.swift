/// Colours one line of JSON that is being typed; a string that began on an earlier line is not known here, for JSON
/// has none.
enum JSONColors {
  static func roles(of line: String) -> [(Range<Int>, ThemeRole)] {
    let bytes = Array(line.utf8.prefix(4_096))
    var roles: [(Range<Int>, ThemeRole)] = []
    var place = 0
    while place < bytes.count {
      let start = place
      switch bytes[place] {
      case 0x22:
        place += 1
        while place < bytes.count, bytes[place] != 0x22 { place += bytes[place] == 0x5C ? 2 : 1 }
        place = min(bytes.count, place + 1)
        var next = place
        while next < bytes.count, bytes[next] == 0x20 { next += 1 }
        roles.append((start..<place, next < bytes.count && bytes[next] == 0x3A ? .key : .string))
      case 0x7B, 0x7D, 0x5B, 0x5D, 0x2C, 0x3A:
        place += 1
        roles.append((start..<place, .punctuation))
      case 0x2D, 0x30...0x39:
        while place < bytes.count, isNumber(bytes[place]) { place += 1 }
        roles.append((start..<place, .number))
      case 0x61...0x7A:
        while place < bytes.count, (0x61...0x7A).contains(bytes[place]) { place += 1 }
        roles.append((start..<place, .literal))
      default: place += 1
      }
    }
    return roles
  }

  private static func isNumber(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || byte == 0x2D || byte == 0x2B || byte == 0x2E || byte == 0x65 || byte == 0x45
  }
}
