import Foundation
import PatchbayTestSupport
import Testing

@Suite(
  "patchbay attach: other users and other namespaces",
  .enabled(if: Ptrace.isAllowed, "ptrace is forbidden here"),
  .bounded)
final class AttachForeignTests: DeskSuite {
  private func wrapped(_ command: [String]) async throws -> (Guest, ChildProcess) {
    let guest = try await Guest(desk, server, wrapper: command)
    let console = try desk.start([
      BuiltProduct.path("patchbay"), "attach", "\(guest.pid)", "--headless", "--history", ":memory:",
    ])
    try await console.waitFor(errors: "attached to running-program")
    return (guest, console)
  }

  private func look(_ guest: Guest, _ console: ChildProcess) async throws {
    for kind in Guest.kinds { #expect(try await guest.load(kind, "/json?\(kind)").hasPrefix("\(kind) 200")) }
    for kind in Guest.kinds { try await console.waitFor(errors: "?\(kind)") }
    console.signal(SIGINT)
    try await console.end()
    #expect(try await guest.load("handler").hasPrefix("handler 200"))
    let again = try desk.start([
      BuiltProduct.path("patchbay"), "attach", "\(guest.pid)", "--headless", "--history", ":memory:",
    ])
    try await again.waitFor(errors: "again: the hook was in it")
    try await guest.load("handler", "/json?again")
    try await again.waitFor(errors: "?again")
    again.signal(SIGINT)
    try await again.end()
  }

  @Test(
    "a program in a mount namespace, where this user's runtime folder is another",
    .enabled(if: Ptrace.hasNamespaces, "no namespaces may be made here"))
  func namespace() async throws {
    let (guest, console) = try await wrapped([
      "/usr/bin/unshare", "-m", "/bin/sh", "-c", "mount -t tmpfs none \(desk.folder.file("run")) && exec \"$0\" \"$@\"",
    ])
    try await look(guest, console)
  }

  /// As in a container, or with `PrivateTmp` of systemd.
  @Test("a program that has a /tmp of its own", .enabled(if: Ptrace.hasNamespaces, "no namespaces may be made here"))
  func ownTemporaryFolder() async throws {
    let (guest, console) = try await wrapped([
      "/usr/bin/unshare", "-m", "/bin/sh", "-c", "mount -t tmpfs none /tmp && exec \"$0\" \"$@\"",
    ])
    try await look(guest, console)
  }

  @Test("root attaches to another user's program", .enabled(if: geteuid() == 0, "this is not root"))
  func otherUser() async throws {
    guard FileManager.default.isExecutableFile(atPath: "/usr/bin/setpriv") else { return }
    let (guest, console) = try await wrapped(["/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"])
    try await look(guest, console)
  }
}
