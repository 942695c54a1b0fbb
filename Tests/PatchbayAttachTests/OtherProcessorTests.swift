import Foundation
import PatchbayTestSupport
import Testing

@testable import PatchbayAttach

/// Our C for processors that the tests do not run on: it compiles, without a warning. And what we say of their kernels is what
/// its headers say.
@Suite(.enabled(if: Cross.isThere, "clang or libc6-dev-arm64-cross is not installed"), .bounded)
struct OtherProcessorTests {
  private static let sources =
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().path + "/Sources"

  @Test(arguments: ["CAttach", "PatchbayPreload", "CHookSessions", "CHookLibrary", "CLaunch", "CWorkerMonitor"])
  func compilesForArm64(_ target: String) throws {
    let folder = Self.sources + "/\(target)"
    let files = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".c") }
    #expect(!files.isEmpty)
    for file in files {
      let (status, said) = try Cross.clangForArm([
        "-I", "\(folder)/include", "-O1", "-c", "-o", "/dev/null", "\(folder)/\(file)",
      ])
      #expect(status == 0, "\(file): \(said)")
    }
  }

  /// The code that a program runs for us is there, and leads to where the C says.
  @Test func thereIsCodeForArm64() throws {
    let (status, said) = try Cross.clangForArm([
      "-I", "\(Self.sources)/CAttach/include", "-O1", "-S", "-o", "-", "\(Self.sources)/CAttach/attach_code.c",
    ])
    #expect(status == 0 && said.contains("svc") && said.contains("attach_code_own_start:"), "\(said)")
  }

  @Test func numbersOfArm64AreThoseOfItsHeaders() throws {
    try expectHolds(on: .arm64, ["-D__ARCH_WANT_NEW_STAT"])
  }

  @Test(.enabled(if: FileManager.default.fileExists(atPath: "/usr/include/x86_64-linux-gnu/asm/unistd_64.h")))
  func numbersOfX86AreThoseOfItsHeaders() throws {
    let text = try String(contentsOfFile: "/usr/include/x86_64-linux-gnu/asm/unistd_64.h", encoding: .utf8)
    for call in KernelCall.allCases {
      let number = try #require(call.number(on: .x86))
      #expect(text.contains("#define __NR_\(call.rawValue) \(number)\n"), "\(call)")
    }
  }

  private func expectHolds(on processor: Processor, _ options: [String]) throws {
    var text = "#include <asm/unistd.h>\n"
    for call in KernelCall.allCases {
      if let number = call.number(on: processor) {
        text += "_Static_assert(__NR_\(call.rawValue) == \(number), \"\(call.rawValue)\");\n"
      } else {
        text += "#ifdef __NR_\(call.rawValue)\n#error \(call.rawValue)\n#endif\n"
      }
    }
    let (status, said) = try Cross.clangForArm(options + ["-fsyntax-only", "-x", "c", "-"], text)
    #expect(status == 0, "\(said)")
  }

  @Test func aFrameOfArm64IsAsItsHeadersSay() throws {
    let text = """
      #define _GNU_SOURCE
      #include <stddef.h>
      #include <asm/siginfo.h>
      #include <asm/signal.h>
      #include <asm/sigcontext.h>
      #include <asm/ucontext.h>
      #include <asm/ptrace.h>
      struct frame { struct siginfo info; struct ucontext uc; };
      #define AT(field, number) _Static_assert(offsetof(struct frame, field) == number, #field)
      #define REGISTER(field, number) _Static_assert(offsetof(struct user_pt_regs, field) == 8 * number, #field)
      AT(uc.uc_flags, \(ArmSignalFrame.flagsOffset));
      AT(uc.uc_stack.ss_flags, \(ArmSignalFrame.alternateFlagsOffset));
      AT(uc.uc_sigmask, \(ArmSignalFrame.maskOffset));
      AT(uc.uc_mcontext.regs, \(ArmSignalFrame.registersOffset));
      AT(uc.uc_mcontext.regs[30], \(ArmSignalFrame.registersOffset + 8 * Registers.ArmName.x30.rawValue));
      AT(uc.uc_mcontext.sp, \(ArmSignalFrame.registersOffset + 8 * Registers.ArmName.sp.rawValue));
      AT(uc.uc_mcontext.pc, \(ArmSignalFrame.registersOffset + 8 * Registers.ArmName.pc.rawValue));
      AT(uc.uc_mcontext.pstate, \(ArmSignalFrame.registersOffset + 8 * Registers.ArmName.pstate.rawValue));
      AT(uc.uc_mcontext.__reserved, \(ArmSignalFrame.recordsOffset));
      REGISTER(sp, \(Registers.ArmName.sp.rawValue));
      REGISTER(pc, \(Registers.ArmName.pc.rawValue));
      REGISTER(pstate, \(Registers.ArmName.pstate.rawValue));
      _Static_assert(sizeof(struct user_pt_regs) == 8 * \(Processor.arm64.registerCount), "registers");
      _Static_assert(FPSIMD_MAGIC == \(ArmSignalFrame.vectorsMagic), "magic");
      _Static_assert(sizeof(struct fpsimd_context) == \(ArmSignalFrame.vectorsSize), "record");
      _Static_assert(offsetof(struct fpsimd_context, fpsr) == 8 && offsetof(struct fpsimd_context, vregs) == 16, "record");
      _Static_assert(sizeof(struct user_fpsimd_state) == \(ArmSignalFrame.vectorBytes), "vectors");
      _Static_assert(offsetof(struct user_fpsimd_state, fpsr) == 512 && offsetof(struct user_fpsimd_state, fpcr) == 516, "");
      """
    let (status, said) = try Cross.clangForArm(["-fsyntax-only", "-x", "c", "-"], text)
    #expect(status == 0, "\(said)")
  }
}
