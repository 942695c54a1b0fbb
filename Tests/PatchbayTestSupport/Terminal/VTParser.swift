/// Splits what a program writes into characters, controls and sequences.
struct VTParser: Sendable {
  enum Action: Sendable {
    case print(Unicode.Scalar)
    case control(UInt8)
    /// ESC, intermediates and the final byte.
    case escape([UInt8], UInt8)
    case csi(CSI)
    case osc(String)
    /// An application program command, as pictures are sent by kitty's protocol.
    case command(String)
  }

  struct CSI: Sendable {
    var marker: UInt8?
    var parameters: [[Int]] = []
    var intermediates: [UInt8] = []
    var final: UInt8 = 0

    func number(_ index: Int, or fallback: Int) -> Int {
      index < parameters.count && parameters[index][0] > 0 ? parameters[index][0] : fallback
    }
  }

  private enum State { case ground, escape, csi, string, stringEscape }

  private var state = State.ground
  private var bytes: [UInt8] = []
  private var stringKind: UInt8 = 0
  private var characterLength = 0

  mutating func take(_ byte: UInt8) -> Action? {
    switch state {
    case .ground: return ground(byte)
    case .escape: return escape(byte)
    case .csi: return csi(byte)
    case .string, .stringEscape: return string(byte)
    }
  }

  private mutating func ground(_ byte: UInt8) -> Action? {
    if byte == 0x1B {
      enter(.escape)
      return nil
    }
    if byte < 0x20 || byte == 0x7F {
      bytes = []
      return .control(byte)
    }
    if byte < 0x80 {
      bytes = []
      return .print(Unicode.Scalar(byte))
    }
    if byte >= 0xC0 {
      bytes = [byte]
      characterLength = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : 2
      return nil
    }
    bytes.append(byte)
    guard bytes.count >= characterLength else { return nil }
    let text = String(decoding: bytes, as: UTF8.self)
    bytes = []
    characterLength = 0
    return text.unicodeScalars.first.map(Action.print)
  }

  private mutating func escape(_ byte: UInt8) -> Action? {
    switch byte {
    case 0x5B where bytes.isEmpty: enter(.csi)
    case 0x50 where bytes.isEmpty, 0x58 where bytes.isEmpty, 0x5D...0x5F where bytes.isEmpty:
      stringKind = byte
      enter(.string)
    case 0x20...0x2F: bytes.append(byte)
    case 0x1B: enter(.escape)
    default:
      let intermediates = bytes
      enter(.ground)
      return .escape(intermediates, byte)
    }
    return nil
  }

  private mutating func csi(_ byte: UInt8) -> Action? {
    switch byte {
    case 0x40...0x7E:
      let body = bytes
      enter(.ground)
      return .csi(Self.parse(body, byte))
    case 0x20...0x3F: bytes.append(byte)
    case 0x1B: enter(.escape)
    default: return .control(byte)
    }
    return nil
  }

  private mutating func string(_ byte: UInt8) -> Action? {
    if byte == 0x07 || state == .stringEscape && byte == 0x5C {
      let text = String(decoding: bytes, as: UTF8.self)
      let kind = stringKind
      enter(.ground)
      return kind == 0x5D ? .osc(text) : kind == 0x5F ? .command(text) : nil
    }
    if state == .stringEscape {
      enter(.escape)
      return escape(byte)
    }
    if byte == 0x1B { state = .stringEscape } else { bytes.append(byte) }
    return nil
  }

  private mutating func enter(_ next: State) {
    state = next
    bytes = []
  }

  private static func parse(_ body: [UInt8], _ final: UInt8) -> CSI {
    var csi = CSI()
    csi.final = final
    var rest = body[...]
    if let first = rest.first, first >= 0x3C {
      csi.marker = first
      rest = rest.dropFirst()
    }
    csi.intermediates = rest.filter { $0 < 0x30 }
    let numbers = rest.filter { $0 >= 0x30 }
    if !numbers.isEmpty {
      csi.parameters = numbers.split(separator: 0x3B, omittingEmptySubsequences: false).map { part in
        part.split(separator: 0x3A, omittingEmptySubsequences: false).map {
          Int(String(decoding: $0, as: UTF8.self)) ?? 0
        }
      }
    }
    return csi
  }
}
