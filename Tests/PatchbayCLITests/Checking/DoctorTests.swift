import Foundation
import PatchbayTestSupport
import Testing

@Suite("patchbay doctor", .crowd, .bounded)
struct DoctorTests {
  let desk: Desk

  init() throws { desk = try Desk() }

  private func line(_ topic: String, _ changes: [String: String?], _ arguments: String...) async throws -> String {
    let doctor = try desk.start(
      [BuiltProduct.path("patchbay"), "doctor"] + arguments, environment: changes)
    try await doctor.end()
    #expect(doctor.errors.isEmpty, "\(doctor.said)")
    let lines = doctor.lines.filter { $0.dropFirst(2).hasPrefix(topic) }
    #expect(lines.count == 1, "\(doctor.said)")
    #expect((doctor.exitStatus == 0) == !doctor.output.contains("✗"), "\(doctor.said)")
    return lines.first ?? ""
  }

  @Test("where all is well it says so, and ends with 0")
  func well() async throws {
    let settings = ["TERM": "xterm-256color", "LANG": "C.UTF-8", "LC_ALL": nil, "NO_COLOR": nil]
    for topic in ["locale", "sockets", "config", "history", "hook", "runtime"] {
      #expect(try await line(topic, settings).hasPrefix("✓"), "\(topic)")
    }
  }

  @Test("whether programs may be attached to is said, with the way out")
  func attaching() async throws {
    let said = try await line("attach", ["TERM": "xterm-256color"])
    #expect(said.hasPrefix("✓") || said.contains("patchbay run") || said.contains("sudo"), "\(said)")
    #expect(said.hasPrefix("✓") || !Ptrace.isAllowed || said.contains("ptrace_scope"), "\(said)")
  }

  @Test(
    "the terminal's type is checked, and a better one named",
    arguments: ["dumb", "no-such-terminal", ""])
  func terminal(type: String) async throws {
    let line = try await line("terminal", ["TERM": type])
    #expect(line.hasPrefix("✗") && line.contains("TERM=xterm-256color"), "\(line)")
  }

  @Test("where standard output is no terminal it is told that only --headless would work")
  func piped() async throws {
    let line = try await line("terminal", ["TERM": "xterm-256color"])
    #expect(line.hasPrefix("·") && line.contains("only --headless"), "\(line)")
  }

  @Test("a locale that is not UTF-8, not installed or not set is told", arguments: ["C", "xx_YY.UTF-8", ""])
  func locale(name: String) async throws {
    let line = try await line("locale", ["LC_ALL": name, "LANG": nil, "LC_CTYPE": nil])
    #expect(line.hasPrefix("·") && line.contains("export LANG=C.UTF-8"), "\(line)")
  }

  @Test("NO_COLOR is told")
  func colours() async throws {
    #expect(try await line("colours", ["NO_COLOR": "1", "TERM": "xterm"]).contains("NO_COLOR"))
  }

  @Test("a config file with a mistake is told with its place")
  func config() async throws {
    try FileManager.default.createDirectory(
      atPath: desk.folder.file("config/patchbay"), withIntermediateDirectories: true)
    _ = try desk.folder.write("them: dark\n", to: "config/patchbay/config.yaml")
    let line = try await line("config", [:])
    #expect(line.hasPrefix("✗") && line.contains("config.yaml:1:1") && line.contains("theme"), "\(line)")
  }

  @Test(
    "what a console would refuse in a config file, or not find, is told",
    arguments: [
      ("keys: {nosuch: q}\n", "1:8: there is no command nosuch"), ("keys:\n  quit: j\n", "2:3"),
      ("theme: nope\n", "1:8: There is no theme nope"), ("columns: [pth]\n", "1:11: there is no column `pth`"),
      ("filter: 'hots:a'\n", "1:9: `filter` “hots:a” cannot be read at column 1"),
      ("keys: {nosuch: q}\nmouse: 7\n", "2:8"), ("stubs: none.yaml\n", "none.yaml: cannot be read: No such file"),
    ])
  func configOfAConsole(text: String, told: String) async throws {
    try FileManager.default.createDirectory(
      atPath: desk.folder.file("config/patchbay"), withIntermediateDirectories: true)
    _ = try desk.folder.write(text, to: "config/patchbay/config.yaml")
    let line = try await line("config", [:])
    #expect(line.hasPrefix("✗") && line.contains(told), "\(line)")
    #expect(!line.contains(".;"), "\(line)")
  }

  @Test("a binary without its libraries beside it is told")
  func alone() async throws {
    let copy = desk.folder.file("patchbay")
    // By a process of its own: a child that is started meanwhile would keep a file open for writing that we copy to, and
    // such a one cannot be run.
    #expect(try await desk.start(["/bin/cp", BuiltProduct.path("patchbay"), copy]).end() == 0)
    let doctor = try desk.start([copy, "doctor"])
    #expect(try await doctor.end() == 1)
    #expect(doctor.lines.contains { $0.hasPrefix("✗ hook") && $0.contains("patchbay install") }, "\(doctor.said)")
  }

  @Test("another toolchain than the hook's is told")
  func runtime() async throws {
    let bin = desk.folder.file("usr/bin")
    let libraries = desk.folder.file("usr/lib/swift/linux")
    for folder in [bin, libraries] {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }
    let compiler = try desk.folder.write("#!/bin/sh\n", to: "usr/bin/swiftc")
    chmod(compiler, 0o755)
    // Some library with a build id of its own stands for another build of the runtime.
    try FileManager.default.copyItem(
      atPath: BuiltProduct.path("libPatchbayHook.so"), toPath: libraries + "/libswiftCore.so")
    let line = try await line("runtime", ["PATH": "\(bin):/usr/bin:/bin"])
    #expect(line.hasPrefix("✗") && line.contains(compiler), "\(line)")
  }

  @Test("a program is judged", arguments: [("plain-harness", "✓"), ("/bin/ls", "·"), ("/no/such/file", "✗")])
  func program(name: String, sign: String) async throws {
    let path = name.hasPrefix("/") ? name : BuiltProduct.path(name)
    #expect(try await line("program", [:], "--program", path).hasPrefix(sign))
  }
}
