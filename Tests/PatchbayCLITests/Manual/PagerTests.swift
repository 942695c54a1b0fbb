import Foundation
import PatchbayTestSupport
import Testing

/// Long texts on a terminal, through a program that shows them page by page.
@Suite("The pager of help", .crowd, .bounded)
struct PagerTests {
  private let desk: Desk

  init() throws { desk = try Desk() }

  /// What is on the terminal when `help filter` has ended.
  private func shown(_ environment: [String: String?]) async throws -> String {
    let none: [String: String?] = ["PAGER": nil, "PATCHBAY_PAGER": nil, "LESS": nil, "NO_COLOR": "1"]
    let console = try desk.console("help", "filter", rows: 200, environment: none.merging(environment) { $1 })
    #expect(try await console.waitForExit() == .exited(0))
    return String(decoding: console.output, as: UTF8.self).replacing("\r\n", with: "\n")
  }

  @Test("it gets the whole text, by its own variable before the usual one, and the terminal nothing else")
  func wholeText() async throws {
    let whole = try await shown(["PATCHBAY_PAGER": " "])
    #expect(whole.contains("status:") && whole.split(separator: "\n").count > 20)
    let file = desk.folder.file("paged")
    #expect(try await shown(["PATCHBAY_PAGER": "cat > '\(file)'", "PAGER": "echo not this one"]) == "")
    #expect(try String(contentsOfFile: file, encoding: .utf8) == whole)
    #expect(try await shown(["PAGER": "cat"]) == whole)
  }

  @Test("without such a program the text is shown as it is, and one that is left early is no failure")
  func noPager() async throws {
    let whole = try await shown(["PATCHBAY_PAGER": ""])
    let failed = try await shown(["PATCHBAY_PAGER": "no-such-pager-anywhere"])
    #expect(failed.hasSuffix(whole) && failed.contains("not found"))
    #expect(try await shown(["PATCHBAY_PAGER": "head -n 1"]) == String(whole.prefix { $0 != "\n" }) + "\n")
    #expect(try await shown(["PATCHBAY_PAGER": "exit 1"]) == "")
  }

  @Test("it is left by its own keys: what interrupts it does not end us before it")
  func interrupted() async throws {
    #expect(try await shown(["PATCHBAY_PAGER": "cat > /dev/null; kill -INT $PPID; echo here"]) == "here\n")
  }

  @Test("a terminal that does not know its width has 80 columns")
  func unknownWidth() async throws {
    let changes: [String: String?] = ["PAGER": nil, "PATCHBAY_PAGER": "", "NO_COLOR": "1"]
    let unknown = try PtySession(
      ["/bin/sh", "-c", "stty cols 0; exec \"$0\" help filter", BuiltProduct.path("patchbay")],
      environment: desk.environment(changes), columns: 100, rows: 200, folder: desk.work)
    let usual = try desk.console("help", "filter", columns: 80, rows: 200, environment: changes)
    for console in [unknown, usual] { #expect(try await console.waitForExit() == .exited(0)) }
    #expect(!usual.output.isEmpty && unknown.output == usual.output)
  }

  @Test("less shows colours as they are and ends at once, unless the person has said what it is to do")
  func less() async throws {
    let asks = "cat > /dev/null; echo \"<$LESS>\""
    #expect(try await shown(["PATCHBAY_PAGER": asks]) == "<FRX>\n")
    #expect(try await shown(["PATCHBAY_PAGER": asks, "LESS": "-i"]) == "<-i>\n")
    #expect(try await shown(["PATCHBAY_PAGER": asks, "LESS": ""]) == "<>\n")
  }

  @Test("how far long work has come is shown on a terminal, and taken away at its end")
  func progress() async throws {
    let archive = try archive()
    for (arguments, title, last) in [
      (["import", archive], "reading \(archive)", "3 exchanges recorded, 0 left out."),
      (["export", "har", "-o", "out.har"], "writing out.har", "patchbay: wrote 3 exchanges to out.har."),
    ] {
      let console = try PtySession(
        [BuiltProduct.path("patchbay")] + arguments, environment: desk.environment(), columns: 100, rows: 30,
        folder: desk.work)
      #expect(try await console.waitForExit() == .exited(0))
      let output = String(decoding: console.output, as: UTF8.self)
      #expect(output.contains("\r\(title): 100 %\u{1B}[K"), "\(output)")
      #expect(steps(output, title) == (arguments[0] == "export" ? ["0", "100"] : ["100"]), "\(output)")
      #expect(console.screen.lines.prefix { !$0.isEmpty } == [last])
    }
  }

  @Test("what comes through a pipe, whose size is not known, is never more than the whole")
  func progressOfAPipe() async throws {
    let console = try PtySession(
      ["/bin/sh", "-c", "cat \"$1\" | \"$0\" import -", BuiltProduct.path("patchbay"), try archive()],
      environment: desk.environment(), columns: 100, rows: 30, folder: desk.work)
    #expect(try await console.waitForExit() == .exited(0))
    let output = String(decoding: console.output, as: UTF8.self)
    #expect(steps(output, "reading standard input") == ["100"], "\(output)")
  }

  /// The percentages that were shown, each in its turn.
  private func steps(_ output: String, _ title: String) -> [String] {
    output.components(separatedBy: "\r\(title): ").dropFirst().map { String($0.prefix { $0 != " " }) }
  }

  @Test("what is said meanwhile stands on a line of its own")
  func sentences() async throws {
    try FileManager.default.createDirectory(
      atPath: desk.folder.file("config/patchbay"), withIntermediateDirectories: true)
    _ = try desk.folder.write("history: { count: 1 }\n", to: "config/patchbay/config.yaml")
    let console = try PtySession(
      [BuiltProduct.path("patchbay"), "import", try archive()], environment: desk.environment(), columns: 100, rows: 30,
      folder: desk.work)
    #expect(try await console.waitForExit() == .exited(0))
    let output = String(decoding: console.output, as: UTF8.self)
    #expect(output.contains("\r\u{1B}[Kpatchbay: The history is full: its oldest"), "\(output)")
    #expect(console.screen.lines.prefix { !$0.isEmpty }.allSatisfy { !$0.contains("%") }, "\(console.screen)")
  }

  /// Of three entries.
  private func archive() throws -> String {
    let entries = (1...3).map { index in
      """
      {"startedDateTime":"2026-01-0\(index)T10:00:00.000Z","time":1,"request":{"method":"GET",\
      "url":"http://a.example/\(index)","headers":[]},"response":{"status":200,"headers":[],"content":{"text":"x"}}}
      """
    }
    return try desk.folder.write("{\"log\":{\"entries\":[\(entries.joined(separator: ","))]}}", to: "in.har")
  }
}
