import Foundation
import PatchbayTestSupport
import Testing

@Suite("What commands read", .crowd, .bounded)
final class InputTests: DeskSuite {
  private static let stub =
    "patchbay: 1\nstubs:\n- name: tea\n  when: { path: /tea }\n  then: { respond: { status: 418 } }\n"

  @Test("comes from standard input, too")
  func standardInput() async throws {
    let file = try desk.folder.write(Self.stub, to: "tea.yaml")
    func piped(_ words: String...) async throws -> ChildProcess {
      let child = try desk.start(["/bin/sh", "-c", "\"$0\" \"$@\" < \(file)", BuiltProduct.path("patchbay")] + words)
      try await child.end()
      return child
    }
    #expect(try await piped("stubs", "check", "-").output == "1 stub, no mistakes.\n")
    #expect(try await piped("stubs", "explain", "--url", "http://a/tea", "-").output.hasPrefix("✓ tea"))
    let console = try await desk.listener()
    #expect(try await piped("stubs", "add", "-").output == "added 1 stub.\n")
    #expect(try await desk.asker().ask(server.url("/tea")) == "418 ")
    console.signal(SIGINT)
    try await console.end()
    let theme = try await piped("themes", "check", "-")
    #expect(theme.exitStatus == 1 && theme.errors.contains("standard input"), "\(theme.said)")
    let archive = try await piped("import", "-", "--history", desk.folder.file("h.sqlite"))
    #expect(archive.exitStatus == 1 && archive.errors.contains("standard input"), "\(archive.said)")
    let url = server.url("/tea").absoluteString
    let run = try await piped(
      "run", "--headless", "--history", ":memory:", "--stubs", "-", "--", BuiltProduct.path("plain-harness"),
      "requests",
      url, "1")
    #expect(run.errors.contains("418") && server.requests.isEmpty, "\(run.said)")
  }

  @Test("few files may be open: a console says so before it does anything", arguments: [9, 13, 18, 24])
  func fewDescriptors(limit: Int) async throws {
    let words = [BuiltProduct.path("patchbay"), "run", "--headless", "--history", ":memory:", "--", "/bin/true"]
    let run = try desk.start(
      ["/bin/sh", "-c", "exec 3<&- 4<&- 5<&- 6<&- 7<&- 8<&- 9<&-; ulimit -n \(limit); exec \"$0\" \"$@\""] + words)
    #expect(try await run.end() == 1)
    #expect(run.errors.contains("Only \(limit) files may be open (ulimit -n), and a console needs 24"), "\(run.said)")
  }

  @Test(
    "and from a pipe, which is not waited for without end",
    arguments: [
      ["stubs", "check"], ["themes", "check"], ["import"], ["listen", "--headless", "--for", "0ms", "--stubs"],
      ["listen", "--headless", "--for", "0ms", "--theme"], ["history", "--history"], ["export", "har", "--history"],
    ])
  func silentPipe(words: [String]) async throws {
    let pipe = desk.folder.file("pipe.yaml")
    #expect(mkfifo(pipe, 0o600) == 0)
    let child = try desk.start([BuiltProduct.path("patchbay")] + words + [pipe])
    #expect(try await child.end() == 1)
    #expect(child.errors.contains("pipe.yaml"), "\(child.said)")
    #expect(child.errors.contains("delivered nothing for 2 s") || child.errors.contains("no file"), "\(child.said)")
  }

  @Test("a pipe that delivers is read")
  func pipe() async throws {
    let pipe = desk.folder.file("pipe.yaml")
    #expect(mkfifo(pipe, 0o600) == 0)
    let check = try desk.start("stubs", "check", pipe)
    let writer = try #require(FileHandle(forWritingAtPath: pipe))
    try writer.write(contentsOf: Data(Self.stub.utf8))
    try writer.close()
    #expect(try await check.end() == 0)
    #expect(check.output == "1 stub, no mistakes.\n")
  }

  @Test("names of files are shown, never obeyed")
  func names() async throws {
    let name = "\u{1B}]52;c;eA\u{07}\u{9B}1m\u{202E}.yaml"
    for words in [
      ["themes", "check"], ["stubs", "check"], ["import"], ["themes", "show"], ["listen", "--headless", "--stubs"],
    ] {
      for path in [try desk.folder.write("name: x\nroles: {}\n", to: name), desk.folder.file("no" + name)] {
        let child = try desk.start([BuiltProduct.path("patchbay")] + words + [path])
        try await child.end()
        for sign in ["\u{1B}", "\u{07}", "\u{9B}", "\u{202E}"] {
          #expect(!child.output.contains(sign) && !child.errors.contains(sign), "\(words) \(child.said)")
        }
      }
    }
  }
}
