import Foundation
import PatchbayStubs

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The answer of a folder, or of a file whose name a request fills in: as a small web server gives it, from inside the
/// folder only.
///
/// It is read by the process that asks, each time anew, because a console cannot know which files will be asked for.
struct FolderAnswer: Sendable {
  enum Outcome: Sendable {
    case found(CannedResponse)
    /// Nothing is there, or what is there lies outside; with a sentence for the person.
    case missing(CannedResponse.Missing, notice: String?)
  }

  private let canned: CannedResponse
  /// The folder beyond which nothing is read.
  private let root: String
  /// The names that lead from it to the file; nil leads nowhere.
  private let names: [String]?
  private let otherwise: CannedResponse.Missing
  private let method: String
  private let headers: [HeaderField]

  /// Larger files are answered in ranges only: a body is held in memory.
  private static let limit = 256 << 20

  /// nil where the answer comes from no folder.
  init?(_ canned: CannedResponse, _ request: RequestSnapshot, _ url: URL) {
    self.canned = canned
    method = request.method
    headers = request.headers
    switch canned.body {
    case .folder(let path, let otherwise):
      root = path
      self.otherwise = otherwise
      let encoded = URLComponents(url: url, resolvingAgainstBaseURL: true)?.percentEncodedPath ?? ""
      var names: [String] = []
      var isPath = true
      for part in encoded.split(separator: "/") {
        guard let name = String(part).removingPercentEncoding, Self.isName(name) else {
          isPath = false
          break
        }
        names.append(name)
      }
      self.names = isPath ? names : nil
    case .file(let path):
      // A file in a stub's body that has no templates came as bytes.
      guard let place = CannedResponse.FilledFile(path) else { return nil }
      root = place.root
      otherwise = .notFound
      let parts = place.rest.split(separator: "/").map(String.init)
      names = parts.allSatisfy(Self.isName) && !parts.isEmpty ? parts : nil
    default: return nil
    }
  }

  /// Neither leads out of its folder nor into others.
  private static func isName(_ name: String) -> Bool {
    name != "." && name != ".." && !name.contains("/") && !name.utf8.contains(0)
  }

  /// What is answered where nothing is there and nothing goes to the network.
  var notFound: CannedResponse {
    CannedResponse(
      status: 404, headers: [HeaderField("Content-Type", "text/plain; charset=utf-8")], body: .text("Not Found\n"),
      delay: canned.delay)
  }

  /// Looks for the file and reads it. It may take as long as the disk does.
  func outcome() -> Outcome {
    guard let names, let file = open(names) else {
      var notice: String?
      if case .file = canned.body {
        notice = "A stub's file \(root)/\(names?.joined(separator: "/") ?? "…") is not there (or lies outside): 404."
      }
      return .missing(otherwise, notice: notice)
    }
    defer { close(file.descriptor) }
    return .found(answer(file))
  }

  // MARK: - The file

  private struct File {
    var descriptor: Int32
    var name: String
    var size: Int
    var modified: Int
    var tag: String
  }

  private func open(_ names: [String]) -> File? {
    let path = ([root] + names).joined(separator: "/")
    // Neither a pipe nor a terminal may hold it up.
    let descriptor = path.withCString { Foundation.open($0, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC) }
    guard descriptor >= 0 else { return nil }
    var facts = stat()
    guard fstat(descriptor, &facts) == 0, isInside(descriptor, path) else {
      close(descriptor)
      return nil
    }
    if facts.st_mode & S_IFMT == S_IFDIR {
      close(descriptor)
      return names.last == "index.html" ? nil : open(names + ["index.html"])
    }
    guard facts.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      return nil
    }
    #if canImport(Darwin)
      let time = facts.st_mtimespec
    #else
      let time = facts.st_mtim
    #endif
    let tag = [Int(facts.st_size), Int(time.tv_sec), Int(time.tv_nsec)].map { String($0, radix: 16) }
    return File(
      descriptor: descriptor, name: names.last ?? "", size: Int(facts.st_size), modified: Int(time.tv_sec),
      tag: "\"" + tag.joined(separator: "-") + "\"")
  }

  /// Asked of what was opened, so that nobody can put a link in its place in between.
  private func isInside(_ descriptor: Int32, _ path: String) -> Bool {
    guard let folder = Self.real(root) else { return false }
    var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX) + 1)
    let length = readlink("/proc/self/fd/\(descriptor)", &buffer, buffer.count - 1)
    guard let place = length > 0 ? String(decoding: buffer[..<length], as: UTF8.self) : Self.real(path) else {
      return false
    }
    return place == folder || place.hasPrefix(folder == "/" ? folder : folder + "/")
  }

  private static func real(_ path: String) -> String? {
    guard let found = realpath(path, nil) else { return nil }
    defer { free(found) }
    return String(cString: found)
  }

  // MARK: - The answer

  private func answer(_ file: File) -> CannedResponse {
    var answer = CannedResponse(status: canned.status, headers: canned.headers, delay: canned.delay, pace: canned.pace)
    func add(_ name: String, _ value: String) {
      if canned.headers.first(named: name) == nil { answer.headers.append(HeaderField(name, value)) }
    }
    add("Content-Type", MediaType.guess(ofFile: file.name))
    add("Last-Modified", HTTPDate.text(file.modified))
    add("ETag", file.tag)
    var range = 0..<file.size
    // Who gives a status of their own means that.
    if canned.status == 200, method == "GET" || method == "HEAD" {
      add("Accept-Ranges", "bytes")
      if isUnchanged(file) {
        answer.status = 304
        return answer
      }
      switch wantedRange(file) {
      case .all: break
      case .some(let part):
        answer.status = 206
        add("Content-Range", "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(file.size)")
        range = part
      case .none:
        answer.status = 416
        add("Content-Range", "bytes */\(file.size)")
        range = 0..<0
      }
    }
    add("Content-Length", "\(range.count)")
    guard method != "HEAD" else { return answer }
    guard range.count <= Self.limit, let bytes = Self.read(file.descriptor, range) else {
      answer.status = 500
      answer.headers = [HeaderField("Content-Type", "text/plain; charset=utf-8")]
      answer.body = .text("\(file.name) cannot be read, or is larger than \(Self.limit >> 20) MiB.\n")
      return answer
    }
    answer.body = .data(bytes)
    return answer
  }

  /// RFC 9110 §13.1.2, §13.1.3.
  private func isUnchanged(_ file: File) -> Bool {
    if let tags = headers.first(named: "If-None-Match") {
      return tags.split(separator: ",").contains { tag in
        let tag = tag.trimmingCharacters(in: .whitespaces)
        return tag == "*" || (tag.hasPrefix("W/") ? String(tag.dropFirst(2)) : tag) == file.tag
      }
    }
    return headers.first(named: "If-Modified-Since").flatMap { HTTPDate.seconds($0) }.map { file.modified <= $0 }
      ?? false
  }

  private enum WantedRange {
    case all
    case some(Range<Int>)
    /// Nothing of it is there.
    case none
  }

  /// RFC 9110 §14.2; of several ranges none is taken, which a server may do.
  private func wantedRange(_ file: File) -> WantedRange {
    guard method == "GET", let field = headers.first(named: "Range"), field.lowercased().hasPrefix("bytes=") else {
      return .all
    }
    if let condition = headers.first(named: "If-Range"), condition != file.tag,
      HTTPDate.seconds(condition) != file.modified
    {
      return .all
    }
    let parts = field.dropFirst(6).trimmingCharacters(in: .whitespaces)
      .split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, parts.allSatisfy({ $0.utf8.allSatisfy { $0 &- 0x30 < 10 } }) else { return .all }
    switch (Int(parts[0]), Int(parts[1])) {
    case (nil, let last?) where parts[0].isEmpty:
      return last > 0 && file.size > 0 ? .some(max(file.size - last, 0)..<file.size) : .none
    case (let first?, nil) where parts[1].isEmpty: return first < file.size ? .some(first..<file.size) : .none
    case (let first?, let last?):
      if last < first { return .all }
      return first < file.size ? .some(first..<min(last, file.size - 1) + 1) : .none
    default: return .all
    }
  }

  private static func read(_ descriptor: Int32, _ range: Range<Int>) -> Data? {
    var data = Data(count: range.count)
    let done = data.withUnsafeMutableBytes { bytes -> Bool in
      var at = 0
      while at < bytes.count {
        let count = pread(descriptor, bytes.baseAddress.map { $0 + at }, bytes.count - at, off_t(range.lowerBound + at))
        if count < 0, errno == EINTR { continue }
        // It became shorter meanwhile.
        guard count > 0 else { return false }
        at += count
      }
      return true
    }
    return done ? data : nil
  }
}

/// Dates in header fields (RFC 9110 §5.6.7).
private enum HTTPDate {
  private static let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  static func text(_ seconds: Int) -> String {
    var time = time_t(seconds)
    var parts = tm()
    gmtime_r(&time, &parts)
    func two(_ value: Int32) -> String { value < 10 ? "0\(value)" : "\(value)" }
    let clock = "\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec))"
    let day = "\(days[Int(parts.tm_wday) % 7]), \(two(parts.tm_mday)) \(months[Int(parts.tm_mon) % 12])"
    return "\(day) \(parts.tm_year + 1900) \(clock) GMT"
  }

  /// `Sun, 22 Nov 2026 01:02:03 GMT`; the older forms are not read, which only costs a body.
  static func seconds(_ text: String) -> Int? {
    let words = text.split(separator: " ")
    guard words.count == 6, words[5] == "GMT", let day = Int32(words[1]), let year = Int32(words[3]),
      let month = months.firstIndex(of: String(words[2]))
    else { return nil }
    let clock = words[4].split(separator: ":").compactMap { Int32($0) }
    guard clock.count == 3 else { return nil }
    var parts = tm()
    parts.tm_year = year - 1900
    parts.tm_mon = Int32(month)
    parts.tm_mday = day
    (parts.tm_hour, parts.tm_min, parts.tm_sec) = (clock[0], clock[1], clock[2])
    return Int(timegm(&parts))
  }
}
