import Foundation
import PatchbayTestSupport
import Testing

/// Our C for processors that the tests do not run on: it compiles, without a warning. It is not run there.
@Suite(.enabled(if: Cross.isThere, "clang or libc6-dev-arm64-cross is not installed"), .bounded)
struct OtherProcessorTests {
  @Test(arguments: ["CAttach", "PatchbayPreload", "CHookSessions", "CHookLibrary", "CLaunch", "CWorkerMonitor"])
  func compilesForArm64(_ target: String) throws {
    let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    let folder = tests.deletingLastPathComponent().path + "/Sources/\(target)"
    let files = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".c") }
    #expect(!files.isEmpty)
    for file in files {
      let (status, said) = try Cross.clang([
        "--target=aarch64-linux-gnu", "-isystem", Cross.headers, "-I", "\(folder)/include", "-std=gnu11", "-Wall",
        "-Wextra",
        "-Werror", "-O1", "-c", "-o", "/dev/null", "\(folder)/\(file)",
      ])
      #expect(status == 0, "\(file): \(said)")
    }
  }
}

private enum Cross {
  static let headers = "/usr/aarch64-linux-gnu/include"

  static let isThere =
    FileManager.default.fileExists(atPath: headers) && (try? clang(["--version"]).status) == 0

  static func clang(_ arguments: [String]) throws -> (status: Int32, said: String) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["clang"] + arguments
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let said = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return (process.terminationStatus, said)
  }
}
