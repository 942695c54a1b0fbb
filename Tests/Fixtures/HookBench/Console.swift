import Foundation
import Patchbay

/// A console without a screen, beside this program in the same folder, which records to disk.
final class Console {
  let socket: String
  private let folder: URL
  private let history: String
  private let process = Process()

  /// - Parameter stubs: A stub file's text.
  init(stubs: String) throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("hook-bench-\(getpid())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    socket = folder.appendingPathComponent("s").path
    history = folder.appendingPathComponent("history.sqlite").path
    let file = folder.appendingPathComponent("stubs.yaml")
    try stubs.write(to: file, atomically: true, encoding: .utf8)
    process.executableURL = Self.patchbay
    process.arguments = [
      "listen", "--headless", "--socket", socket, "--history", history, "--stubs", file.path,
    ]
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    for _ in 0..<500 where !FileManager.default.fileExists(atPath: socket) { usleep(10_000) }
    setenv("PATCHBAY_SOCKET", socket, 1)
  }

  /// Attaches this process to it; false where that cannot be.
  func attach() -> Bool { Self.attach() }

  /// Attaches this process to the console whose socket `PATCHBAY_SOCKET` names.
  static func attach() -> Bool {
    Patchbay.attach()
    for _ in 0..<500 where !isLinked { usleep(10_000) }
    return isLinked
  }

  private static var isLinked: Bool { if case .linked = Patchbay.state.link { true } else { false } }

  var pid: Int32 { process.processIdentifier }

  /// Seconds of the processor that the console has used so far.
  var processorTime: Double { Process.processorTime(of: pid) }

  /// Ends the console, and with it writes what is left. Returns how many exchanges are recorded as ended.
  func end() throws -> Int {
    usleep(200_000)
    process.interrupt()
    process.waitUntilExit()
    defer { try? FileManager.default.removeItem(at: folder) }
    let reader = Process()
    let pipe = Pipe()
    reader.executableURL = URL(fileURLWithPath: "/bin/sh")
    reader.arguments = [
      "-c", #""$0" history --history "$1" --json | grep -c '"outcome":"responded"'"#, Self.patchbay.path, history,
    ]
    reader.standardOutput = pipe
    try reader.run()
    let said = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    reader.waitUntilExit()
    return Int(said.trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0
  }

  private static let patchbay = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    .deletingLastPathComponent().appendingPathComponent("patchbay")
}

extension Process {
  /// This program again, with other arguments.
  static func own(_ arguments: [String]) -> Process {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    process.arguments = arguments
    return process
  }

  /// Seconds of the processor that a process has used so far.
  static func processorTime(of pid: Int32) -> Double {
    let text = (try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)) ?? ""
    let fields = text.split(separator: ")").last?.split(separator: " ") ?? []
    guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12]) else { return 0 }
    return (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
  }
}
