import Foundation
import PatchbayStubs
import PatchbayWire

extension JSONLines {
  /// Reads one line back. What is missing counts as unknown; unknown members are passed over.
  ///
  /// Times are exact to the millisecond, as the line has them.
  public static func exchange(_ line: Data) throws(FormatError) -> Exchange {
    let json: JSONValue
    do {
      json = try JSONValue(parsing: line)
    } catch {
      throw FormatError("The line is no JSON: \(error.message).")
    }
    guard let url = json["url"]?.text else { throw FormatError("The line has no \"url\".") }
    var request = RecordedRequest(
      method: json["method"]?.text ?? "GET", url: url, headers: headers(json["requestHeaders"]),
      body: try body(json["requestBody"]))
    request.truncated = json["requestTruncated"] == .bool(true)
    let process = HarnessProcess(
      name: json["process"]?["name"]?.text ?? "", pid: Int32(clamping: json["process"]?["pid"]?.integer ?? 0))
    let started = json["startedAt"]?.text.flatMap(moment) ?? Timestamp(microseconds: 0)
    var exchange = Exchange(
      id: Int64(json["id"]?.integer ?? 0), process: process, startedAt: started, request: request)
    exchange.by = json["by"]?.text.flatMap(Exchange.Answerer.init) ?? .network
    exchange.stub = json["stub"]?.text
    exchange.outcome = json["outcome"]?.text.flatMap(Exchange.Outcome.init)
    exchange.phase = exchange.outcome == nil && json["observed"] != .bool(true) ? .waiting : .ended
    if let status = json["status"]?.integer {
      exchange.response = RecordedResponse(
        status: status, headers: headers(json["responseHeaders"]), body: try body(json["responseBody"]),
        truncated: json["responseTruncated"] == .bool(true))
    }
    if let error = json["error"], let domain = error["domain"]?.text {
      exchange.error = RecordedError(domain: domain, code: error["code"]?.integer ?? 0, name: error["name"]?.text)
    }
    if case .array(let hops) = json["redirects"] {
      exchange.redirects = hops.map {
        RedirectHop(status: $0["status"]?.integer ?? 0, url: $0["url"]?.text ?? "", headers: headers($0["headers"]))
      }
    }
    exchange.timing.end = microseconds(json["durationMs"])
    exchange.timing.held = microseconds(json["heldMs"]) ?? 0
    exchange.bytesSent = Int64(json["bytesSent"]?.integer ?? 0)
    exchange.bytesReceived = Int64(json["bytesReceived"]?.integer ?? 0)
    return exchange
  }

  private static func moment(_ text: String) -> Timestamp? {
    guard case .at(let moment) = MomentReader.moment(text) else { return nil }
    return moment
  }

  private static func headers(_ json: JSONValue?) -> [HeaderField] {
    guard case .array(let pairs) = json else { return [] }
    return pairs.compactMap {
      guard case .array(let pair) = $0, pair.count == 2, let name = pair[0].text, let value = pair[1].text else {
        return nil
      }
      return HeaderField(name, value)
    }
  }

  private static func body(_ json: JSONValue?) throws(FormatError) -> Data? {
    switch json {
    case .string(let text): return Data(text.utf8)
    case .object:
      guard let text = json?["base64"]?.text, let data = Data(base64Encoded: text) else {
        throw FormatError("A body of the line is no base64.")
      }
      return data
    default: return nil
    }
  }

  private static func microseconds(_ json: JSONValue?) -> Int64? {
    guard case .number(let digits) = json, let value = Double(digits), abs(value) < 1e15 else { return nil }
    return Int64((value * 1_000).rounded())
  }
}
