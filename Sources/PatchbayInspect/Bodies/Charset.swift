import Foundation

/// Turns a body of any charset into UTF-8.
public enum Charset {
  private static let encodings: [String: String.Encoding] = [
    "shift_jis": .shiftJIS, "sjis": .shiftJIS, "shift-jis": .shiftJIS, "x-sjis": .shiftJIS, "windows-31j": .shiftJIS,
    "cp932": .shiftJIS, "euc-jp": .japaneseEUC, "iso-2022-jp": .iso2022JP, "iso-8859-1": .isoLatin1,
    "latin1": .isoLatin1, "iso-8859-2": .isoLatin2, "windows-1250": .windowsCP1250, "windows-1251": .windowsCP1251,
    "windows-1252": .windowsCP1252, "utf-16": .utf16, "utf-16le": .utf16LittleEndian, "utf-16be": .utf16BigEndian,
    "utf-32": .utf32, "macintosh": .macOSRoman,
  ]

  /// The body as UTF-8: as it stands when that is its charset or the charset is unknown; a byte-order mark counts
  /// before what the type says and is taken off.
  public static func utf8(_ body: Data, contentType: String?) -> Data {
    if body.starts(with: [0xEF, 0xBB, 0xBF]) { return body.dropFirst(3).rebased }
    if body.starts(with: [0xFF, 0xFE]) || body.starts(with: [0xFE, 0xFF]) { return decoded(body, .utf16) }
    guard let name = contentType.map(MediaType.init)?.charset, name != "utf-8", name != "us-ascii",
      let encoding = encodings[name]
    else { return body }
    return decoded(body, encoding)
  }

  private static func decoded(_ body: Data, _ encoding: String.Encoding) -> Data {
    String(data: body, encoding: encoding).map { Data($0.utf8) } ?? body
  }
}

extension Data {
  /// The same bytes with indices from 0.
  var rebased: Data { startIndex == 0 ? self : Data(self) }
}
