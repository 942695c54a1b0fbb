import Synchronization

/// A URL in its one spelling (RFC 3986 §6.2.2 and §6.2.3): what matching compares. User, password and fragment are
/// left out; they never reach a server in the request line.
struct NormalURL {
  /// `scheme://host[:port]/path[?query]`
  let text: [UInt8]
  let scheme: Range<Int>
  let host: Range<Int>
  /// The port that is used; nil where the scheme has none that is known.
  let port: Int?
  let path: Range<Int>
  /// Without its `?`; nil where there is none.
  let query: Range<Int>?

  /// Up to here letter case has no meaning.
  var foldEnd: Int { path.lowerBound }

  init(_ url: String) {
    var source = Array(url.utf8)[...]
    if let hash = source.firstIndex(of: UInt8(ascii: "#")) { source = source[..<hash] }
    var output: [UInt8] = []
    output.reserveCapacity(source.count + 16)

    let parts = Self.authority(in: source)
    output.append(contentsOf: parts.scheme.map { Self.lowered($0) })
    scheme = 0..<output.count
    if !parts.scheme.isEmpty { output.append(contentsOf: "://".utf8) }
    let hostStart = output.count
    Self.appendHost(parts.host, to: &output)
    host = hostStart..<output.count
    let schemePort = Self.defaultPort(output[scheme])
    port = parts.port ?? schemePort
    if let given = parts.port, given != schemePort { output.append(contentsOf: ":\(given)".utf8) }

    let rest = parts.rest
    let mark = rest.firstIndex(of: UInt8(ascii: "?")) ?? rest.endIndex
    let pathStart = output.count
    if mark == rest.startIndex {
      output.append(UInt8(ascii: "/"))
    } else {
      PercentEncoding.normalise(rest[..<mark], into: &output)
      Self.removeDotSegments(from: pathStart, in: &output)
    }
    path = pathStart..<output.count
    if mark < rest.endIndex {
      output.append(UInt8(ascii: "?"))
      let start = output.count
      PercentEncoding.normalise(rest[(mark + 1)...], into: &output)
      query = start..<output.count
    } else {
      query = nil
    }
    text = output
  }

  struct Parts {
    var scheme: ArraySlice<UInt8>
    var host: ArraySlice<UInt8>
    var port: Int?
    /// From the path on.
    var rest: ArraySlice<UInt8>
  }

  /// Takes `scheme://user@host:port` off the front; all empty where there is no `://`.
  static func authority(in source: ArraySlice<UInt8>) -> Parts {
    guard let colon = source.firstIndex(of: UInt8(ascii: ":")), source[colon...].starts(with: "://".utf8) else {
      return Parts(scheme: [], host: [], port: nil, rest: source)
    }
    var authority = source[(colon + 3)...]
    let end = authority.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") } ?? authority.endIndex
    let rest = authority[end...]
    authority = authority[..<end]
    if let at = authority.lastIndex(of: UInt8(ascii: "@")) { authority = authority[(at + 1)...] }
    var port: Int?
    if let mark = authority.lastIndex(of: UInt8(ascii: ":")),
      authority[mark...].firstIndex(of: UInt8(ascii: "]")) == nil
    {
      let digits = authority[(mark + 1)...]
      if digits.allSatisfy({ (0x30...0x39).contains($0) }), digits.count <= 5 {
        port = digits.isEmpty ? nil : digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
        authority = authority[..<mark]
      }
    }
    return Parts(scheme: source[..<colon], host: authority, port: port, rest: rest)
  }

  static func defaultPort(_ scheme: some Collection<UInt8>) -> Int? {
    if scheme.elementsEqual("https".utf8) { return 443 }
    if scheme.elementsEqual("http".utf8) { return 80 }
    return nil
  }

  static func lowered(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }

  private static func appendHost(_ host: ArraySlice<UInt8>, to output: inout [UInt8]) {
    let simple = host.allSatisfy { byte in
      switch byte {
      case 0x41...0x5A, 0x61...0x7A, 0x30...0x39, 0x2D, 0x2E, 0x5F: true
      default: false
      }
    }
    if simple, host.last != UInt8(ascii: ".") {
      output.append(contentsOf: host.lazy.map { lowered($0) })
    } else {
      output.append(contentsOf: HostName.ascii(String(decoding: host, as: UTF8.self)).utf8)
    }
  }

  /// RFC 3986 §5.2.4.
  static func removeDotSegments(from start: Int, in output: inout [UInt8]) {
    let dot = UInt8(ascii: ".")
    let slash = UInt8(ascii: "/")
    let path = output[start...]
    guard zip(path, path.dropFirst()).contains(where: { $0 == slash && $1 == dot }) else { return }
    var kept: [ArraySlice<UInt8>] = []
    let segments = path.split(separator: slash, omittingEmptySubsequences: false).dropFirst()
    for (offset, segment) in segments.enumerated() {
      let last = offset == segments.count - 1
      if segment.elementsEqual([dot]) {
        if last { kept.append([]) }
      } else if segment.elementsEqual([dot, dot]) {
        _ = kept.popLast()
        if last { kept.append([]) }
      } else {
        kept.append(segment)
      }
    }
    let joined = kept.flatMap { [slash] + $0 }
    output.replaceSubrange(start..., with: joined.isEmpty ? [slash] : joined)
  }
}

/// The spellings found last. Programs ask for the same URLs again and again, and what a URL's one spelling is never
/// changes.
final class NormalURLCache: Sendable {
  static let shared = NormalURLCache()

  private static let size = 64
  /// Longer ones are not kept, which bounds the memory.
  private static let longest = 512

  private let entries = Mutex<[(text: String, url: NormalURL)?]>(Array(repeating: nil, count: size))

  func url(_ text: String) -> NormalURL {
    guard text.utf8.count <= Self.longest else { return NormalURL(text) }
    let place = Int(truncatingIfNeeded: UInt(bitPattern: text.hashValue) % UInt(Self.size))
    if let known = entries.withLock({ $0[place] }), known.text.utf8.elementsEqual(text.utf8) {
      return known.url
    }
    let made = NormalURL(text)
    entries.withLock { $0[place] = (text, made) }
    return made
  }
}

/// How matching reads a URL.
package enum URLSpelling {
  /// The one spelling of a URL (RFC 3986 §6.2.2 and §6.2.3), without user, password and fragment.
  package static func normal(_ url: String) -> String { String(decoding: NormalURL(url).text, as: UTF8.self) }
}
