/// The general registers of a thread as `ptrace` has them.
struct Registers: Equatable, Sendable {
  /// The words of x86-64 in the kernel's order (`struct user_regs_struct`).
  enum Name: Int {
    case r15, r14, r13, r12, rbp, rbx, r11, r10, r9, r8, rax, rcx, rdx, rsi, rdi, origRax, rip, cs, eflags, rsp, ss
    case fsBase, gsBase, ds, es, fs, gs
  }

  /// Those of arm64 (`struct user_pt_regs`).
  enum ArmName: Int {
    case x0, x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, x12, x13, x14, x15, x16, x17, x18, x19, x20, x21, x22, x23
    case x24, x25, x26, x27, x28, x29, x30, sp, pc, pstate
  }

  let processor: Processor
  private(set) var words: [UInt64]
  /// The call in which the thread waited when it was asked to stand. On arm64 its registers alone do not tell
  /// (`Interruption`); nil on x86-64, where they do.
  var call: SystemCall?

  /// - Parameter words: as many as one of the processors has.
  init(words: [UInt64], call: SystemCall? = nil) {
    let processor = Processor.allCases.first { $0.registerCount == words.count }
    precondition(processor != nil, "\(words.count) words are the registers of no processor")
    self.processor = processor ?? .own
    self.words = words
    self.call = call
  }

  subscript(name: Name) -> UInt64 {
    get { words[name.rawValue] }
    set { words[name.rawValue] = newValue }
  }

  subscript(name: ArmName) -> UInt64 {
    get { words[name.rawValue] }
    set { words[name.rawValue] = newValue }
  }

  /// Where it goes on.
  var place: UInt64 {
    get { processor == .x86 ? self[.rip] : self[.pc] }
    set { if processor == .x86 { self[.rip] = newValue } else { self[.pc] = newValue } }
  }

  var stack: UInt64 {
    get { processor == .x86 ? self[.rsp] : self[.sp] }
    set { if processor == .x86 { self[.rsp] = newValue } else { self[.sp] = newValue } }
  }

  /// The number of the system call in which it was stopped.
  var callNumber: UInt64 { processor == .x86 ? self[.origRax] : self[.x8] & 0xffff_ffff }

  /// Where the function in which it stands returns to, where that need not be on the stack.
  var returnAddress: UInt64? { processor == .x86 ? nil : self[.x30] }

  /// The same thread before a system call.
  ///
  /// - Parameters:
  ///   - instruction: where it calls the system.
  ///   - end: where the function returns to that calls it, for a processor that does not have it on the stack.
  func calling(_ number: UInt64, _ arguments: [UInt64], at instruction: UInt64, thenAt end: UInt64) -> Registers {
    var registers = self
    switch processor {
    case .x86:
      for (name, value) in zip([.rdi, .rsi, .rdx, .r10, .r8, .r9] as [Name], arguments) { registers[name] = value }
      registers[.rax] = number
    case .arm64:
      for (name, value) in zip([.x0, .x1, .x2, .x3, .x4, .x5] as [ArmName], arguments) { registers[name] = value }
      registers[.x8] = number
      registers[.x30] = end
    }
    registers.place = instruction
    return registers
  }

  /// The same thread somewhere else, with nothing for the kernel to begin again.
  func sent(to place: UInt64, stack: UInt64) -> Registers {
    var registers = self
    registers.place = place
    registers.stack = stack
    // arm64's kernel begins nothing again once a thread stands elsewhere.
    if processor == .x86 { registers[.origRax] = .max }
    return registers
  }
}

/// What `/proc/PID/task/TID/syscall` says of a thread that waits in the kernel.
struct SystemCall: Equatable, Sendable {
  let number: UInt64
  /// Six.
  let arguments: [UInt64]
  /// Where its stack is, and where it goes on: behind the instruction that called.
  let stack, place: UInt64

  /// As `attach_system_call` has them.
  static let wordCount = 9

  init?(words: [UInt64]) {
    guard words.count == Self.wordCount else { return nil }
    number = words[0]
    arguments = Array(words[1...6])
    stack = words[7]
    place = words[8]
  }
}
