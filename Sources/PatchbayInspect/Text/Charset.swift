import Foundation
import PatchbayStubs

/// How the bytes of a body are to be read as text: the `charset` of its `Content-Type`, or a byte order mark.
package enum Charset: UInt8, Hashable, Sendable, CaseIterable {
  /// Also where nothing is said, and for what is unknown.
  case utf8
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
  case latin9
  case koi8r
  case gb18030
  case big5
  case korean

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
  package func withUTF8<Result>(
    _ bytes: UnsafeBufferPointer<UInt8>, _ use: (UnsafeBufferPointer<UInt8>) -> Result
  ) -> Result {
    guard let name, let text = BodyText.converted(Data(bytes), from: name) else { return use(bytes) }
    return text.withUnsafeBytes { use($0.bindMemory(to: UInt8.self)) }
  }

  private static func mark(of body: Data) -> Charset? {
    let first = body.prefix(2).map { $0 }
    if first == [0xFF, 0xFE] { return .utf16LittleEndian }
    return first == [0xFE, 0xFF] ? .utf16BigEndian : nil
  }

  /// As iconv calls it; nil needs no conversion.
  private var name: String? {
    switch self {
    case .utf8: nil
    case .windows1252: "CP1252"
    case .utf16: "UTF-16"
    case .utf16LittleEndian: "UTF-16LE"
    case .utf16BigEndian: "UTF-16BE"
    case .utf32: "UTF-32"
    case .shiftJIS: "CP932"
    case .eucJP: "EUC-JP"
    case .iso2022JP: "ISO-2022-JP"
    case .windows1250: "CP1250"
    case .windows1251: "CP1251"
    case .windows1253: "CP1253"
    case .windows1254: "CP1254"
    case .latin2: "ISO-8859-2"
    case .latin9: "ISO-8859-15"
    case .koi8r: "KOI8-R"
    case .gb18030: "GB18030"
    case .big5: "BIG5"
    case .korean: "CP949"
    }
  }

  private static let names: [String: Charset] = [
    "iso-8859-1": .windows1252, "latin1": .windows1252, "utf-16": .utf16, "utf-16le": .utf16LittleEndian,
    "utf-16be": .utf16BigEndian, "utf-32": .utf32, "shift_jis": .shiftJIS, "shift-jis": .shiftJIS, "sjis": .shiftJIS,
    "x-sjis": .shiftJIS, "windows-31j": .shiftJIS, "euc-jp": .eucJP, "x-euc-jp": .eucJP, "iso-2022-jp": .iso2022JP,
    "windows-1250": .windows1250, "windows-1251": .windows1251, "windows-1252": .windows1252,
    "windows-1253": .windows1253, "windows-1254": .windows1254, "iso-8859-2": .latin2, "iso-8859-15": .latin9,
    "koi8-r": .koi8r, "gbk": .gb18030, "gb2312": .gb18030, "gb18030": .gb18030, "big5": .big5, "euc-kr": .korean,
    "ks_c_5601-1987": .korean,
  ]
}

/// The charset that a document names in itself, where its type does not: `<meta charset>` and `http-equiv` of HTML
/// (WHATWG HTML §13.2.3.2), `encoding` of XML's declaration (XML 1.0 §4.3.3).
enum DeclaredCharset {
  /// Searched for among the first bytes only.
  private static let reach = 1_024

  static func name(in body: Data, kind: BodyKind) -> String? {
    guard kind == .html || kind == .xml else { return nil }
    let head = String(decoding: body.prefix(reach), as: UTF8.self).lowercased()
    if head.hasPrefix("<?xml"), let end = head.range(of: "?>"),
      let found = value(after: "encoding", in: head[..<end.lowerBound])
    {
      return found
    }
    guard kind == .html else { return nil }
    var rest = head[...]
    while let start = rest.range(of: "<meta") {
      rest = rest[start.upperBound...]
      let tag = rest.prefix { $0 != ">" }
      if let found = value(after: "charset", in: tag) { return found }
    }
    return nil
  }

  /// What stands behind the word and an equals sign, without quotes.
  private static func value(after word: String, in text: Substring) -> String? {
    guard let place = text.range(of: word) else { return nil }
    let rest = text[place.upperBound...].drop { $0 == " " }
    guard rest.first == "=" else { return nil }
    let value = rest.dropFirst().drop { $0 == " " || $0 == "\"" || $0 == "'" }
      .prefix { $0.isLetter || $0.isNumber || "-_.:".contains($0) }
    return value.isEmpty ? nil : String(value)
  }
}
