import Foundation
import PatchbayTestSupport
import Testing

/// A person's desk for one test: folders of its own for sockets, history and config, and the programs on it.
struct Desk: Sendable {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    for name in ["run", "state", "config", "work"] {
      try FileManager.default.createDirectory(
        atPath: folder.file(name), withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }
  }

  /// Where `listen` waits and programs look by themselves.
  var defaultSocket: String { folder.file("run/patchbay/default.sock") }
  /// The working directory of what is started.
  var work: String { folder.file("work") }

  func environment(_ changes: [String: String?] = [:]) -> [String: String] {
    let folders: [String: String?] = [
      "XDG_RUNTIME_DIR": folder.file("run"), "XDG_STATE_HOME": folder.file("state"),
      "XDG_CONFIG_HOME": folder.file("config"), "HOME": folder.path, "TZ": "UTC",
    ]
    return PtySession.environment(folders.merging(changes) { $1 })
  }

  /// `patchbay ARGUMENTS` in a terminal.
  func console(
    _ arguments: String..., columns: Int = 100, rows: Int = 30, environment: [String: String?] = [:],
    redirect: [Int32: String] = [:]
  ) throws -> PtySession {
    try PtySession(
      [BuiltProduct.path("patchbay")] + arguments, environment: self.environment(environment), columns: columns,
      rows: rows, folder: work, redirect: redirect)
  }

  /// `patchbay ARGUMENTS` without a terminal.
  func start(
    _ arguments: String..., environment: [String: String?] = [:], input: TestProgram.Input = .nothing
  ) throws -> ChildProcess {
    try start([BuiltProduct.path("patchbay")] + arguments, environment: environment, input: input)
  }

  func start(
    _ command: [String], environment: [String: String?] = [:], input: TestProgram.Input = .nothing
  ) throws -> ChildProcess {
    try ChildProcess(command, environment: self.environment(environment), input: input, folder: work)
  }

  /// `patchbay ARGUMENTS` to its end.
  func run(_ arguments: String..., environment: [String: String?] = [:]) async throws -> ChildProcess {
    let child = try start([BuiltProduct.path("patchbay")] + arguments, environment: environment)
    try await child.end()
    return child
  }

  /// `patchbay listen --headless` on the default socket, when it waits for programs.
  func listener(_ arguments: String...) async throws -> ChildProcess {
    try await listener(arguments)
  }

  func listener(_ arguments: [String]) async throws -> ChildProcess {
    let child = try start([BuiltProduct.path("patchbay"), "listen", "--headless"] + arguments)
    try await child.waitFor(errors: "waiting for programs")
    return child
  }

  /// Waits until each linked program goes by what was changed on the console's screen, which says so a moment before, as
  /// it does of the link itself: putting the counters back is a change too, and what comes after the others.
  func settled() async throws {
    let reset = try await run("stubs", "reset")
    #expect(reset.exitStatus == 0, "\(reset.said)")
  }

  /// A program that links Patchbay, attaches to the default socket, and asks what it is told to.
  func asker(environment: [String: String?] = [:]) throws -> Asker {
    Asker(try start([BuiltProduct.path("attached-harness"), "ask"], environment: environment, input: .written))
  }
}
