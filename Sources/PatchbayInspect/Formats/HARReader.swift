import Foundation
import PatchbayStubs
import PatchbayWire

/// Reads an HTTP archive entry by entry, whatever its size: bytes in, exchanges out. Takes what Chrome, Firefox, Safari,
/// Charles, Proxyman and mitmproxy write. An entry that cannot be read is named and left out; the others stay.
package struct HARReader: ExchangeReader {
  /// A single entry longer than this is left out.
  package static let entryLimit = 128 << 20

  package private(set) var bad: [BadEntry] = []
  /// How many entries were met, good and bad.
  package private(set) var count = 0
  private var cutter = HAREntryCutter()
  /// The redirects of an exchange of ours, until its own entry comes.
  private var chain = HARChain()

  package init() {}

  /// Returns the exchanges whose entries are complete, their ids from 1.
  package mutating func read(_ bytes: Data) throws(StubError) -> [Exchange] {
    var found: [Exchange] = []
    for piece in try cutter.feed(bytes) {
      defer { count += 1 }
      guard let piece else {
        bad.append(BadEntry(index: count, reason: "it is larger than 128 MiB"))
        continue
      }
      do throws(StubError) {
        let entry = try JSONValue(parsing: piece)
        found += chain.take(try HAREntry.exchange(entry, id: Int64(count + 1)), of: entry["_patchbay"])
      } catch {
        bad.append(BadEntry(index: count, reason: error.description))
      }
    }
    return found
  }

  @discardableResult
  package mutating func finish() throws(StubError) -> [Exchange] {
    guard cutter.hasEntries else {
      throw StubError("This is no HTTP archive: it has no list `entries` in `log`.")
    }
    guard cutter.isAtEnd else {
      let read = count == 1 ? "1 entry was read" : "\(count) entries were read"
      throw StubError("The archive is cut off: its list of entries does not end; \(read).")
    }
    return chain.end()
  }
}

/// Puts together again what our own archives have in several entries: an exchange that was redirected.
private struct HARChain {
  private var id: JSONValue?
  private var entries: [Exchange] = []

  /// Returns what is complete with that entry; entries that turn out to be nobody's redirects stay by themselves.
  mutating func take(_ exchange: Exchange, of own: JSONValue?) -> [Exchange] {
    let belongs = id != nil && own?["id"] == id
    guard own?["hop"] == .bool(true) else {
      let open = end()
      return belongs ? [Self.whole(open, exchange)] : open + [exchange]
    }
    let open = belongs && entries.count < Wire.hopLimit ? [] : end()
    id = own?["id"]
    entries.append(exchange)
    return open
  }

  mutating func end() -> [Exchange] {
    defer { (id, entries) = (nil, []) }
    return entries
  }

  private static func whole(_ redirected: [Exchange], _ last: Exchange) -> Exchange {
    var whole = last
    whole.request = redirected.first?.request ?? last.request
    whole.bytesSent = redirected.first?.bytesSent ?? last.bytesSent
    whole.redirects = zip(redirected, redirected.dropFirst() + [last]).map { entry, next in
      var hop = RedirectHop(
        status: entry.response?.status ?? 0, url: entry.request.url, headers: entry.response?.headers ?? [])
      if hop.led != next.request.url { hop.target = next.request.url }
      return hop
    }
    return whole
  }
}

/// One entry of an archive as an exchange. Only method and URL must be there.
enum HAREntry {
  static func exchange(_ entry: JSONValue, id: Int64) throws(StubError) -> Exchange {
    guard let request = entry["request"], let method = request["method"]?.text, !method.isEmpty else {
      throw StubError("it has no request with a method")
    }
    guard let url = request["url"]?.text, !url.isEmpty else { throw StubError("its request has no URL") }
    var exchange = Exchange(
      id: id, process: HarnessProcess(name: "import", pid: 0),
      startedAt: entry["startedDateTime"]?.text.flatMap(moment) ?? Timestamp(microseconds: 0),
      request: RecordedRequest(
        method: method, url: url, headers: headers(request["headers"]), body: body(request["postData"])))
    exchange.phase = .ended
    exchange.bytesSent = Int64(exchange.request.body?.count ?? 0)
    exchange.timing.end = microseconds(entry["time"])
    exchange.timing.head = entry["timings"].flatMap(timeToHead) ?? exchange.timing.end
    apply(entry["response"], error: entry["_error"]?.text ?? entry["response"]?["_error"]?.text, into: &exchange)
    if let note = entry["comment"]?.text, note != HARWriter.observed { exchange.note = Remark.note(note) }
    if let own = entry["_patchbay"] { apply(own, to: &exchange) }
    if case .array(let tags)? = entry["_patchbay"]?["tags"] { exchange.tags = Remark.tags(tags.compactMap(\.text)) }
    if exchange.response == nil, entry["_patchbay"]?["outcome"] == .null {
      // Only observed, by one of us.
      (exchange.outcome, exchange.error) = (nil, nil)
      (exchange.timing.end, exchange.timing.head) = (nil, nil)
    }
    return exchange
  }

  /// What only our own archives say.
  private static func apply(_ own: JSONValue, to exchange: inout Exchange) {
    if let words = own["process"]?.text?.split(separator: " "), let pid = words.last.flatMap({ Int32($0) }) {
      exchange.process = HarnessProcess(name: words.dropLast().joined(separator: " "), pid: pid)
    }
    exchange.by = own["by"]?.text.flatMap(Exchange.Answerer.init) ?? .network
    exchange.stub = own["stub"]?.text
    if let outcome = own["outcome"]?.text.flatMap(Exchange.Outcome.init), outcome != .responded {
      exchange.outcome = outcome
    }
    exchange.request.truncated = own["requestTruncated"] == .bool(true)
    if own["responseTruncated"] == .bool(true) { exchange.response?.truncated = true }
    if let error = own["error"], let domain = error["domain"]?.text, let code = error["code"]?.integer {
      exchange.error = RecordedError(
        domain: domain, code: code, name: domain == URLErrorCode.domain ? URLErrorCode.name(of: code) : nil,
        message: error["message"]?.text)
    }
  }

  private static func apply(_ response: JSONValue?, error: String?, into exchange: inout Exchange) {
    guard let response, let status = response["status"]?.integer, (100...999).contains(status) else {
      exchange.outcome = .failed
      exchange.error = self.error(error ?? response?["statusText"]?.text)
      return
    }
    exchange.outcome = .responded
    exchange.response = RecordedResponse(
      status: status, headers: headers(response["headers"]), body: body(response["content"]))
    exchange.bytesReceived = Int64(exchange.response?.body?.count ?? 0)
  }

  /// What our own archives name is what it was; the names of others stay as a message.
  private static func error(_ text: String?) -> RecordedError {
    if let text, let code = URLErrorCode.code(named: text) {
      return RecordedError(domain: URLErrorCode.domain, code: code, name: text, message: text)
    }
    return RecordedError(
      domain: "HAR", code: 0, name: nil, message: text?.isEmpty == false ? text ?? "" : "no response")
  }

  private static func headers(_ value: JSONValue?) -> [HeaderField] {
    guard case .array(let fields)? = value else { return [] }
    // Names that begin with a colon are HTTP/2's own (RFC 9113 §8.3), no header fields.
    return fields.compactMap { field in
      guard let name = field["name"]?.text, !name.isEmpty, !name.hasPrefix(":") else { return nil }
      return HeaderField(name, field["value"]?.text ?? "")
    }
  }

  /// `text` in its `encoding`, else the form's `params`.
  private static func body(_ content: JSONValue?) -> Data? {
    guard let content else { return nil }
    if let text = content["text"]?.text {
      if content["encoding"]?.text?.lowercased() == "base64" {
        return Data(base64Encoded: text, options: .ignoreUnknownCharacters) ?? Data(text.utf8)
      }
      return Data(text.utf8)
    }
    guard case .array(let params)? = content["params"], !params.isEmpty else { return nil }
    let pairs = params.map { "\(encoded($0["name"]?.text ?? ""))=\(encoded($0["value"]?.text ?? ""))" }
    return Data(pairs.joined(separator: "&").utf8)
  }

  private static func encoded(_ text: String) -> String {
    text.addingPercentEncoding(withAllowedCharacters: .alphanumerics.union(CharacterSet(charactersIn: "-._~"))) ?? text
  }

  private static func number(_ value: JSONValue?) -> Double? {
    switch value {
    case .number(let digits)?: Double(digits)
    case .string(let text)?: Double(text)
    default: nil
    }
  }

  private static func microseconds(_ value: JSONValue?) -> Int64? {
    number(value).flatMap { $0 < 0 ? nil : self.microseconds($0) }
  }

  /// All that comes before the response's body; nil where nothing of it is known.
  private static func timeToHead(_ timings: JSONValue) -> Int64? {
    let parts = ["blocked", "dns", "connect", "send", "wait"].compactMap { number(timings[$0]) }.filter { $0 >= 0 }
    return parts.isEmpty ? nil : microseconds(parts.reduce(0, +))
  }

  /// What takes 30 years or more is no duration.
  private static func microseconds(_ milliseconds: Double) -> Int64? {
    milliseconds < 1e12 ? NumberLimits.count(Int64(milliseconds * 1_000)) : nil
  }

  private static func moment(_ text: String) -> Timestamp? {
    for fraction in [true, false] {
      let style = Date.ISO8601FormatStyle(includingFractionalSeconds: fraction)
      if let date = try? style.parse(text) {
        return NumberLimits.moment(seconds: date.timeIntervalSince1970)
      }
    }
    return nil
  }
}
