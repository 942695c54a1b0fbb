import Foundation
import PatchbayTestSupport

/// clang for processors that the tests do not run on, and an emulator of one.
enum Cross {
  #if arch(arm64)
    static let headers = "/usr/include"
    private static let emulator: String? = nil
  #else
    static let headers = "/usr/aarch64-linux-gnu/include"
    private static let emulator: String? = "qemu-aarch64-static"
  #endif

  static let isThere =
    FileManager.default.fileExists(atPath: headers) && (try? clang(["--version"]).status) == 0
  /// Needs clang's linker and, elsewhere than on arm64 itself, the emulator (Debian's lld and qemu-user-static).
  static let mayRun = isThere && isProgram("ld.lld") && (emulator.map(isProgram) ?? true)

  /// Runs a program for arm64.
  static func runForArm(_ program: String) throws -> (status: Int32, said: String) {
    try emulator.map { try run($0, [program]) } ?? run(program, [])
  }

  static func clang(_ arguments: [String], _ text: String = "") throws -> (status: Int32, said: String) {
    try run("clang", arguments, text)
  }

  /// Compiles C for arm64 with its own headers.
  static func clangForArm(_ arguments: [String], _ text: String = "") throws -> (status: Int32, said: String) {
    #if arch(arm64)
      let cross: [String] = []
    #else
      let cross = ["--target=aarch64-linux-gnu", "-isystem", headers]
    #endif
    return try clang(
      cross + ["-std=gnu11", "-Wall", "-Wextra", "-Werror"] + arguments, text
    )
  }

  static func run(_ program: String, _ arguments: [String], _ text: String = "") throws -> (status: Int32, said: String)
  {
    let command = ["/usr/bin/env", program] + arguments
    let (status, output) = try TestProgram.run(command, input: .text(text), errors: .read)
    return (status, String(decoding: output, as: UTF8.self))
  }

  private static func isProgram(_ name: String) -> Bool {
    (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").contains {
      FileManager.default.isExecutableFile(atPath: "\($0)/\(name)")
    }
  }
}
