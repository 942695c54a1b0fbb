import ArgumentParser
import Dispatch
import Foundation
import PatchbayDemo
import PatchbayLaunch
import PatchbayRuntime
import PatchbayServer
import PatchbayStubs
import PatchbaySystem

/// `patchbay demo`
struct DemoCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "demo", abstract: "Try Patchbay on a sample program and a server on loopback.")

  @OptionGroup var console: ConsoleArguments

  func run() async throws {
    let options = console.options
    let server = try await DemoServer.start()
    let stubs = try DemoStubFile(folders: PrivateFolders())
    defer { stubs.remove() }
    // Without a screen, a stub goes on half-way to the end that was asked for.
    let half = options.headless ? options.duration.map { $0 / 2 } : nil
    let port = server.port
    let start = ConsoleStart(mode: .demo, options: options, extraStubs: options.stubs.isEmpty ? [stubs.path] : [])
    let status = try await start.run(act: { try await Self.act($0, port: port, half: half) })
    await server.stop()
    try ExitCode.end(with: status)
  }

  /// Keeps the demo's harness running until it is cancelled.
  @Sendable
  private static func act(_ bench: Workbench, port: Int, half: Duration?) async throws {
    let harness = try DemoProcess(port: port, socket: bench.plan.socket)
    defer { harness.end() }
    if let half {
      try await Task.sleep(for: half)
      try await DemoToggle.turnOn(bench)
    }
    while true { try await Task.sleep(for: .seconds(3_600)) }
  }
}

/// `patchbay demo-harness`: the demo's other process.
struct DemoHarnessCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(commandName: "demo-harness", shouldDisplay: false)

  @Option var port: Int

  func run() async throws {
    DemoHarness.attach()
    ParentWatch.exitAtEndOfInput()
    await DemoHarness(port: port).run()
  }
}

/// The demo's harness as a process of its own: this same binary with a hidden subcommand. It ends with us, because
/// its standard input does.
final class DemoProcess: Sendable {
  /// The harness lives as long as this end is open.
  private let lifeline: FileHandle

  init(port: Int, socket: String) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    process.arguments = ["demo-harness", "--port", String(port)]
    process.environment = Self.environment(ProcessInfo.processInfo.environment, socket: socket)
    let pipe = Pipe()
    process.standardInput = pipe
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    lifeline = pipe.fileHandleForWriting
    do {
      try process.run()
    } catch {
      throw RuntimeError(
        "The demo's harness cannot be started (\(error)): look whether the file of patchbay has moved.")
    }
  }

  /// Ours without its proxies, which are not for the demo's server on loopback.
  static func environment(_ own: [String: String], socket: String) -> [String: String] {
    own.filter { !$0.key.lowercased().hasSuffix("_proxy") }.merging(["PATCHBAY_SOCKET": socket]) { $1 }
  }

  func end() { try? lifeline.close() }
}

/// The demo's stub file, in the runtime folder for as long as the demo runs.
struct DemoStubFile {
  let path: String

  init(folders: PrivateFolders) throws {
    path = try folders.runtime() + "/demo-\(getpid()).yaml"
    do {
      try OutputFile.write(DemoStubs.yaml.utf8, to: path)
    } catch {
      throw RuntimeError("\(path) cannot be written (\(error.reason)): look whether the disk is full.")
    }
  }

  func remove() { try? FileManager.default.removeItem(atPath: path) }
}

/// What the demo without a screen does half-way, so that the difference is seen.
enum DemoToggle {
  static func turnOn(_ bench: Workbench) async throws {
    let name = DemoStubs.headlessToggle
    guard bench.server.board[name] != nil else { return }
    StandardError.say("turning the stub “\(name)” on.")
    let revision = try bench.server.edit(by: .console) { board in
      board = try board.apply(.setEnabled(name: name, true))
    }.revision
    _ = await bench.server.awaitAcknowledged(revision)
  }
}

/// Ends this process when the other end of its standard input is closed: when the console has ended, however it did.
enum ParentWatch {
  static func exitAtEndOfInput() {
    Thread.detachNewThread {
      var byte: UInt8 = 0
      while read(STDIN_FILENO, &byte, 1) > 0 || errno == EINTR {}
      exit(0)
    }
  }
}
