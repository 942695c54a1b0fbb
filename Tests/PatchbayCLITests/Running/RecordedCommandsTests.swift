import Foundation
import PatchbayHistory
import PatchbayTestSupport
import Testing

@testable import PatchbayCLI

@Suite("What was recorded, on the command line", .crowd, .bounded)
final class RecordedCommandsTests: DeskSuite {
  private var archive: String {
    get throws {
      let entries = (1...5).map { index in
        """
        {"startedDateTime":"2026-01-0\(index)T10:00:00.000Z","time":12,"request":{"method":"POST",\
        "url":"http://a.example/books/\(index)?q=\\\"$(x)","headers":[],"postData":{"mimeType":"text/plain",\
        "text":"asked \(index)"}},"response":{"status":20\(index % 2),"headers":[{"name":"Content-Type",\
        "value":"application/json"}],"content":{"text":"{\\"n\\":\(index)}"}}}
        """
      }
      return try desk.folder.write(
        "{\"log\":{\"entries\":[" + (entries + ["{\"no\":1}"]).joined(separator: ",") + "]}}", to: "in.har")
    }
  }

  @Test("is imported as far as was asked for, and what was left out is said as JSON")
  func importing() async throws {
    let all = try await desk.run("import", try archive, "--json")
    let said = try Records.parse(all.output)[0]
    #expect(said["recorded"] as? Int == 5 && all.exitStatus == 0)
    let left = try #require(said["leftOut"] as? [[String: Any]])
    #expect(left.count == 1 && left[0]["entry"] as? Int == 5 && all.errors.contains("entry 5"))
    let two = desk.folder.file("two.sqlite")
    let first = try await desk.run("import", try archive, "--limit", "2", "--history", two)
    #expect(first.output.hasPrefix("2 exchanges recorded, "))
    let late = try await desk.run("import", try archive, "--since", "2026-01-04T00:00:00Z", "--history", two)
    #expect(late.output == "2 exchanges recorded, 1 left out.\n")
    let listed = try await desk.run("history", "--history", two, "--json")
    let urls = try Records.parse(listed.output).compactMap { ($0["url"] as? String)?.dropFirst(23).first }
    #expect(urls == ["1", "2", "4", "5"])
  }

  @Test("of what was left out twenty are named, and how many more there are", arguments: [20, 21])
  func manyLeftOut(count: Int) async throws {
    let entries = [String](repeating: "{\"no\":1}", count: count).joined(separator: ",")
    let file = try desk.folder.write("{\"log\":{\"entries\":[\(entries)]}}", to: "bad.har")
    let all = try await desk.run("import", file)
    let lines = all.errors.split(separator: "\n")
    try #require(lines.count == count, "\(all.said)")
    #expect(lines[19].contains("entry 19:"), "\(all.said)")
    #expect(lines.last?.hasSuffix("… and 1 more.") == (count > 20), "\(all.said)")
  }

  @Test("is read from and imported into the history that the config names, as large as it may be, and it is told")
  func configured() async throws {
    let file = desk.folder.file("mine.sqlite")
    try FileManager.default.createDirectory(
      atPath: desk.folder.file("config/patchbay"), withIntermediateDirectories: true)
    _ = try desk.folder.write("history: { path: '\(file)', count: 2 }\n", to: "config/patchbay/config.yaml")
    let all = try await desk.run("import", try archive)
    #expect(all.exitStatus == 0 && all.errors.contains("its oldest 3 exchanges were removed"), "\(all.errors)")
    #expect(FileManager.default.fileExists(atPath: file))
    let listed = try await desk.run("history", "--json")
    #expect(try Records.parse(listed.output).count == 2)
    #expect(try await desk.run("doctor").output.contains("\(file) has 2 exchanges."))
  }

  @Test("is listed and exported whole by a filter that is empty")
  func emptyFilter() async throws {
    _ = try await desk.run("import", try archive)
    for filter in ["", "  "] {
      #expect(try await desk.run("history", filter).lines.count == 5)
      #expect(try await desk.run("history", filter, "--since", "2026-01-04T00:00:00Z").lines.count == 2)
      #expect(try await desk.run("export", "jsonl", filter).lines.count == 5)
    }
  }

  @Test("is exported: bodies to files, a count as JSON, a status where nothing was found")
  func exporting() async throws {
    _ = try await desk.run("import", try archive)
    let folder = desk.folder.file("bodies")
    let bodies = try await desk.run("export", "bodies", "status:201", "-o", folder, "--json")
    #expect(try Records.parse(bodies.output)[0]["written"] as? Int == 6)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder)
    #expect(names.count == 6)
    for name in names {
      let text = try String(contentsOfFile: folder + "/" + name, encoding: .utf8)
      #expect(name.contains("request") ? text.hasPrefix("asked ") : text.hasPrefix("{\"n\":"), "\(name): \(text)")
    }
    let none = desk.folder.file("none.har")
    let nothing = try await desk.run("export", "har", "status:599", "-o", none, "--exit-status")
    #expect(nothing.exitStatus == 1 && FileManager.default.fileExists(atPath: none))
    #expect(try await desk.run("export", "har", "status:599", "-o", none).exitStatus == 0)
    #expect(try await desk.run("history", "status:599", "--exit-status").exitStatus == 1)
    #expect(try await desk.run("history", "status:200", "--exit-status").exitStatus == 0)
    let limited = try await desk.run("history", "--limit", "0")
    #expect(limited.output.isEmpty && limited.exitStatus == 0)
    #expect(try await desk.run("history", "--limit=-1").exitStatus == 64)
  }

  @Test("is exported to a device, which stays one, and into a file whose mode stays unless secrets go into it")
  func destinations() async throws {
    _ = try await desk.run("import", try archive)
    let null = desk.folder.file("null")
    #expect(symlink("/dev/null", null) == 0)
    for path in ["/dev/null", null, "/dev/stdout"] {
      let export = try await desk.run("export", "jsonl", "-o", path)
      #expect(export.exitStatus == 0 && export.lines.count == (path == "/dev/stdout" ? 5 : 0), "\(export.said)")
    }
    var status = stat()
    #expect(stat("/dev/null", &status) == 0 && status.st_mode & S_IFMT == S_IFCHR)
    let file = try desk.folder.write("old", to: "out.jsonl")
    chmod(file, 0o644)
    #expect(try await !desk.run("export", "jsonl", "-o", file).errors.contains("others"))
    #expect(stat(file, &status) == 0 && status.st_mode & 0o777 == 0o644)
    let secret = try await desk.run("export", "jsonl", "--with-secrets", "-o", file)
    #expect(secret.errors.contains("\(file) could be read by others; it is yours alone now"), "\(secret.said)")
    #expect(stat(file, &status) == 0 && status.st_mode & 0o777 == 0o600)
    #expect(try Records.read(file).count == 5)
  }

  @Test("a file that cannot be written to its end is named, and no half of it is left")
  func noRoom() async throws {
    let body = String(repeating: "x", count: 700_000)
    let har = """
      {"log":{"entries":[{"startedDateTime":"2026-01-01T10:00:00Z","request":{"method":"GET","url":"http://a.example/"},\
      "response":{"status":200,"content":{"text":"\(body)"}}}]}}
      """
    let file = try desk.folder.write(har, to: "big.har")
    _ = try await desk.run("import", file)
    for (format, name) in [("har", "out.har"), ("bodies", "out")] {
      let limited = "trap '' XFSZ; ulimit -f 1024; exec \"$0\" \"$@\""
      let output = desk.folder.file(name)
      if format == "har" { try "old".write(toFile: output, atomically: false, encoding: .utf8) }
      let export = try desk.start([
        "/bin/sh", "-c", limited, BuiltProduct.path("patchbay"), "export", format, "-o", output,
      ])
      #expect(try await export.end() == 1)
      #expect(export.errors.contains(output) && export.errors.contains("cannot be written"), "\(export.said)")
      #expect(export.errors.split(separator: "\n").count == 1)
    }
    let left = try FileManager.default.contentsOfDirectory(atPath: desk.folder.path).filter { $0.hasPrefix("out") }
    #expect(left.sorted() == ["out", "out.har"])
    #expect(try String(contentsOfFile: desk.folder.file("out.har"), encoding: .utf8) == "old")
    #expect(try FileManager.default.contentsOfDirectory(atPath: desk.folder.file("out")).isEmpty)
  }

  /// An archive that takes a while.
  private func large(entries: Int, bodies: Int) throws -> String {
    let body = String(repeating: "x", count: bodies)
    let entry = """
      {"startedDateTime":"2026-01-01T10:00:00Z","request":{"method":"GET","url":"http://a.example/"},\
      "response":{"status":200,"content":{"text":"\(body)"}}}
      """
    let list = [String](repeating: entry, count: entries).joined(separator: ",")
    return try desk.folder.write("{\"log\":{\"entries\":[\(list)]}}", to: "large.har")
  }

  @Test("an import without room for all says why and how many were kept")
  func importWithoutRoom() async throws {
    let file = try large(entries: 40, bodies: 100_000)
    let history = desk.folder.file("small.sqlite")
    let importing = try desk.start([
      "/bin/sh", "-c", "trap '' XFSZ; ulimit -f 2048; exec \"$0\" \"$@\"", BuiltProduct.path("patchbay"), "import",
      file,
      "--history", history,
    ])
    #expect(try await importing.end() == 1)
    let count = try HistoryStore.open(.file(history), access: .read).count
    #expect(count < 40 && importing.errors.contains("\(history)"), "\(importing.said)")
    #expect(importing.errors.contains("\(count) exchange\(count == 1 ? " was" : "s were") kept."), "\(importing.said)")
    #expect(importing.errors.split(separator: "\n").count == 1)
  }

  @Test("an import that is stopped says how many were kept, and an export leaves nothing behind")
  func stopped() async throws {
    let file = try large(entries: 20_000, bodies: 3_000)
    let history = desk.folder.file("stopped.sqlite")
    let importing = try desk.start("import", file, "--history", history)
    try await eventually("the first of them") {
      let facts = try? FileManager.default.attributesOfItem(atPath: history + "-wal")
      return facts?[.size] as? Int ?? 0 > 300_000
    }
    importing.signal(SIGINT)
    #expect(try await importing.end() == 128 + SIGINT)
    let kept = try #require(importing.errors.firstMatch(of: /\. (\d+) exchanges were kept/), "\(importing.said)")
    #expect(try HistoryStore.open(.file(history), access: .read).count == Int(kept.1))

    #expect(try await desk.run("import", file, "--history", history).exitStatus == 0)
    let output = desk.folder.file("out.har")
    let exporting = try desk.start("export", "har", "-o", output, "--history", history)
    func drafts() throws -> [String] {
      try FileManager.default.contentsOfDirectory(atPath: desk.folder.path)
        .filter { $0.hasPrefix("out.har.\(exporting.pid)-") && $0.hasSuffix(".new") }
    }
    try await eventually("the draft") { try drafts().count == 1 }
    exporting.signal(SIGINT)
    #expect(try await exporting.end() == 128 + SIGINT)
    #expect(exporting.errors.contains("nothing was written to \(output)"), "\(exporting.said)")
    #expect(try drafts().isEmpty && !FileManager.default.fileExists(atPath: output))
  }

  @Test("a narrow terminal shows the URL and lets other columns go")
  func narrow() {
    var table = TextTable(heads: ["id", "time", "by", "url"])
    table.spare = ["by", "time"]
    table.rows = [["17", "07:00:13.000", "network", "http://a.example/日本語/17"]]
    #expect(table.lines(width: 80)[1] == "17  07:00:13.000  network  http://a.example/日本語/17")
    #expect(table.lines(width: 44)[1] == "17  07:00:13.000  http://a.example/日本語/17")
    #expect(table.lines(width: 30)[1] == "17  http://a.example/日本語/17")
    #expect(table.lines(width: 20)[1] == "17  http://a.exampl…")
    #expect(table.lines(width: nil) == ["17\t07:00:13.000\tnetwork\thttp://a.example/日本語/17"])
  }

  @Test("exported Swift tests typecheck against the library, whatever the traffic held")
  func swiftTests() async throws {
    _ = try await desk.run("import", try archive)
    let file = desk.folder.file("Recorded.swift")
    #expect(try await desk.run("export", "swift", "-o", file).exitStatus == 0)
    let build = BuiltProduct.folder
    let map = build.appendingPathComponent("CHookSessions.build/module.modulemap").path
    let check = try desk.start([
      "/bin/sh", "-c",
      """
      plugins="$(dirname "$(readlink -f "$(command -v swiftc)")")/../lib/swift/host/plugins/testing"
      exec swiftc -typecheck -swift-version 6 -warnings-as-errors -plugin-path "$plugins" "$@"
      """, "sh", "-I", build.appendingPathComponent("Modules").path, "-Xcc", "-fmodule-map-file=" + map,
      "-module-cache-path", desk.folder.file("modules"), file,
    ])
    #expect(try await check.end() == 0, "\(check.said)")
  }
}
