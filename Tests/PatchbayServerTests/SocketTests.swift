import Foundation
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayServer

@Suite(.bounded) struct SocketTests {
  private func start(_ path: String, control: String? = nil) async throws -> ConsoleServer {
    let server = ConsoleServer(configuration: ServerConfiguration(socket: path, controlSocket: control))
    try await server.start()
    return server
  }

  private func mode(_ path: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
  }

  @Test func socketsAreOursAlone() async throws {
    let console = try TestConsole()
    try await console.server.start()
    #expect(try mode(console.socket) == 0o600)
    #expect(try mode(console.control) == 0o600)
    #expect(try mode(console.socket + ".lock") == 0o600)
    await console.server.stop()
    #expect(try FileManager.default.contentsOfDirectory(atPath: console.folder.path).isEmpty)
  }

  @Test func aLongPathIsRefusedWithItsLength() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file(String(repeating: "x", count: 120))
    let error = await #expect(throws: ServerError.self) { _ = try await start(path) }
    #expect(error?.description.contains("\(path.utf8.count) bytes") == true)
    #expect(error?.description.contains("--socket") == true)
    // The control socket's path is longer than the harness socket's.
    let rest = UnixAddress.pathLimit - folder.path.utf8.count - 1
    let fitting = folder.file(String(repeating: "y", count: rest))
    await #expect(throws: ServerError.self) { _ = try await start(fitting, control: fitting + ".control") }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    let server = try await start(fitting)
    #expect(UnixAddress.isListening(fitting))
    await server.stop()
  }

  @Test func aMissingFolderIsNamed() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("none/s.sock")
    await #expect(throws: ServerError.noFolder(path: path, folder: folder.file("none"))) { _ = try await start(path) }
  }

  @Test(.enabled(if: geteuid() != 0, "root may write everywhere"))
  func aFolderWithoutPermissionIsNamed() async throws {
    let folder = try TemporaryFolder()
    chmod(folder.path, 0o500)
    defer { chmod(folder.path, 0o700) }
    let path = folder.file("s.sock")
    await #expect(throws: ServerError.folderNotWritable(path: path, folder: folder.path)) { _ = try await start(path) }
  }

  @Test func aReadOnlyFileSystemIsNamed() async throws {
    let path = "/proc/self/s.sock"
    let error = await #expect(throws: ServerError.self) { _ = try await start(path) }
    #expect(error?.description.contains(path) == true)
  }

  @Test func aSecondConsoleIsRefusedAndTheFirstGoesOn() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("s.sock")
    let first = try await start(path)
    await #expect(throws: ServerError.otherConsole(path: path)) { _ = try await start(path) }
    let hook = try await FakeHook.link(path)
    try await eventually { !hook.pushes.isEmpty }
    await first.stop()
    let second = try await start(path)
    await second.stop()
  }

  /// What SIGKILL leaves: a socket file that nobody listens on, and a lock file that nobody holds.
  @Test func aStaleSocketIsTakenOver() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("s.sock")
    let stale = try OwnedSocket(path: path)
    close(stale.descriptor)
    try Data().write(to: URL(fileURLWithPath: path + ".lock"))
    let server = try await start(path)
    let hook = try await FakeHook.link(path)
    try await eventually { !hook.pushes.isEmpty }
    await server.stop()
  }

  @Test func aForeignListenerIsNotDisturbed() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("s.sock")
    let foreign = try OwnedSocket(path: path)
    defer { close(foreign.descriptor) }
    #expect(listen(foreign.descriptor, 4) == 0)
    await #expect(throws: ServerError.otherConsole(path: path)) { _ = try await start(path) }
    #expect(FileManager.default.fileExists(atPath: path))
    #expect(!FileManager.default.fileExists(atPath: path + ".lock"))
  }

  @Test func aFileThatIsNoSocketIsLeftAlone() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("s.sock")
    try "precious".write(toFile: path, atomically: true, encoding: .utf8)
    await #expect(throws: ServerError.notASocket(path: path)) { _ = try await start(path) }
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "precious")
  }

  /// Many consoles that start at the same moment: one gets the socket.
  @Test func aRaceHasOneWinner() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("s.sock")
    let stale = try OwnedSocket(path: path)
    close(stale.descriptor)
    let winners = await withTaskGroup(of: ConsoleServer?.self) { group in
      for _ in 0..<8 { group.addTask { try? await start(path) } }
      return await group.reduce(into: [ConsoleServer]()) { if let server = $1 { $0.append(server) } }
    }
    #expect(winners.count == 1)
    let hook = try await FakeHook.link(path)
    try await eventually { !hook.pushes.isEmpty }
    for winner in winners { await winner.stop() }
  }

  @Test func stoppingLeavesTheSocketOfASuccessor() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("s.sock")
    let server = try await start(path)
    unlink(path)
    try "another's".write(toFile: path, atomically: true, encoding: .utf8)
    await server.stop()
    #expect(FileManager.default.fileExists(atPath: path))
  }

  @Test func aConsoleWhoseSocketLiesElsewhereIsFoundByItsLink() async throws {
    let folder = try TemporaryFolder()
    try await TestConsole.run { console in
      let link = try #require(ControlSocketLink(in: folder.path, to: console.control, process: 4_711))
      #expect(ControlClient.consoles(in: folder.path) == [console.socket])
      // The link of a console that had the same process number gives way.
      #expect(ControlSocketLink(in: folder.path, to: console.control, process: 4_711) != nil)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["named-4711.sock.control"])
      link.remove()
      #expect(ControlClient.consoles(in: folder.path).isEmpty)
      #expect(FileManager.default.fileExists(atPath: console.control))
    }
    // In its own folder it is found anyway.
    #expect(ControlSocketLink(in: folder.path, to: folder.file("s.sock.control")) == nil)
    #expect(ControlSocketLink(in: folder.file("none"), to: folder.file("s.sock.control")) == nil)
  }
}
