import Foundation
import PatchbayTestSupport
import Testing

@testable import PatchbayCLI
@testable import PatchbayConsole
@testable import PatchbayFiles
@testable import PatchbayInspect

/// What the manual and README show works as it stands there, with the real program.
@Suite("The manual's snippets", .bounded(180))
struct ManualSnippetTests {
  @Test("every command of the manual, of README and of each --help does what it says")
  func commands() async throws {
    let stage = try await Stage()
    let shown = try Snippet.all().filter { $0.language == "sh" }.flatMap { snippet in
      snippet.lines.filter { !$0.isEmpty }.map { (snippet.page, $0) }
    }
    let examples = Examples.all.map { ("--help", $0.line) }
    var seen: Set<String> = []
    for (page, line) in shown + examples where seen.insert(line).inserted {
      let (status, said) = try await stage.run(line)
      #expect(Self.statuses(line).contains(status), "\(page): \(line)\nended with \(status) and said:\n\(said)")
    }
    #expect(seen.count > 60)
  }

  /// What a line may end with: there is no process 4121, nothing is held, and nothing failed in the last ten minutes.
  private static func statuses(_ line: String) -> Set<Int32> {
    for part in [
      "attach --observe", "attach app", "detach", "hold continue", "hold drop", "hold respond", "hold fail",
      "stubs scenario session",
    ]
    where line.contains("patchbay \(part)") { return [1] }
    if line.contains("--exit-status") || line.hasPrefix("patchbay doctor") { return [0, 1] }
    // It needs a terminal.
    return line.hasPrefix("patchbay open") ? [1] : [0]
  }

  @Test("every stub, filter, config, theme and line of JSON can be read")
  func files() async throws {
    let stage = try await Stage(withConsole: false)
    var names: [String] = []
    for snippet in try Snippet.all() {
      switch (snippet.language, snippet.page) {
      case ("yaml", "Config.md"), ("yaml", "Keys.md"):
        _ = try ConfigFile.parse(
          snippet.text, path: "/config.yaml", commands: Binding.table.map(\.command.name),
          columns: RequestColumn.allCases.map(\.rawValue))
      case ("yaml", "Themes.md"):
        _ = try ThemeFile.parse(snippet.text, path: "t", roles: ThemeRole.allCases.map(\.name))
      case ("yaml", _):
        names.append("snippet-\(names.count).yaml")
        let text = snippet.text.hasPrefix("patchbay: 1") ? snippet.text : "patchbay: 1\nstubs:\n" + snippet.text
        try stage.put(text, names[names.count - 1])
      case ("filter", _): for line in snippet.lines { _ = try Filter(parsing: line) }
      case ("json", _):
        for line in snippet.lines {
          let exchange = try JSONLines.exchange(Data(line.utf8))
          #expect(JSONLines.line(exchange).hasPrefix(#"{"id":\#(exchange.id),"process""#))
          #expect(exchange.response?.status == 503 && exchange.stub == "orders down")
        }
      case ("swift", _), ("sh", _), ("text", _): break
      default: Issue.record("\(snippet.page): nothing tries a snippet of \(snippet.language)")
      }
    }
    #expect(names.count > 12)
    for name in names {
      let (status, said) = try await stage.run("patchbay stubs check \(name)")
      #expect(status == 0 && said.contains("no mistakes"), "\(name): \(said)")
    }
  }
}

/// A machine on which the manual's commands find what they name: a program, stub files, a history, a running console.
/// What a person would look at runs without a screen there, and for a moment only.
private final class Stage {
  private let desk: Desk
  private let server: LoopbackServer
  private var console: ChildProcess?
  private var count = 0

  init(withConsole: Bool = true) async throws {
    desk = try Desk()
    server = try LoopbackServer { $0.send(200, text: "[]") }
    try FileManager.default.createDirectory(atPath: desk.folder.file("bin"), withIntermediateDirectories: true)
    try program("patchbay", Self.patchbay.replacing("REAL", with: BuiltProduct.path("patchbay")))
    for name in ["sudo", "apt-get", "swift", "ssh", "jq", "man"] {
      try program(name, "if [ \(name) = jq ]; then cat > /dev/null; fi; if [ \(name) = ssh ]; then echo /home/ann; fi")
    }
    try program("curl", "cat session.har")
    try put("patchbay: 1\nstubs:\n\(Self.stubs)", "offline.yaml")
    try put(
      #"""
      {"log": {"version": "1.2", "creator": {"name": "a", "version": "1"}, "entries": [{
        "startedDateTime": "2026-11-21T12:00:00.000Z", "time": 5, "request": {"method": "GET",
        "url": "https://api.example.com/v1/orders", "httpVersion": "HTTP/1.1", "cookies": [], "headers": [],
        "queryString": [], "headersSize": -1, "bodySize": 0}, "response": {"status": 503, "statusText": "",
        "httpVersion": "HTTP/1.1", "cookies": [], "headers": [], "content": {"size": 2, "mimeType": "text/plain",
        "text": "no"}, "redirectURL": "", "headersSize": -1, "bodySize": 2}, "cache": {}, "timings": {"send": 1,
        "wait": 2, "receive": 2}}]}}
      """#, "session.har")
    for name in ["mocks", "mappings"] {
      try FileManager.default.createDirectory(
        atPath: desk.folder.file("files/\(name)"), withIntermediateDirectories: true)
    }
    try put("<p>hello</p>", "mocks/index.html")
    try put(
      #"{"request": {"method": "GET", "urlPath": "/v1/me"}, "response": {"jsonBody": {"name": "Ann"}}}"#,
      "mappings/me.json")
    try put(try Snippet.all().first { $0.page == "Themes.md" && $0.language == "yaml" }?.text ?? "", "mine.yaml")
    try put(
      "#!/bin/sh\nexec \(BuiltProduct.path("plain-harness")) requests http://127.0.0.1:\(server.port)/v1/books 2\n",
      "app")
    guard withConsole else { return }
    _ = try await run("patchbay import session.har --history other.sqlite && cp other.sqlite \(files)/")
    _ = try await run("patchbay import session.har")
    console = try await desk.listener(
      "--stubs", desk.folder.file("files/offline.yaml"), "--history", ":memory:")
  }

  deinit {
    console?.signal(SIGTERM)
    server.stop()
  }

  /// What each line finds in its folder.
  private var files: String { desk.folder.file("files") }

  func put(_ text: String, _ name: String) throws {
    try FileManager.default.createDirectory(atPath: files, withIntermediateDirectories: true)
    try desk.folder.write(text, to: "files/\(name)")
    chmod(desk.folder.file("files/\(name)"), 0o755)
  }

  private func program(_ name: String, _ script: String) throws {
    try desk.folder.write("#!/bin/sh\n\(script)\n", to: "bin/\(name)")
    chmod(desk.folder.file("bin/\(name)"), 0o755)
  }

  /// Runs a line as a shell does, in a folder of its own; returns its status and what it said.
  func run(_ line: String) async throws -> (Int32, String) {
    count += 1
    let folder = desk.folder.file("work/\(count)")
    try FileManager.default.copyItem(atPath: files, toPath: folder)
    try FileManager.default.createDirectory(atPath: folder + "/.build/release", withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      atPath: folder + "/.build/release/patchbay", withDestinationPath: desk.folder.file("bin/patchbay"))
    if line.hasPrefix("patchbay uninstall") { _ = try await shell("patchbay install --prefix ./here", folder) }
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let isRun = line.hasPrefix("patchbay run")
    return try await shell(isRun ? line : line.replacing(/--(for|until-idle) \w+/) { "--\($0.1) 200ms" }, folder)
  }

  private func shell(_ line: String, _ folder: String) async throws -> (Int32, String) {
    let child = try desk.start(
      ["/bin/sh", "-c", "cd '\(folder)' && \(line)"],
      environment: ["PATH": desk.folder.file("bin") + ":/usr/bin:/bin", "XDG_RUNTIME_DIR": desk.folder.file("run")])
    let status = try await child.end()
    return (status, child.said)
  }

  /// `patchbay` without a terminal.
  private static let patchbay = """
    real=REAL
    command=$1
    case "$command" in
    run|demo|listen)
      shift
      own=; brief=
      [ "$command" = listen ] && own="--socket $PWD/own.sock"
      [ "$command" = run ] || brief="--for 200ms"
      case " $* " in *" --headless "*) ;; *) set -- --headless "$@";; esac
      case " $* " in *" --for "*|*" --help "*) brief=;; esac
      exec "$real" "$command" $own $brief "$@";;
    log)
      timeout 0.4 "$real" "$@"; status=$?
      [ $status = 124 ] && status=0
      exit $status;;
    *) exec "$real" "$@";;
    esac
    """

  private static let stubs = """
    - name: maintenance
      when: { method: GET, path: "/v1/*" }
      then: { respond: { status: 200 } }
    - name: orders gone
      when: { path: /v1/gone }
      then: { respond: { status: 404 } }
    - name: after signing in
      scenario: { name: session, in: signed in }
      when: { path: /v1/me }
      then: { respond: { status: 200 } }

    """
}
