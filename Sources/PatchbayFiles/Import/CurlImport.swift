import Foundation
import PatchbayStubs

/// cURL command lines, as browsers and tools copy them: a stub for each, which fits that request. The answer is not known;
/// it is 200 without a body.
struct CurlImport {
  let path: String

  private static let limit = 10_000

  /// Whether a text is a script with such commands: its first line is one, comments and what sets variables aside; of one
  /// that names its shell (`#!`) any line.
  static func isCommands(_ text: String) -> Bool {
    let isScript = text.hasPrefix("#!")
    var rest = Substring(text)
    while !rest.isEmpty {
      let line = rest.prefix { !$0.isNewline }
      let start = line.drop(while: \.isWhitespace)
      if !start.isEmpty, !start.hasPrefix("#"), !isSetting(start) {
        if isCommand(start) { return true }
        if !isScript { return false }
      }
      rest = rest[line.endIndex...].dropFirst()
    }
    return false
  }

  /// `NAME=value`, `export NAME=value`, `set -e`.
  private static func isSetting(_ line: Substring) -> Bool {
    if line.hasPrefix("set -") { return true }
    let rest = line.hasPrefix("export ") ? line.dropFirst(7) : line
    let name = rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
    return !name.isEmpty && rest[name.endIndex...].hasPrefix("=")
  }

  private static func isCommand(_ line: Substring) -> Bool {
    let words = line.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: true)
    guard let first = words.first else { return false }
    let word = first == "$" && words.count > 1 ? words[1] : first
    return ["curl", "curl.exe", "/usr/bin/curl"].contains(word) && words.count > 1
  }

  mutating func drafts(_ text: String, _ notes: inout ImportNotes) -> [StubDraft] {
    var drafts: [StubDraft] = []
    for command in ShellCommand.all(in: text) {
      let words = command.words.first == "$" ? Array(command.words.dropFirst()) : command.words
      guard let name = words.first else { continue }
      guard name == "curl" || name == "curl.exe" || name.hasSuffix("/curl") else {
        notes.add("`\(name.shortened(to: 40))` is no cURL command and is passed over", path: path, at: command.position)
        continue
      }
      guard drafts.count < Self.limit else {
        notes.add("more than \(Self.limit) commands: the others are left out", path: path, at: command.position)
        break
      }
      if let problem = command.problem { notes.add(problem, path: path, at: command.position) }
      var request = CurlRequest(path: path, position: command.position)
      request.read(Array(words.dropFirst()), &notes)
      drafts += request.drafts(&notes)
    }
    if !drafts.isEmpty {
      notes.add(
        "a command tells no answer: each stub answers 200 without a body until one is written", path: path,
        at: drafts[0].position)
    }
    return drafts
  }
}

/// What one command asks for.
private struct CurlRequest {
  let path: String
  let position: SourcePosition?
  private var method: String?
  private var urls: [String] = []
  private var headers: [(name: String, value: String)] = []
  private var data: [String] = []
  private var parts: [(name: String, value: String?)] = []
  private var isGet = false
  private var isHead = false
  private var isJSON = false
  private var isUpload = false

  init(path: String, position: SourcePosition?) {
    self.path = path
    self.position = position
  }

  /// Options with a value that say nothing of the request.
  private static let ignoredWithValue: Set<String> = [
    "-o", "--output", "-m", "--max-time", "--connect-timeout", "--retry", "--retry-delay", "--retry-max-time", "-w",
    "--write-out", "-x", "--proxy", "-U", "--proxy-user", "--cacert", "-E", "--cert", "--key", "--resolve", "-D",
    "--dump-header", "-c", "--cookie-jar", "--limit-rate", "--max-redirs", "-K", "--config", "--ciphers", "--tlsv1.2",
    "--interface", "--dns-servers", "-C", "--continue-at", "-Y", "-y", "--trace", "--trace-ascii", "--stderr", "-z",
    "--capath", "--unix-socket", "--connect-to", "--pass", "--cert-type", "--noproxy", "--keepalive-time", "-r",
    "--range", "-Q", "--quote",
  ]

  /// The letters of short options that take a value.
  private static let lettersWithValue = Set("XHdFubAeTomwxUEDcKCYyzrQ")

  mutating func read(_ words: [String], _ notes: inout ImportNotes) {
    var rest = words[...]
    while let word = rest.popFirst() {
      if word == "--" { continue }
      if word == "--next" || word == "-:" {
        note("what follows `--next` is left out: give each request a command of its own", &notes)
        return
      }
      guard word.hasPrefix("-"), word.count > 1 else {
        urls.append(word)
        continue
      }
      if word.hasPrefix("--") {
        let pair = word.split(separator: "=", maxSplits: 1).map(String.init)
        read(pair[0], pair.count > 1 ? pair[1] : nil, &rest, &notes)
        continue
      }
      // `-sSLX POST` and `-XPOST`
      var letters = word.dropFirst()
      while let letter = letters.popFirst() {
        let value = Self.lettersWithValue.contains(letter) && !letters.isEmpty ? String(letters) : nil
        read("-\(letter)", value, &rest, &notes)
        if Self.lettersWithValue.contains(letter) { break }
      }
    }
  }

  private mutating func read(
    _ option: String, _ given: String?, _ rest: inout ArraySlice<String>, _ notes: inout ImportNotes
  ) {
    func value() -> String? {
      if let given { return given }
      return rest.popFirst()
    }
    switch option {
    case "-X", "--request": method = value()?.uppercased()
    case "-H", "--header":
      if let text = value() { header(text, &notes) }
    case "-d", "--data", "--data-ascii", "--data-raw", "--data-binary":
      if let text = value() { body(text, option, &notes) }
    case "--data-urlencode":
      if let text = value() { body(Self.encoded(text), option, &notes) }
    case "--json":
      isJSON = true
      if let text = value() { body(text, option, &notes) }
    case "-F", "--form", "--form-string":
      if let text = value() { part(text, isFile: option != "--form-string") }
    case "-u", "--user":
      if value() != nil { headers.append(("Authorization", "Basic x")) }
    case "--oauth2-bearer":
      if value() != nil { headers.append(("Authorization", "Bearer x")) }
    case "--url":
      if let text = value() { urls.append(text) }
    case "-G", "--get": isGet = true
    case "-I", "--head": isHead = true
    case "-A", "--user-agent", "-e", "--referer", "-b", "--cookie":
      _ = value()
      note("`\(option)` is no condition", &notes)
    case "-T", "--upload-file":
      _ = value()
      isUpload = true
      note("what is uploaded with `\(option)` is no condition", &notes)
    default:
      if Self.ignoredWithValue.contains(option), option != "--tlsv1.2" { _ = value() }
    }
  }

  private func note(_ message: String, _ notes: inout ImportNotes) { notes.add(message, path: path, at: position) }

  /// What clients send of themselves; a stub that asks for it would hardly ever fit.
  private static let usual: Set<String> = [
    "accept", "accept-encoding", "accept-language", "accept-charset", "connection", "content-length", "content-type",
    "host", "cookie", "origin", "referer", "user-agent", "cache-control", "pragma", "dnt", "te", "priority", "expect",
    "upgrade-insecure-requests", "if-none-match", "if-modified-since", "keep-alive", "traceparent", "x-requested-with",
  ]

  private mutating func header(_ text: String, _ notes: inout ImportNotes) {
    guard let colon = text.firstIndex(of: ":") else {
      if text.hasPrefix("@") { note("headers from a file (`-H @…`) are left out", &notes) }
      return
    }
    let name = text[..<colon].trimmingCharacters(in: .whitespaces)
    let value = text[text.index(after: colon)...].trimmingCharacters(in: .whitespaces)
    let small = name.lowercased()
    if small == "content-type", value.lowercased().contains("json") { isJSON = true }
    if Self.usual.contains(small) || small.hasPrefix("sec-") || value.isEmpty {
      note("headers that every client sends (such as `\(small)`) are no conditions", &notes)
    } else {
      headers.append((name, value))
    }
  }

  private mutating func body(_ text: String, _ option: String, _ notes: inout ImportNotes) {
    if text.hasPrefix("@"), option != "--data-raw" {
      note("a body from a file (`\(option) @…`) is no condition", &notes)
      if data.isEmpty, !isGet, method == nil { method = "POST" }
      return
    }
    data.append(text)
  }

  /// `name=value` with the value encoded.
  private static func encoded(_ text: String) -> String {
    let allowed = CharacterSet.alphanumerics.union(CharacterSet(charactersIn: "-._~"))
    guard let equals = text.firstIndex(of: "=") else {
      return text.addingPercentEncoding(withAllowedCharacters: allowed) ?? text
    }
    let value = String(text[text.index(after: equals)...])
    let name = text[..<equals].isEmpty ? "" : text[...equals]
    return name + (value.addingPercentEncoding(withAllowedCharacters: allowed) ?? value)
  }

  /// - Parameter isFile: whether `@` and `<` name a file.
  private mutating func part(_ text: String, isFile: Bool) {
    guard let equals = text.firstIndex(of: "=") else { return }
    let value = String(text[text.index(after: equals)...])
    let isOfFile = isFile && (value.hasPrefix("@") || value.hasPrefix("<"))
    parts.append((String(text[..<equals]), isOfFile ? nil : value))
  }

  // MARK: - Stubs

  func drafts(_ notes: inout ImportNotes) -> [StubDraft] {
    if urls.isEmpty { note("the command has no URL and is left out", &notes) }
    return urls.map { draft($0.contains("://") ? $0 : "http://" + $0) }
  }

  private func draft(_ given: String) -> StubDraft {
    var url = given
    if isGet, !data.isEmpty { url += (url.contains("?") ? "&" : "?") + data.joined(separator: "&") }
    if let hash = url.firstIndex(of: "#") { url = String(url[..<hash]) }
    let hasBody = !isGet && (!data.isEmpty || !parts.isEmpty)
    let method = method ?? (isHead ? "HEAD" : isUpload ? "PUT" : hasBody ? "POST" : "GET")
    var when = PatternDraft()
    when.require("method", .string(method))
    when.require("url", ImportedText.exactly(url))
    for (name, value) in headers {
      if name.lowercased() == "authorization", let scheme = value.split(separator: " ").first, value.contains(" ") {
        when.require(.headers, name, .string("\(scheme) *"))
      } else {
        when.require(.headers, name, ImportedText.exactly(value))
      }
    }
    for (name, value) in parts {
      let text = value.map { String($0.prefix { $0 != ";" }) }
      when.require(.multipart, name, text.map { ImportedText.exactly($0) } ?? "*")
    }
    if !isGet, !data.isEmpty { requireBody(&when) }
    let start = url.range(of: "://")?.upperBound ?? url.startIndex
    let place = url[start...].firstIndex(of: "/").map { String(url[$0...].prefix { $0 != "?" }) } ?? "/"
    return StubDraft(
      name: "\(method) \(place)", when: when, then: .members(["respond": .members(["status": .number("200")])]),
      comments: ["A command tells no answer: write one."], path: path, position: position)
  }

  private func requireBody(_ when: inout PatternDraft) {
    let text = data.joined(separator: isJSON ? "" : "&")
    if let json = try? JSONValue(parsing: text), json.isContainer {
      if json["query"]?.text != nil,
        let name = json["operationName"]?.text ?? json["query"]?.text.flatMap(PostmanImport.operation)
      {
        when.requireBody("graphql", .members(["operation": .string(name)]))
        return
      }
      when.requireBody("json", json)
      return
    }
    let pairs = text.split(separator: "&", omittingEmptySubsequences: false)
    guard !isJSON, !text.isEmpty,
      pairs.allSatisfy({ $0.contains("=") && !$0.contains(where: { $0.isWhitespace || $0 == "<" }) })
    else {
      when.requireBody("equals", .string(text))
      return
    }
    for pair in pairs {
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map { part in
        let plain = part.replacingOccurrences(of: "+", with: " ")
        return plain.removingPercentEncoding ?? plain
      }
      when.require(.form, parts[0], ImportedText.exactly(parts[1]))
    }
  }
}

extension JSONValue {
  fileprivate var isContainer: Bool {
    switch self {
    case .object, .array: true
    default: false
    }
  }
}
