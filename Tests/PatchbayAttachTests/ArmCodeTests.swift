import Foundation
import PatchbayTestSupport
import Testing

@testable import PatchbayAttach

/// The chain of frames and the code for arm64, run by an emulator where this machine is none: it reads the frames and makes the calls as that kernel does.
/// What it cannot show is how a thread stands that was stopped.
@Suite(.enabled(if: Cross.mayRun, "qemu-user-static, lld, clang or libc6-dev-arm64-cross is not installed"), .bounded)
struct ArmCodeTests {
  private let calls = TargetCalls(
    systemCall: 0x2000_0000, signalReturn: 0x2000_0040, makeThread: 1, openLibrary: 2, findSymbol: 3, errorNumber: 4,
    libraryError: 5, thisThread: 6, detachThread: 7)
  private let maps = ProcessMaps(
    text: """
      10000000-10100000 rw-p 00000000 00:00 0
      20000000-20010000 r-xp 00010000 fe:00 13 /usr/lib/libc.so.6
      """)

  @Test func aThreadThatIsSentThroughItComesBackAsItWas() throws {
    let vectors = (0..<528).map { $0 < 512 ? UInt8(truncatingIfNeeded: $0 * 7) : 0 }
    var thread = Registers(words: (0..<34).map { 0x1111_0000_0000_0000 * ($0 % 15) + 0x1000 + $0 })
    thread[.sp] = 0x1008_0000
    thread[.pc] = 0x2000_0080
    thread[.pstate] = 0
    thread.call = SystemCall(words: [22] + thread.words[0..<6] + [thread[.sp], thread[.pc] + 4])
    thread[.x8] = 22
    let plan = try #require(
      AttachPlan(
        thread: thread, mask: 0x4000, vectors: vectors, calls: calls, maps: maps, requestSize: 8192))
    let head = plan.head(library: "/opt/lib x.so", function: "enter")

    func list(_ type: String, _ name: String, _ values: some Sequence<some BinaryInteger>) -> String {
      "static const \(type) \(name)[] = {\(values.map { "\($0)u" }.joined(separator: ", "))};\n"
    }
    let text =
      """
      #include <stdint.h>
      #define PAGE \(Processor.page)
      #define STACK_START 0x10000000
      #define STACK_SIZE 0x100000
      #define LIBRARY_START 0x20000000
      #define SYSTEM_CALL \(calls.systemCall)
      #define SIGNAL_RETURN \(calls.signalReturn)
      #define CODE \(plan.code)ul
      #define BLOCK \(plan.block)ul
      #define MASK 0x4000
      #define STACK_ADDRESS \(plan.stackAddress)
      #define LIBRARY "/opt/lib x.so"
      #define FUNCTION "enter"

      """ + list("uint64_t", "expected", plan.end.words) + list("uint64_t", "begin", plan.begin.words)
      + list("uint64_t", "run", plan.run.words) + list("unsigned char", "stack", plan.stackBytes)
      + list("unsigned char", "head", head) + list("unsigned char", "vectors", vectors)

    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("patchbay-arm64-\(UUID())").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try text.write(toFile: folder + "/plan.h", atomically: true, encoding: .utf8)
    let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    let sources = tests.deletingLastPathComponent().path + "/Sources/CAttach"
    let compiled = try Cross.clangForArm([
      "-nostdlib", "-static", "-fuse-ld=lld", "-ffreestanding", "-O1", "-I", folder, "-I",
      sources + "/include", "-o", folder + "/chain", tests.path + "/Fixtures/arm64-chain/chain.c",
      sources + "/attach_code.c",
    ])
    #expect(compiled.status == 0, "\(compiled.said)")
    // The number says which of its checks failed (chain.c).
    let ran = try Cross.runForArm(folder + "/chain")
    #expect(ran.status == 0, "\(ran.said)")
  }
}
