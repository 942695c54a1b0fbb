/// A `TextPattern` made ready: spelled as the texts that it is compared with, and compiled.
indirect enum TextMatcher: Sendable {
  /// Any of them; more than one where a pattern has several meanings.
  case globs([Glob])
  case regex(PatternRegex)
  /// A text that must be found somewhere.
  case part(ByteSearch)
  case process(ProcessName)
  case any([TextMatcher])
  case not([TextMatcher])
  case all([TextMatcher])
  /// The regular expression could not be used.
  case never(String)

  /// The place in a request that the pattern is for; it decides how the pattern is spelled.
  enum Place: Sendable {
    case url
    case scheme
    case host
    case path
    /// Compared byte by byte.
    case plain
    /// The pattern's text must be found.
    case part
    case process
  }

  init(_ pattern: TextPattern, for place: Place) {
    switch pattern {
    case .matches(let source):
      do throws(StubError) { self = .regex(try PatternRegex(source)) } catch { self = .never(error.description) }
    case .any(let parts): self = .any(parts.map { TextMatcher($0, for: place) })
    case .not(let parts): self = .not(parts.map { TextMatcher($0, for: place) })
    case .all(let parts): self = .all(parts.map { TextMatcher($0, for: place) })
    case .glob(let text) where place == .part: self = .part(ByteSearch(Array(text.utf8)))
    case .glob(let text) where place == .process: self = .process(ProcessName(text))
    case .glob(let text):
      self = .globs(GlobSpelling.spellings(of: text, for: place).map { Glob($0.utf8) })
    }
  }

  enum Verdict {
    case fits
    case fitsNot
    case overBudget
  }

  /// Why it could not be read; it then never matches.
  var problem: String? {
    switch self {
    case .never(let reason): reason
    case .any(let parts), .not(let parts), .all(let parts): parts.lazy.compactMap(\.problem).first
    case .globs, .regex, .part, .process: nil
    }
  }

  /// Whether it holds where there is nothing to compare.
  var fitsAbsent: Bool {
    switch self {
    case .globs, .regex, .part, .process, .never: false
    case .any(let parts): parts.contains { $0.fitsAbsent }
    case .not(let parts): !parts.contains { $0.fitsAbsent }
    case .all(let parts): parts.allSatisfy { $0.fitsAbsent }
    }
  }

  /// Puts together what is said of each glob and expression in it. Where one that spent its budget could change the
  /// outcome, that is the outcome.
  @inline(__always)
  func test(_ leaf: (TextMatcher) -> Verdict) -> Verdict {
    switch self {
    case .globs, .regex, .part, .process, .never: leaf(self)
    case .any, .not, .all: combined(leaf)
    }
  }

  private func combined(_ leaf: (TextMatcher) -> Verdict) -> Verdict {
    var isSpent = false
    switch self {
    case .any(let parts), .not(let parts):
      let isAny = if case .any = self { true } else { false }
      for part in parts {
        switch part.test(leaf) {
        case .fits: return isAny ? .fits : .fitsNot
        case .fitsNot: continue
        case .overBudget: isSpent = true
        }
      }
      return isSpent ? .overBudget : isAny ? .fitsNot : .fits
    case .all(let parts):
      for part in parts {
        switch part.test(leaf) {
        case .fits: continue
        case .fitsNot: return .fitsNot
        case .overBudget: isSpent = true
        }
      }
      return isSpent ? .overBudget : .fits
    case .globs, .regex, .part, .process, .never: return leaf(self)
    }
  }

  func test(_ text: String) -> Verdict {
    var text = text
    return text.withUTF8 { test($0, folding: 0) }
  }

  func test(_ text: ArraySlice<UInt8>, folding: Int = 0) -> Verdict {
    text.withUnsafeBufferPointer { test($0, folding: folding) }
  }

  private func test(_ text: UnsafeBufferPointer<UInt8>, folding: Int) -> Verdict {
    switch self {
    case .globs(let globs):
      return globs.contains { $0.matches(text, folding: folding) } ? .fits : .fitsNot
    case .regex(let regex):
      switch regex.search(text) {
      case .found: return .fits
      case .notFound: return .fitsNot
      case .overBudget: return .overBudget
      }
    case .part(let search): return search.isFound(in: text) ? .fits : .fitsNot
    case .process, .never: return .fitsNot
    case .any, .not, .all: return test { $0.test(text, folding: folding) }
    }
  }
}

/// Spells globs as the normal forms are spelled.
enum GlobSpelling {
  static func spellings(of text: String, for place: TextMatcher.Place) -> [String] {
    switch place {
    case .plain, .part, .process: return [text]
    case .scheme: return [text.lowercased()]
    case .host:
      let folded = HostName.folded(text)
      let ascii = HostName.ascii(folded)
      return folded == ascii ? [ascii] : [ascii, folded]
    case .path: return [path(text)]
    case .url: return url(text)
    }
  }

  /// Without dot segments, as requests are (RFC 3986, 5.2.4); but where a star stands for nobody knows how many segments.
  private static func path(_ text: String) -> String {
    let normal = PercentEncoding.normalised(text)
    guard !normal.contains("*"), normal.contains("/.") else { return normal.isEmpty ? "/" : normal }
    var bytes = Array(normal.utf8)
    NormalURL.removeDotSegments(from: 0, in: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func url(_ text: String) -> [String] {
    let source = text.prefix { $0 != "#" }
    // Further behind it stands in a query, such as `*/login?to=https://host/`.
    guard let mark = source.range(of: "://"), !source[..<mark.lowerBound].contains(where: { "/?".contains($0) }) else {
      let plain = PercentEncoding.normalised(String(source))
      // A pattern such as `*bücher.example/*`: what stands before the first slash may be a host.
      let end = source.firstIndex { $0 == "/" || $0 == "?" } ?? source.endIndex
      let front = source[..<end]
      if front.contains("[") { return [plain, address(front) + PercentEncoding.normalised(String(source[end...]))] }
      guard !front.utf8.allSatisfy({ $0 < 0x80 }) else { return [plain] }
      return [plain, hostGlob(String(front)) + PercentEncoding.normalised(String(source[end...]))]
    }
    let scheme = source[..<mark.lowerBound].lowercased()
    let rest = source[mark.upperBound...]
    let end = rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
    var authority = String(rest[..<end])
    if let at = authority.lastIndex(of: "@") { authority = String(authority[authority.index(after: at)...]) }
    var port = ""
    if let colon = authority.lastIndex(of: ":"), !authority[colon...].contains("]") {
      port = String(authority[authority.index(after: colon)...])
      authority = String(authority[..<colon])
      if NormalURL.defaultPort(scheme.utf8).map({ String($0) }) == port || port.isEmpty {
        port = ""
      } else {
        port = ":" + port
      }
    }
    let query = rest[end...].firstIndex(of: "?") ?? rest.endIndex
    var tail = query == end ? "" : path(String(rest[end..<query]))
    tail += PercentEncoding.normalised(String(rest[query...]))
    let open = authority.hasSuffix("*") || port.hasSuffix("*")
    if tail.isEmpty, !open { tail = "/" }
    if tail.hasPrefix("?"), !open { tail = "/" + tail }
    return [scheme + "://" + hostGlob(authority) + port + tail]
  }

  /// A pattern such as `*[::1]:8080/*`: its brackets may stand around an address.
  private static func address(_ front: Substring) -> String {
    PercentEncoding.normalised(String(front)).replacing("%5B", with: "[").replacing("%5D", with: "]")
  }

  /// A run that stands in the place of a host, with its international labels in ASCII.
  private static func hostGlob(_ text: String) -> String {
    guard text.contains("*"), !text.utf8.allSatisfy({ $0 < 0x80 }) else { return HostName.ascii(text) }
    // `*bücher.example`: the star belongs to what comes before the name.
    let stars = text.prefix { $0 == "*" }
    let rest = text.dropFirst(stars.count)
    return stars + (rest.contains("*") ? HostName.folded(String(rest)) : HostName.ascii(String(rest)))
  }
}

/// The name of a process; or, written with a number behind it (`demo 4121`), that one process.
struct ProcessName: Sendable {
  private let name: Glob
  private let one: (name: Glob, pid: Int32)?

  init(_ text: String) {
    name = Glob(text.utf8)
    guard let blank = text.lastIndex(of: " "), let pid = Int32(text[text.index(after: blank)...]), pid > 0 else {
      one = nil
      return
    }
    one = (Glob(text[..<blank].utf8), pid)
  }

  /// Whether a number is part of it.
  var asksOne: Bool { one != nil }

  /// A name that ends with a number is a name too.
  func test(_ process: String, _ pid: Int32?) -> TextMatcher.Verdict {
    func fits(_ glob: Glob) -> Bool {
      var process = process
      return process.withUTF8 { glob.matches($0, folding: 0) }
    }
    if fits(name) { return .fits }
    guard let one, one.pid == pid, fits(one.name) else { return .fitsNot }
    return .fits
  }
}

extension TextMatcher {
  /// What it says of a process, made for that place.
  func test(process: String, _ pid: Int32?) -> Verdict {
    test { leaf in
      if case .process(let one) = leaf { one.test(process, pid) } else { leaf.test(process) }
    }
  }
}
