import Foundation
import PatchbayTestSupport
import Testing

@Suite("A command that ends before what it has started", .crowd, .bounded)
final class LeftRunningTests: DeskSuite {
  /// Both ends of the pipe that the program reads, which ends when they are closed.
  private let pipe: Int32

  init() throws {
    let desk = try Desk()
    mkfifo(desk.work + "/in", 0o600)
    pipe = open(desk.work + "/in", O_RDWR | O_CLOEXEC)
    try super.init(desk: desk)
  }

  deinit { close(pipe) }

  private func start() throws -> ChildProcess {
    let script = """
      '\(BuiltProduct.path("plain-harness"))' ask-when-told < in > out & echo $!
      while ! test -e go; do sleep 0.02; done; exit 4
      """
    return try desk.start("run", "--headless", "--", "/bin/sh", "-c", script)
  }

  private func end(_ run: ChildProcess) async throws -> String {
    try Data().write(to: URL(fileURLWithPath: desk.work + "/go"))
    #expect(try await run.end() == 4)
    let program = try #require(run.lines.first.flatMap { pid_t($0) })
    // It may be about to make its folders, so that the desk is not cleared before it has gone.
    kill(program, SIGKILL)
    try await eventually("its end") { !Processes.isRunning(program) }
    return "plain-harness (\(program))"
  }

  @Test("is told which program runs on, where nothing has linked")
  func unlinked() async throws {
    let run = try start()
    let text = try await run.waitFor(lines: 1)[0]
    let program = try #require(pid_t(text))
    try await eventually("the program") {
      (try? String(contentsOfFile: "/proc/\(program)/comm", encoding: .utf8)) == "plain-harness\n"
    }
    let name = try await end(run)
    #expect(run.errors.contains("Nothing linked before /bin/sh ended, which left \(name) running"), "\(run.said)")
    #expect(run.errors.split(separator: "\n").count == 1)
  }

  @Test("is told which program runs on, where it has linked")
  func linked() async throws {
    let run = try start()
    let line = Array("GET \(server.url("/json").absoluteString)\n".utf8)
    #expect(write(pipe, line, line.count) == line.count)
    try await run.waitFor(errors: "/json")
    let name = try await end(run)
    #expect(run.errors.contains("/bin/sh ended and left \(name) running, unseen from now on"), "\(run.said)")
    #expect(run.errors.split(separator: "\n").count == 2)
  }
}
