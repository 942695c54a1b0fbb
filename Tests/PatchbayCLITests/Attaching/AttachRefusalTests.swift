import Foundation
import PatchbayTestSupport
import Testing

@Suite("patchbay attach: what it refuses", .crowd, .bounded)
final class AttachRefusalTests: DeskSuite {
  /// The sentence with which it ends, with status 1, and nothing else.
  private func refusal(_ program: String) async throws -> String {
    let refused = try await desk.run("attach", program, "--headless", "--history", ":memory:")
    #expect(refused.exitStatus == 1, "\(refused.said)")
    #expect(refused.outputBytes.isEmpty && refused.errors.hasPrefix("patchbay: "), "\(refused.said)")
    return refused.errors
  }

  @Test("a number and a name that nobody has")
  func nobody() async throws {
    #expect(try await refusal("4194303").contains("No program has the number 4194303."))
    #expect(
      try await refusal("no-such-program-\(getpid())").contains("No program is called no-such-program-\(getpid())."))
    let bare = try await desk.run("attach")
    #expect(bare.exitStatus == 64 && bare.errors.contains("patchbay attach --list"))
    let blank = try await desk.run("attach", " ")
    #expect(blank.exitStatus == 64 && blank.errors.contains("patchbay attach --list"))
    #expect(try await refusal("99999999999").contains("No program has the number 99999999999."))
  }

  @Test("what is no Swift program, a thread of the kernel, what has ended, what stands")
  func kinds() async throws {
    let shell = try desk.start(["/bin/sleep", "60"])
    #expect(try await refusal("\(shell.pid)").contains("is not a Swift program"))
    shell.signal(SIGSTOP)
    try await eventually("its standstill") { Processes.isStopped(shell.pid) }
    #expect(try await refusal("\(shell.pid)").contains("kill -CONT \(shell.pid)"))
    kill(shell.pid, SIGKILL)
    try await eventually("its end") { !Processes.isRunning(shell.pid) }
    #expect(try await refusal("\(shell.pid)").contains("has ended"))
    if FileManager.default.fileExists(atPath: "/proc/2/status"), Processes.arguments(of: 2).isEmpty,
      (try? String(contentsOfFile: "/proc/2/comm", encoding: .utf8))?.hasPrefix("kthreadd") == true
    {
      #expect(try await refusal("2").contains("is a thread of the kernel"))
    }
  }

  @Test("a program that links Patchbay, or that run has started, is linked, and nothing is brought in")
  func linked() async throws {
    let asker = try desk.asker()
    let images = Processes.images(of: asker.pid)
    let console = try desk.start(
      [BuiltProduct.path("patchbay"), "attach", "\(asker.pid)", "--headless", "--history", ":memory:"])
    try await console.waitFor(errors: "is linked: Patchbay is part of it")
    #expect(try await asker.ask(server.url("/json?linked")).hasPrefix("200"))
    try await console.waitFor(errors: "?linked")
    #expect(!Processes.images(of: asker.pid).subtracting(images).contains { $0.contains("libPatchbay") })
    #expect(try await refusal("\(asker.pid)").contains("is linked already"))
    console.signal(SIGINT)
    try await console.end()
    // Its console runs.
    let run = try desk.start(
      [
        BuiltProduct.path("patchbay"), "run", "--headless", "--history", ":memory:", "--",
        BuiltProduct.path("plain-harness"), "ask",
      ],
      input: .written)
    run.send("GET \(server.url("/json?run").absoluteString)")
    try await run.waitFor(errors: "?run")
    let program = try #require(Processes.descendants(of: run.pid).first { Processes.arguments(of: $0).last == "ask" })
    #expect(try await refusal("\(program)").contains("was started by patchbay run"))
    run.endInput()
    try await run.end()
  }

  private static let hasCapability =
    (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8))?
    .split(separator: "\n").first { $0.hasPrefix("CapEff:") }
    .flatMap { UInt64($0.dropFirst(7).drop(while: \.isWhitespace), radix: 16) }.map { $0 >> 19 & 1 == 1 } ?? false

  @Test(
    "one that has rights which root lacks in a container",
    .enabled(
      if: geteuid() == 0 && hasCapability && FileManager.default.isExecutableFile(atPath: "/usr/bin/setpriv"),
      "CAP_SYS_PTRACE cannot be given away here"))
  func lacksCapability() async throws {
    let guest = try await Guest(desk, server)
    let refused = try desk.start([
      "/usr/bin/setpriv", "--bounding-set=-sys_ptrace", "--inh-caps=-sys_ptrace", BuiltProduct.path("patchbay"),
      "attach",
      "\(guest.pid)", "--headless", "--history", ":memory:",
    ])
    try await refused.end()
    #expect(refused.exitStatus == 1 && refused.errors.contains("CAP_SYS_PTRACE"), "\(refused.said)")
  }

  @Test("one that is debugged already", .enabled(if: Ptrace.isAllowed, "ptrace is forbidden here"))
  func debugged() async throws {
    guard FileManager.default.isExecutableFile(atPath: "/usr/bin/gdb") else { return }
    let guest = try await Guest(desk, server)
    let debugger = try desk.start(["/usr/bin/gdb", "-nx", "-batch", "-p", "\(guest.pid)", "-ex", "shell sleep 20"])
    try await eventually("the debugger") {
      let status = try String(contentsOfFile: "/proc/\(guest.pid)/status", encoding: .utf8)
      return !status.contains("TracerPid:\t0")
    }
    let refused = try await refusal("\(guest.pid)")
    #expect(refused.contains("is being debugged by process"))
    kill(-debugger.pid, SIGKILL)
  }
}
