import Foundation

/// clang for processors that the tests do not run on, and an emulator of one.
enum Cross {
  static let headers = "/usr/aarch64-linux-gnu/include"

  static let isThere =
    FileManager.default.fileExists(atPath: headers) && (try? clang(["--version"]).status) == 0
  /// Of clang's linker and the emulator (Debian's lld and qemu-user-static).
  static let mayRun = isThere && isProgram("ld.lld") && isProgram("qemu-aarch64-static")

  static func clang(_ arguments: [String], _ text: String = "") throws -> (status: Int32, said: String) {
    try run("clang", arguments, text)
  }

  /// Compiles C for arm64 with its own headers.
  static func clangForArm(_ arguments: [String], _ text: String = "") throws -> (status: Int32, said: String) {
    try clang(
      ["--target=aarch64-linux-gnu", "-isystem", headers, "-std=gnu11", "-Wall", "-Wextra", "-Werror"] + arguments, text
    )
  }

  static func run(_ program: String, _ arguments: [String], _ text: String = "") throws -> (status: Int32, said: String)
  {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [program] + arguments
    let pipe = Pipe()
    let input = Pipe()
    process.standardInput = input
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    try input.fileHandleForWriting.write(contentsOf: Data(text.utf8))
    try input.fileHandleForWriting.close()
    let said = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return (process.terminationStatus, said)
  }

  private static func isProgram(_ name: String) -> Bool {
    (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").contains {
      FileManager.default.isExecutableFile(atPath: "\($0)/\(name)")
    }
  }
}
