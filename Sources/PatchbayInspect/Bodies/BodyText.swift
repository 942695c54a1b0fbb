import Foundation
import PatchbayStubs

/// Turns a body of any charset into UTF-8.
package enum BodyText {
  /// The body as UTF-8: as it stands when that is its charset or the charset is unknown; a byte-order mark counts
  /// before what the type says and is taken off. Bytes that are no characters come out as U+FFFD.
  ///
  /// - Parameter kind: what the body is; HTML and XML may name their charset themselves.
  package static func utf8(_ body: Data, contentType: String?, kind: BodyKind? = nil) -> Data {
    if body.starts(with: [0xEF, 0xBB, 0xBF]) { return body.dropFirst(3).rebased }
    if body.starts(with: [0xFF, 0xFE]) { return converted(body.dropFirst(2).rebased, from: "UTF-16LE") ?? body }
    if body.starts(with: [0xFE, 0xFF]) { return converted(body.dropFirst(2).rebased, from: "UTF-16BE") ?? body }
    let told = contentType.map(MediaType.init)?["charset"]?.lowercased()
    guard let name = told ?? kind.flatMap({ DeclaredCharset.name(in: body, kind: $0) }),
      name != "utf-8", name != "us-ascii"
    else { return body }
    return converted(body, from: known[name] ?? name) ?? body
  }

  /// What servers say and what it means in practice (WHATWG Encoding §4.2).
  private static let known = [
    "shift_jis": "CP932", "shift-jis": "CP932", "sjis": "CP932", "x-sjis": "CP932", "windows-31j": "CP932",
    "iso-8859-1": "CP1252", "latin1": "CP1252", "x-euc-jp": "EUC-JP", "ks_c_5601-1987": "CP949", "gb2312": "GBK",
    "macintosh": "MACINTOSH",
  ]

  /// By iconv (POSIX); nil where the system does not know the charset.
  static func converted(_ body: Data, from charset: String) -> Data? {
    guard let converter = iconv_open("UTF-8", charset), converter != iconv_t(bitPattern: -1) else { return nil }
    defer { iconv_close(converter) }
    var result = Data()
    var room = [CChar](repeating: 0, count: 1 << 16)
    var input = [CChar](unsafeUninitializedCapacity: body.count) { buffer, count in
      count = body.copyBytes(to: UnsafeMutableRawBufferPointer(buffer))
    }
    var left = input.count
    input.withUnsafeMutableBufferPointer { source in
      var from = source.baseAddress
      while left > 0 {
        let status = room.withUnsafeMutableBufferPointer { target in
          var to = target.baseAddress
          var free = target.count
          let status = iconv(converter, &from, &left, &to, &free)
          result.append(UnsafeBufferPointer(rebasing: target[..<(target.count - free)]))
          return status == -1 ? errno : 0
        }
        if status == EILSEQ || status == EINVAL {
          result.append(contentsOf: "\u{FFFD}".utf8)
          from = from?.advanced(by: 1)
          left -= 1
        }
      }
    }
    return result
  }
}

extension Data {
  /// The same bytes with indices from 0.
  var rebased: Data { startIndex == 0 ? self : Data(self) }
}
