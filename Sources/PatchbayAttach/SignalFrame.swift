/// The bytes that `rt_sigreturn` reads on x86-64: a thread whose stack pointer stands on them gets all its registers, its
/// signal mask and, where they are given, its vector registers from them.
struct SignalFrame {
  /// linux `struct ucontext`, with the 8 bytes of the signal mask at its end.
  static let size = 304

  static func bytes(_ registers: Registers, mask: UInt64, vectorsAt: UInt64?) -> [UInt8] {
    var words = [UInt64](repeating: 0, count: size / 8)
    words[0] = 7  // UC_FP_XSTATE, UC_SIGCONTEXT_SS, UC_STRICT_RESTORE_SS
    // The alternate signal stack: flags that sigaltstack refuses, so that the thread's own stays.
    words[3] = 0x7fff
    let order: [Registers.Name] = [
      .r8, .r9, .r10, .r11, .r12, .r13, .r14, .r15, .rdi, .rsi, .rbp, .rbx, .rdx, .rax, .rcx, .rsp, .rip, .eflags,
    ]
    for (place, name) in order.enumerated() { words[5 + place] = registers[name] }
    words[23] = registers[.cs] & 0xffff | (registers[.ss] & 0xffff) << 48
    words[28] = vectorsAt ?? 0
    words[37] = mask
    return words.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) } }
  }

  /// A thread's vector registers as a signal frame has them: what `ptrace` gives, with the words that tell the kernel how
  /// long they are (asm/sigcontext.h, `_fpx_sw_bytes`).
  static func vectors(_ bytes: [UInt8]) -> [UInt8] {
    guard bytes.count > 576 else { return bytes }
    var frame = bytes
    func put(_ value: UInt32, at offset: Int) {
      for index in 0..<4 { frame[offset + index] = UInt8(truncatingIfNeeded: value >> (8 * index)) }
    }
    // ptrace has the mask of what the processor can do in the first of these words.
    let features = (0..<8).map { bytes[464 + $0] }
    put(0x4650_5853, at: 464)
    put(UInt32(bytes.count) + 4, at: 468)
    for index in 0..<8 { frame[472 + index] = features[index] }
    put(UInt32(bytes.count), at: 480)
    frame += [0x45, 0x58, 0x50, 0x46]
    return frame
  }
}
