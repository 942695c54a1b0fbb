import Foundation
import PatchbayFiles
import PatchbayInspect
import PatchbayTestSupport
import Testing

@testable import PatchbayCLI

/// Small commands and all that they write: status, output, and what stands on standard error.
@Suite(.crowd, .bounded) struct WholeCommandTests {
  private let desk: Desk

  init() throws { desk = try Desk() }

  private func run(_ words: [String]) async throws -> String {
    let child = try desk.start([BuiltProduct.path("patchbay")] + words)
    try await child.end()
    let line = words.map { $0.isEmpty || $0.contains(" ") ? "'\($0)'" : $0 }.joined(separator: " ")
    let errors = child.errors.isEmpty ? "" : "-- on standard error\n\(child.errors)"
    return "== \(line)\n\(child.output)\(errors)-- status \(child.exitStatus ?? -1)\n"
      .replacingOccurrences(of: desk.folder.path, with: "DESK")
  }

  private func record(_ lines: [[String]], _ name: String) async throws {
    var text = ""
    for line in lines { text += try await run(line) }
    try expectRecorded(text, "Whole/\(name)")
  }

  @Test func faults() async throws {
    try await record(
      [
        ["faults"], ["faults", "--json"], ["faults", "--completing", "5.9", "--completing", ""],
        ["faults", "--completing", "", "--completing", "3.7"], ["faults", "--completing", "", "--completing", ""],
      ], "Faults.txt")
  }

  @Test func schemas() async throws {
    #expect(try await desk.run("schema", "jsonl").output == JSONLines.jsonSchema)
    #expect(try await desk.run("schema", "stubs").output == StubFile.jsonSchema)
    #expect(try await desk.run("stubs", "schema").output == StubFile.jsonSchema + "\n")
  }

  @Test func stubFiles() async throws {
    let good = try desk.folder.write(
      """
      patchbay: 1
      stubs:
      - name: tea
        when: { method: GET, path: /tea }
        then: { respond: { status: 418 } }
      - name: posted
        when: { method: POST, path: /tea, headers: { X-Key: "7" }, body: { contains: leaf } }
        then: { fail: timedOut }
      - name: of one process
        when: { process: shop }
        then: { hold: both }

      """, to: "good.yaml")
    let late = try desk.folder.write(
      """
      patchbay: 1
      stubs:
      - name: all
        then: { fail: offline }
      - name: late
        then: { fail: offline }

      """, to: "late.yaml")
    let wrong = try desk.folder.write(
      "patchbay: 1\nstubs:\n- nmae: x\n- name: y\n  then: { fial: z }\n", to: "wrong.yaml")
    let one = try desk.folder.write(
      "patchbay: 1\nstubs:\n- name: one\n  then: { fail: offline }\n", to: "one.yaml")
    let url = "http://a.example/tea"
    try await record(
      [
        ["stubs", "check", good], ["stubs", "check", one], ["stubs", "check", late], ["stubs", "check", one, late],
        ["stubs", "check", wrong], ["stubs", "check", desk.folder.file("none.yaml")],
        ["stubs", "explain", "--url", url, good], ["stubs", "explain", "--url", url, "--json", good],
        [
          "stubs", "explain", "--url", url, "--method", "POST", "--header", "X-Key: 7", "--body", "a leaf", good,
        ],
        ["stubs", "explain", "--url", "http://a.example/x", "--process", "shop", good],
        ["stubs", "explain", "--url", url, wrong],
        ["stubs", "import", "curl -d a=1 https://api.example.com/login"],
        ["stubs", "import", "curl -T file https://h.example/f", "-o", "-"],
        ["stubs", "import", "curl https://h.example/a", "-o", desk.folder.file("out.yaml")],
        [
          "stubs", "import", "curl https://h.example/a\ncurl https://h.example/b", "-o",
          desk.folder.file("none/out.yaml"),
        ],
        ["stubs", "import", desk.folder.file("none.json")],
      ], "StubFiles.txt")
  }

  @Test func withoutAConsole() async throws {
    try await record(
      [
        ["stubs", "list"], ["stubs", "list", "--json"], ["stubs", "enable", "x"], ["stubs", "scenario"],
        ["hold", "list"],
        ["hold", "continue", "1"], ["log"], ["log", "host:"], ["stubs", "explain", "--url", "http://a.example/"],
        ["stubs", "list", "--completing", "patchbay stubs enable "],
        ["hold", "list", "--completing", "patchbay hold drop "],
        ["stubs", "scenario", "--completing", "patchbay stubs scenario "],
        ["stubs", "list", "--socket", desk.folder.file("no.sock")], ["stubs", "add", desk.folder.file("none.yaml")],
        ["hold", "respond", "1", "--body-file", desk.folder.file("none")],
        ["detach", "nosuchprogram"], ["detach", "999999999"], ["open", desk.folder.file("none.har")], ["--version"],
        ["themes", "check", desk.folder.file("none.yaml")], ["themes", "show", "nosuch"], ["themes", "show", "dark"],
        ["uninstall", "--prefix", desk.folder.file("empty")],
      ], "WithoutAConsole.txt")
  }

  @Test func whatWasRecorded() async throws {
    let entries = (1...3).map { index in
      """
      {"startedDateTime":"2026-01-0\(index)T10:00:00.000Z","time":\(index * 12),"request":{"method":"POST",\
      "url":"http://a.example/books/\(index)?token=s3cret","headers":[],"postData":{"mimeType":"text/plain",\
      "text":"asked \(index)"}},"response":{"status":\(index == 2 ? 0 : 200 + index),"headers":[{"name":"Content-Type",\
      "value":"application/json"}],"content":{"text":"{\\"n\\":\(index)}"}}}
      """
    }
    let many = (1...22).map { _ in "{\"no\":1}" }
    let archive = try desk.folder.write(
      "{\"log\":{\"entries\":[" + (entries + ["{\"no\":1}"]).joined(separator: ",") + "]}}", to: "in.har")
    let bad = try desk.folder.write("{\"log\":{\"entries\":[\(many.joined(separator: ","))]}}", to: "bad.har")
    let cut = try desk.folder.write("{\"log\":{\"entries\":[\(entries[0]),", to: "cut.har")
    func other(_ name: String) -> String { desk.folder.file(name + ".sqlite") }
    try await record(
      [
        ["history"], ["import", archive], ["import", archive, "--limit", "1", "--json", "--history", other("one")],
        ["import", archive, "--limit", "1", "--history", other("one")],
        ["import", archive, "--since", "2026-01-02T00:00:00Z", "--history", other("since")],
        ["import", bad, "--history", other("bad")], ["import", cut, "--history", other("cut")],
        ["import", desk.folder.file("none.har"), "--history", other("none")], ["import", archive, "--since", "x"],
        ["history"], ["history", "--with-secrets", "--limit", "1"], ["history", "--json", "--limit", "1"],
        ["history", "is:failed"], ["history", "--since", "2026-01-03T00:00:00Z"], ["history", "statsu:200"],
        ["history", "--since", "x"], ["history", "status:599", "--exit-status"],
        ["history", "--history", other("nowhere")],
        ["export", "jsonl", "--limit", "1"], ["export", "jsonl", "-o", desk.folder.file("out.jsonl")],
        ["export", "jsonl", "-o", desk.folder.file("out.jsonl"), "--limit", "1", "--json"],
        ["export", "curl", "--limit", "1", "-o", "-"], ["export", "jsonl", "status:599", "--exit-status"],
        ["export", "bodies", "-o", desk.folder.file("bodies")], ["export", "bodies", "-o", archive],
      ], "Recorded.txt")
  }
}
