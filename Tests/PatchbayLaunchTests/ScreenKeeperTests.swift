import Foundation
import PatchbayTestSupport
import Testing

@testable import PatchbayLaunch

/// What puts the terminal back when its console is killed. Closing the leash is what the kernel does then.
@Suite(.bounded) struct ScreenKeeperTests {
  private let master: Int32, slave: Int32

  init() throws {
    var (master, slave): (Int32, Int32) = (-1, -1)
    try #require(openpty(&master, &slave, nil, nil, nil) == 0)
    for end in [master, slave] { #expect(fcntl(end, F_SETFD, FD_CLOEXEC) == 0) }
    #expect(fcntl(master, F_SETFL, O_NONBLOCK) == 0)
    (self.master, self.slave) = (master, slave)
  }

  private func settings(_ arguments: String...) throws -> String {
    let stty = try TestProgram.run(["/usr/bin/env", "stty"] + arguments, input: .descriptor(slave))
    #expect(stty.status == 0)
    return String(decoding: stty.output, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
  }

  private var written: String {
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = read(master, &bytes, bytes.count)
    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
  }

  /// - Parameters:
  ///   - early: lines that the console wrote before the keeper was there, as of one that is left or suspended at its first
  ///     frame.
  ///   - told: lines that it wrote before it was killed.
  ///   - after: what a shell that was quicker has set.
  @Test(
    arguments: [
      ([], [], nil, true), ([], ["1"], nil, true), ([], ["0"], nil, false), (["0"], ["1"], nil, true),
      (["1"], ["0"], nil, false), (["1"], [], "cooked", true), (["1"], [], nil, true), (["1", "0"], [], nil, false),
    ] as [([String], [String], String?, Bool)])
  func theTerminalIsPutBackWhileTheScreenWasOurs(
    _ early: [String], _ told: [String], _ after: String?, _ isPutBack: Bool
  ) async throws {
    defer { for end in [master, slave] { close(end) } }
    let found = try settings("-g")
    _ = try settings("raw", "-echo")
    let ours = try settings("-g")
    #expect(ours != found)
    let undo = "undo \(UUID().uuidString)"
    let keeper = try #require(ScreenKeeper())
    for line in early { #expect(write(keeper.leash, line + "\n", 2) == 2) }
    #expect(keeper.start(terminal: slave, undo: undo, ours: ours, found: found))
    let process = try await eventually("the keeper") {
      Processes.children(of: getpid()).first { Processes.arguments(of: $0).contains(undo) }
    }
    for line in told { #expect(write(keeper.leash, line + "\n", 2) == 2) }
    if let after { _ = try settings(after) }
    let left = try settings("-g")
    close(keeper.leash)
    try await eventually("its end") { waitpid(process, nil, WNOHANG) == process }
    #expect(written == (isPutBack ? undo : ""))
    #expect(try settings("-g") == (isPutBack && after == nil ? found : left))
  }

  /// The console has put the terminal back by itself.
  @Test func oneThatIsEndedDoesNothing() async throws {
    defer { for end in [master, slave] { close(end) } }
    let found = try settings("-g")
    _ = try settings("raw", "-echo")
    let ours = try settings("-g")
    let keeper = try #require(ScreenKeeper())
    #expect(keeper.start(terminal: slave, undo: "undo", ours: ours, found: found))
    keeper.end()
    #expect(written == "")
    #expect(try settings("-g") == ours)
  }

  @Test func oneThatIsEndedBeforeItsStartIsNotStarted() throws {
    defer { for end in [master, slave] { close(end) } }
    let undo = "undo \(UUID().uuidString)"
    let keeper = try #require(ScreenKeeper())
    keeper.end()
    #expect(!keeper.start(terminal: slave, undo: undo, ours: "", found: ""))
    #expect(!Processes.children(of: getpid()).contains { Processes.arguments(of: $0).contains(undo) })
  }
}
