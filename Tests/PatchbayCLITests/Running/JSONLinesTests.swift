import Foundation
import PatchbayTestSupport
import Testing

@Suite("JSON Lines of --log", .crowd, .bounded)
final class JSONLinesTests: DeskSuite {
  private static let names: Set<String> = [
    "id", "process", "startedAt", "method", "url", "requestHeaders", "requestBody", "by", "stub", "outcome", "status",
    "responseHeaders", "responseBody", "error", "redirects", "durationMs", "heldMs", "bytesSent", "bytesReceived",
    "requestTruncated", "responseTruncated", "sent", "run", "tags", "note", "observed",
  ]

  private func records(
    _ asked: [(String, String, String?)], _ options: String...
  ) async throws -> [[String: Any]] {
    let log = desk.folder.file("log.jsonl")
    let console = try await desk.listener(["--log", log] + options)
    let asker = try desk.asker()
    var records: [[String: Any]] = []
    for (number, (method, path, body)) in asked.enumerated() {
      let url = path.hasPrefix("http") ? try #require(URL(string: path)) : server.url(path)
      try await asker.ask(url, method, body: body)
      records = try await eventually("record \(number + 1)", state: console.said) {
        let records = try Records.read(log)
        return records.count > number ? records : nil
      }
    }
    #expect(try Int(FileManager.default.attributesOfItem(atPath: log)[.posixPermissions] as? Int ?? 0) == 0o600)
    return records
  }

  @Test("hold no more of a body than the limit, and say so")
  func limits() async throws {
    let body = String(repeating: "a", count: 3_000)
    let records = try await records(
      [("POST", "/bytes?n=5000", body), ("POST", "/echo", "short")], "--body-limit", "1kB")
    #expect((records[0]["requestBody"] as? String)?.count == 1_000)
    #expect(records[0]["bytesSent"] as? Int == 3_000 && records[0]["requestTruncated"] as? Bool == true)
    let answered = try #require((records[0]["responseBody"] as? [String: String])?["base64"])
    #expect(Data(base64Encoded: answered)?.count == 1_000)
    #expect(records[0]["bytesReceived"] as? Int == 5_000 && records[0]["responseTruncated"] as? Bool == true)
    #expect(records[1]["requestTruncated"] as? Bool == false && records[1]["responseTruncated"] as? Bool == false)
  }

  @Test("of a request hold 4 MiB of its body")
  func usualLimit() async throws {
    let body = String(repeating: "b", count: 5 << 20)
    let records = try await records([("POST", "/count", body)])
    #expect((records[0]["requestBody"] as? String)?.utf8.count == 4 << 20)
    #expect(records[0]["bytesSent"] as? Int == 5 << 20 && records[0]["requestTruncated"] as? Bool == true)
  }

  @Test("have the fields of the contract, and a line is there as soon as the exchange has ended")
  func fields() async throws {
    let records = try await records([
      ("POST", "/echo?a=b", "名前=花子"), ("GET", "/bytes?n=300", nil), ("GET", "/redirect/302?to=/json", nil),
      ("GET", "http://127.0.0.1:1/refused", nil), ("GET", "/empty", nil), ("HEAD", "/json", nil),
    ])
    for record in records {
      #expect(Set(record.keys) == Self.names)
      #expect(record["by"] as? String == "network" && record["stub"] is NSNull)
      let process = try #require(record["process"] as? [String: Any])
      #expect(process["name"] as? String == "attached-harness" && process["pid"] is Int)
      let started = try #require(record["startedAt"] as? String)
      #expect(started.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/) != nil, "\(started)")
      #expect(record["durationMs"] is Int && record["heldMs"] as? Int == 0)
    }
    #expect(records.compactMap { $0["id"] as? Int } == Array(1...6))

    let posted = records[0]
    #expect(posted["method"] as? String == "POST" && posted["status"] as? Int == 200)
    #expect(posted["requestBody"] as? String == "名前=花子")
    #expect(posted["bytesSent"] as? Int == 13)
    #expect((posted["responseBody"] as? String)?.hasPrefix("POST /echo?a=b\n") == true)
    let sent = try #require(posted["requestHeaders"] as? [[String]])
    #expect(sent.contains(["Content-Type", "text/plain"]))

    let body = try #require(records[1]["responseBody"] as? [String: String])
    #expect(Data(base64Encoded: body["base64"] ?? "")?.count == 300)
    let hops = try #require(records[2]["redirects"] as? [[String: Any]])
    #expect(hops.count == 1 && hops[0]["status"] as? Int == 302)
    #expect((hops[0]["url"] as? String)?.contains("/redirect/302") == true && hops[0]["headers"] is [[String]])
    #expect((records[2]["responseBody"] as? String)?.contains("花子") == true)

    let failed = records[3]
    #expect(failed["outcome"] as? String == "failed" && failed["status"] is NSNull)
    let error = try #require(failed["error"] as? [String: Any])
    #expect(error["domain"] as? String == "NSURLErrorDomain" && error["code"] as? Int == -1004)
    #expect(error["name"] as? String == "cannotConnectToHost")
    #expect(records[4]["responseBody"] as? String == "" && records[4]["requestBody"] is NSNull)
    #expect(records[5]["responseBody"] as? String == "" || records[5]["responseBody"] is NSNull)
  }

  @Test("--filter keeps what fits")
  func filter() async throws {
    let log = desk.folder.file("log.jsonl")
    let console = try await desk.listener("--log", log, "--filter", "-path:/json")
    let asker = try desk.asker()
    try await asker.ask(server.url("/json"))
    try await asker.ask(server.url("/empty"))
    let records = try await eventually("a record", state: console.said) {
      let records = try Records.read(log)
      return records.isEmpty ? nil : records
    }
    #expect(records.compactMap { $0["url"] as? String } == [server.url("/empty").absoluteString])
    #expect(!console.errors.contains("/json"))
  }
}
