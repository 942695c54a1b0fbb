/// The general registers of an x86-64 thread as `ptrace` has them (`struct user_regs_struct`).
struct Registers: Equatable, Sendable {
  /// The words in the kernel's order.
  enum Name: Int {
    case r15, r14, r13, r12, rbp, rbx, r11, r10, r9, r8, rax, rcx, rdx, rsi, rdi, origRax, rip, cs, eflags, rsp, ss
    case fsBase, gsBase, ds, es, fs, gs
  }

  static let count = 27
  private(set) var words: [UInt64]

  init(words: [UInt64]) {
    precondition(words.count == Self.count)
    self.words = words
  }

  subscript(name: Name) -> UInt64 {
    get { words[name.rawValue] }
    set { words[name.rawValue] = newValue }
  }
}

/// What was interrupted when a thread was stopped, told by its registers.
enum Interruption: Equatable, Sendable {
  /// Computing, not in a system call.
  case computing
  /// In a system call that can be begun again with the same arguments as if nothing had been.
  case restartable
  /// In one whose rest of time only the kernel knows, or whose end cannot be told from a result. Not to be borrowed.
  case timed

  // linux/errno.h; the program never sees these.
  fileprivate static let restartSystem: Int64 = -512, restartNoInterrupt: Int64 = -513, restartNoHandler: Int64 = -514
  private static let restartBlock: Int64 = -516
  fileprivate static let interrupted: Int64 = -4

  init(_ registers: Registers) {
    guard Int64(bitPattern: registers[.origRax]) >= 0 else {
      self = .computing
      return
    }
    let call = registers[.origRax]
    switch Int64(bitPattern: registers[.rax]) {
    case Self.restartSystem, Self.restartNoInterrupt, Self.restartNoHandler: self = .restartable
    // epoll_wait, epoll_pwait without a limit of time: the kernel does not begin them again, but we may.
    case Self.interrupted where (call == 232 || call == 281) && Int32(truncatingIfNeeded: registers[.r10]) < 0:
      self = .restartable
    // FUTEX_WAIT_BITSET: its limit is a moment, not a span.
    case Self.restartBlock where call == 202 && registers[.rsi] & 0x7f == 9: self = .restartable
    default: self = .timed
    }
  }
}

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

extension Registers {
  /// Whether the kernel begins the interrupted system call again when the thread goes on with these registers.
  var isRestartedByKernel: Bool {
    [Interruption.restartSystem, Interruption.restartNoInterrupt, Interruption.restartNoHandler]
      .contains(Int64(bitPattern: self[.rax])) && Int64(bitPattern: self[.origRax]) >= 0
  }

  /// As they are when the interrupted system call is to begin again.
  var resumed: Registers {
    guard Interruption(self) == .restartable else { return self }
    var registers = self
    registers[.rax] = self[.origRax]
    registers[.rip] = self[.rip] &- 2  // `syscall` is two bytes long
    return registers
  }

  /// The same, and nothing for the kernel to begin again.
  var resumedNow: Registers {
    var registers = resumed
    registers[.origRax] = .max
    return registers
  }

  /// Where a system call ended with EINTR because its thread was stopped: calls that the kernel never begins again, though
  /// no handler ran (signal(7)). The registers with which it begins again; nil where there is nothing to mend.
  var mended: Registers? {
    // read, write, msgrcv, semop, recvfrom, sendto, recvmsg, sendmsg, accept, rt_sigtimedwait, io_getevents, semtimedop,
    // epoll_wait, epoll_pwait, accept4, epoll_pwait2
    let calls: Set<UInt64> = [0, 1, 43, 44, 45, 46, 47, 65, 70, 128, 208, 220, 232, 281, 288, 441]
    guard Int64(bitPattern: self[.rax]) == Interruption.interrupted, calls.contains(self[.origRax]) else { return nil }
    var registers = self
    registers[.rax] = self[.origRax]
    registers[.rip] = self[.rip] &- 2
    registers[.origRax] = .max
    return registers
  }
}
