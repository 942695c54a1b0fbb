import CAttach
import Foundation
import PatchbayTestSupport
import Testing

/// A program that runs and has nothing of Patchbay in it: it makes a request when it is told to, by one of its sessions.
final class Guest: Sendable {
  let process: ChildProcess
  private let server: LoopbackServer

  var pid: pid_t { process.pid }

  /// Ready when all its sessions have been at work.
  init(
    _ desk: Desk, _ server: LoopbackServer, program: String = BuiltProduct.path("running-program"),
    wrapper: [String] = []
  ) async throws {
    self.server = server
    process = try desk.start(wrapper + [program, server.url("/json?before").absoluteString], input: .written)
    _ = try await process.waitFor(lines: 1)
  }

  /// One request by one of its sessions, and what the program says of it.
  @discardableResult
  func load(_ kind: String, _ path: String = "/json") async throws -> String {
    try await tell("\(kind) \(server.url(path).absoluteString)")
  }

  @discardableResult
  func tell(_ line: String, timeout: Duration = Patience.usual) async throws -> String {
    let before = process.lines.count
    process.send(line)
    return try await process.waitFor(lines: before + 1, timeout: timeout)[before]
  }

  static let kinds = ["shared", "handler", "delegate", "subclass", "fresh", "contents"]
}

extension Desk {
  /// `patchbay attach PID --headless …`, when it is attached.
  func attach(_ guest: Guest, _ arguments: String...) async throws -> ChildProcess {
    let console = try start(
      [BuiltProduct.path("patchbay"), "attach", "\(guest.pid)", "--headless", "--history", folder.file("h.sqlite")]
        + arguments)
    try await console.waitFor(errors: "attached to ")
    return console
  }
}

/// What attaching needs of the system; where it is not given the tests are skipped by name.
enum Ptrace {
  static let isAllowed = attach_is_allowed() == 0

  /// Mount namespaces of our own.
  static let hasNamespaces = Namespace.isPossible(["/usr/bin/unshare", "-m"])
}
