import Foundation
import PatchbayTestSupport
import Testing

@Suite("E edits a stub in the person's editor", .alone, .bounded)
struct EditorTests {
  let desk: Desk

  init() throws { desk = try Desk() }

  /// A console on its stubs whose editor, in a folder with a blank in its name, does what the lines say: the first
  /// line at its first start and so on; `$f` is the file.
  private func console(_ doings: String...) async throws -> PtySession {
    let folder = desk.folder.file("my editors")
    for made in [folder, desk.folder.file("tmp")] {
      try FileManager.default.createDirectory(atPath: made, withIntermediateDirectories: true)
    }
    let count = desk.folder.file("count")
    let cases = doings.enumerated().map { "\($0 + 1)) \($1) ;;" }.joined(separator: "\n")
    let script = """
      #!/bin/sh
      test "$1" = --wait || exit 9
      f=$2
      echo x >> '\(count)'
      case $(grep -c x '\(count)') in
      \(cases)
      esac
      """
    try Data(script.utf8).write(to: URL(fileURLWithPath: folder + "/edit"))
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder + "/edit")
    let console = try desk.console(
      "demo", columns: 120, rows: 40,
      environment: ["VISUAL": "'\(folder)/edit' --wait", "EDITOR": "false", "TMPDIR": desk.folder.file("tmp")])
    try console.send("2")
    try await console.waitFor(row: "○", "maintenance")
    return console
  }

  @Test("a mistake is told, and the text goes back to the editor as it was written")
  func mistake() async throws {
    let console = try await console(
      #"sed -i "s/status: 503/statu: 507/" "$f""#, #"sed -i "s/statu:/status:/" "$f""#)
    try console.send("E")
    try await console.waitFor(row: "unknown key `statu`")
    try await console.waitFor(row: "Back to the editor")
    try console.send("e")
    try await console.waitFor(row: "maintenance", "507")
  }

  /// One that leaves a server behind, as some do, would keep the console's sockets open for as long as that runs.
  @Test("the editor has none of the console's descriptors")
  func descriptors() async throws {
    let said = desk.folder.file("descriptors")
    let console = try await console("ls -l /proc/$$/fd > '\(said).part'; mv '\(said).part' '\(said)'")
    try console.send("E")
    try await eventually("what the editor has") { FileManager.default.fileExists(atPath: said) }
    try await console.waitFor(row: "○", "maintenance")
    let list = try String(contentsOfFile: said, encoding: .utf8)
    #expect(list.contains("/dev/pts/"))
    for kind in ["socket:", "eventpoll", "pipe:", "/dev/ptmx"] { #expect(!list.contains(kind), "\(list)") }
  }

  @Test("an editor that fails over what was written before loses nothing of it")
  func failure() async throws {
    let console = try await console(
      #"sed -i "s/status: 503/statu: 507/" "$f""#, "exit 3", "kill -9 $$", #"sed -i "s/statu:/status:/" "$f""#)
    try console.send("E")
    try await console.waitFor(row: "unknown key `statu`")
    try console.send("e")
    try await console.waitFor(row: "ended with status 3")
    try console.send("e")
    try await console.waitFor(row: "ended by signal 9")
    try console.send("e")
    try await console.waitFor(row: "maintenance", "507")
  }

  @Test("byte order marks, line ends of Windows and UTF-16 come back intact; what is no text is not taken")
  func encodings() async throws {
    let console = try await console(
      #"{ printf '\357\273\277'; sed 's/status: 503/status: 507/; s/$/\r/' "$f"; } > "$f.x"; mv "$f.x" "$f""#,
      #"sed 's/status: 507/status: 508/' "$f" | iconv -t UTF-16 > "$f.x"; mv "$f.x" "$f""#, #"printf '\377' >> "$f""#)
    for status in ["507", "508"] {
      try console.send("E")
      try await console.waitFor(row: "maintenance", status)
    }
    try console.send("E")
    try await console.waitFor(row: "is not UTF-8 text")
    try await console.waitFor(row: "maintenance", "508")
  }

  @Test("what an editor wrote before it failed stays in its file, which is named")
  func keptFile() async throws {
    let console = try await console(#"echo mine >> "$f"; exit 4"#)
    try console.send("E")
    try await console.waitFor(row: "ended with status 4")
    let temporary = try FileManager.default.contentsOfDirectory(atPath: desk.folder.file("tmp"))
    let kept = try #require(temporary.first { $0.hasPrefix("patchbay-") && $0.hasSuffix(".yaml") })
    #expect(try String(contentsOfFile: desk.folder.file("tmp/" + kept), encoding: .utf8).hasSuffix("mine\n"))
  }

  @Test("an editor that is not there is named, whether a shell was to start it or not")
  func missing() async throws {
    for editor in ["/no/such/editor --wait", "'/no/such editor' --wait"] {
      let console = try desk.console("demo", columns: 120, rows: 40, environment: ["VISUAL": editor])
      try console.send("2")
      try await console.waitFor(row: "○", "maintenance")
      try console.send("E")
      try await console.waitFor(row: "/no/such", "cannot be started")
    }
  }
}
