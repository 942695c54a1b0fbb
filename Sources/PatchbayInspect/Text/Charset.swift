import Foundation

/// How the bytes of a body are to be read as text: the `charset` of its `Content-Type`, or a byte order mark.
package enum Charset: UInt8, Hashable, Sendable, CaseIterable {
  /// Also where nothing is said, and for what is unknown.
  case utf8
  case latin1
  case utf16
  case utf16LittleEndian
  case utf16BigEndian
  case utf32
  case shiftJIS
  case eucJP
  case iso2022JP
  case windows1250
  case windows1251
  case windows1252
  case windows1253
  case windows1254
  case latin2

  package init(contentType: String?, body: Data?) {
    self = .utf8
    if let body, body.count >= 2, let mark = Self.mark(of: body) {
      self = mark
    } else if let contentType, contentType.utf8.contains(UInt8(ascii: "=")),
      let name = MediaType(contentType)["charset"], let known = Self.names[name.lowercased()]
    {
      self = known
    }
  }

  /// The body as UTF-8. No copy where it is that already.
  package func withUTF8<Result>(_ bytes: UnsafeBufferPointer<UInt8>, _ use: (UnsafeBufferPointer<UInt8>) -> Result)
    -> Result
  {
    guard let encoding else { return use(bytes) }
    guard var text = String(data: Data(bytes), encoding: encoding) else { return use(bytes) }
    return text.withUTF8(use)
  }

  /// The body as a string; nil where its bytes do not fit the encoding.
  package func text(_ data: Data) -> String? { String(data: data, encoding: encoding ?? .utf8) }

  private static func mark(of body: Data) -> Charset? {
    let first = body.prefix(2).map { $0 }
    if first == [0xFF, 0xFE] { return .utf16LittleEndian }
    return first == [0xFE, 0xFF] ? .utf16BigEndian : nil
  }

  private var encoding: String.Encoding? {
    switch self {
    case .utf8: nil
    case .latin1: .isoLatin1
    case .utf16: .utf16
    case .utf16LittleEndian: .utf16LittleEndian
    case .utf16BigEndian: .utf16BigEndian
    case .utf32: .utf32
    case .shiftJIS: .shiftJIS
    case .eucJP: .japaneseEUC
    case .iso2022JP: .iso2022JP
    case .windows1250: .windowsCP1250
    case .windows1251: .windowsCP1251
    case .windows1252: .windowsCP1252
    case .windows1253: .windowsCP1253
    case .windows1254: .windowsCP1254
    case .latin2: .isoLatin2
    }
  }

  private static let names: [String: Charset] = [
    "iso-8859-1": .latin1, "latin1": .latin1, "utf-16": .utf16, "utf-16le": .utf16LittleEndian,
    "utf-16be": .utf16BigEndian, "utf-32": .utf32, "shift_jis": .shiftJIS, "shift-jis": .shiftJIS, "sjis": .shiftJIS,
    "x-sjis": .shiftJIS, "windows-31j": .shiftJIS, "euc-jp": .eucJP, "iso-2022-jp": .iso2022JP,
    "windows-1250": .windows1250, "windows-1251": .windows1251, "windows-1252": .windows1252,
    "windows-1253": .windows1253, "windows-1254": .windows1254, "iso-8859-2": .latin2,
  ]
}
