/// The bytes that `rt_sigreturn` reads on arm64 (linux `struct rt_sigframe`, asm/ucontext.h, asm/sigcontext.h): a thread
/// whose stack pointer stands on them gets all its registers, its signal mask and its vector registers from them.
///
/// Of the records only the vector registers' is written, without which the kernel takes no frame. A thread that is in a
/// system call has no more: what SVE has beyond those 128 bits of each register, and SME's streaming mode, are given up when
/// the system is called. What has records of its own besides (ZA, TPIDR2, POE, FPMR) is left as it is where there is none.
enum ArmSignalFrame {
  /// A `siginfo` that nobody reads stands first, then a `ucontext`.
  static let flagsOffset = 128, alternateFlagsOffset = 152, maskOffset = 168
  /// x0 to x30, sp, pc, pstate.
  static let registersOffset = 312
  static let recordsOffset = 592
  static let vectorsMagic: UInt64 = 0x4650_8001
  static let vectorsSize = 528
  /// The last record is empty.
  static let size = recordsOffset + vectorsSize + 16

  /// NT_PRFPREG (`struct user_fpsimd_state`): 32 registers of 16 bytes, fpsr, fpcr, and 8 bytes of nothing.
  static let vectorBytes = 528
  private static let vectorRegisters = 512

  /// - Parameter vectors: as `ptrace` has them.
  static func bytes(_ registers: Registers, mask: UInt64, vectors: [UInt8]) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: size)
    func put(_ new: some Collection<UInt8>, at offset: Int) {
      bytes.replaceSubrange(offset..<offset + new.count, with: new)
    }
    // The alternate signal stack: flags that sigaltstack refuses, so that the thread's own stays.
    put(UInt64(0x7fff).littleEndianBytes, at: alternateFlagsOffset)
    put(mask.littleEndianBytes, at: maskOffset)
    put(registers.words.flatMap(\.littleEndianBytes), at: registersOffset)
    put((vectorsMagic | UInt64(vectorsSize) << 32).littleEndianBytes, at: recordsOffset)
    // fpsr and fpcr stand before the registers here.
    put(vectors[vectorRegisters..<vectorRegisters + 8], at: recordsOffset + 8)
    put(vectors[..<vectorRegisters], at: recordsOffset + 16)
    return bytes
  }
}
