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
  private static let waitForBits: UInt64 = 9

  init(_ registers: Registers) {
    self = registers.processor == .x86 ? Self.onX86(registers) : Self.onArm(registers)
  }

  private static func onX86(_ registers: Registers) -> Interruption {
    guard Int64(bitPattern: registers[.origRax]) >= 0 else { return .computing }
    let call = registers[.origRax]
    switch Int64(bitPattern: registers[.rax]) {
    case restartSystem, restartNoInterrupt, restartNoHandler: return .restartable
    // Without a limit of time: the kernel does not begin them again, but we may.
    case interrupted where isEventLoop(call, .x86) && Int32(truncatingIfNeeded: registers[.r10]) < 0:
      return .restartable
    // Its limit is a moment, not a span.
    case restartBlock where call == 202 && registers[.rsi] & 0x7f == waitForBits: return .restartable
    default: return .timed
    }
  }

  /// What the call came to is in no register: the kernel has set the thread back to its instruction where it begins again.
  private static func onArm(_ registers: Registers) -> Interruption {
    switch registers.armStop {
    case nil: return .computing
    case .begunAgain(let call):
      // Those with a rest of time of the kernel's own: it makes another call of them (restart_syscall), of which nobody
      // can tell what it was.
      let isTimed =
        [KernelCall.nanosleep, .clockNanosleep, .restartSyscall].numbers(on: .arm64).contains(call.number)
        || call.number == KernelCall.futex.number(on: .arm64) && call.arguments[3] != 0
      return isTimed ? .timed : .restartable
    case .ended(let call):
      return isEventLoop(call.number, .arm64) && Int32(truncatingIfNeeded: call.arguments[3]) < 0
        ? .restartable : .timed
    }
  }

  private static func isEventLoop(_ call: UInt64, _ processor: Processor) -> Bool {
    [KernelCall.epollWait, .epollPwait].numbers(on: processor).contains(call)
  }
}

extension Registers {
  /// How a thread stands on arm64 that waited in a system call when it was asked to.
  fileprivate enum ArmStop {
    /// On the instruction that called, with its first argument where the result was: do_signal() does that before anybody
    /// sees the thread, and what NT_ARM_SYSTEM_CALL says has been forgotten by then.
    case begunAgain(SystemCall)
    /// Behind it, with EINTR. Its first argument is known from before only.
    case ended(SystemCall)
  }

  /// nil where it did something else meanwhile. All that the kernel leaves alone has to be as it was: a thread that came back
  /// from its call and waits in the same place again with the same arguments is the same to us.
  fileprivate var armStop: ArmStop? {
    guard let call, stack == call.stack, callNumber == call.number & 0xffff_ffff,
      words[1...5].elementsEqual(call.arguments[1...5])
    else { return nil }
    if place == call.place &- processor.systemCallSize, self[.x0] == call.arguments[0] { return .begunAgain(call) }
    if place == call.place, Int64(bitPattern: self[.x0]) == Interruption.interrupted { return .ended(call) }
    return nil
  }

  /// Whether the kernel begins the interrupted system call again when the thread goes on with these registers.
  var isRestartedByKernel: Bool {
    switch processor {
    case .x86:
      return [Interruption.restartSystem, Interruption.restartNoInterrupt, Interruption.restartNoHandler]
        .contains(Int64(bitPattern: self[.rax])) && Int64(bitPattern: self[.origRax]) >= 0
    case .arm64:
      if case .begunAgain = armStop { return true }
      return false
    }
  }

  /// As they are when the interrupted system call is to begin again.
  var resumed: Registers { Interruption(self) == .restartable ? onItsCall : self }

  /// The same, and nothing for the kernel to begin again.
  var resumedNow: Registers {
    var registers = resumed
    if processor == .x86 { registers[.origRax] = .max }
    return registers
  }

  /// On the instruction that called, with what it called with.
  private var onItsCall: Registers {
    var registers = self
    switch processor {
    case .x86:
      registers[.rax] = self[.origRax]
      registers[.rip] = self[.rip] &- processor.systemCallSize
    case .arm64:
      guard let call else { return self }
      registers[.x0] = call.arguments[0]
      registers[.pc] = call.place &- processor.systemCallSize
    }
    return registers
  }

  /// Calls that no handler lets go on, whatever SA_RESTART says (signal(7)).
  private static let endedByHandler: [KernelCall] = [
    .ppoll, .pselect6, .rtSigsuspend, .rtSigtimedwait, .epollPwait, .epollPwait2,
  ]

  /// Where a handler is about to run: as they are when the system call has ended for it. On x86-64 the kernel does that with
  /// what `resumedNow` leaves alone; on arm64 it takes a thread that stands on its call for one that has yet to make it. nil
  /// where the call begins again.
  var endedForHandler: Registers? {
    guard processor == .arm64, Interruption(self) == .restartable, let call,
      Self.endedByHandler.numbers(on: processor).contains(call.number)
    else { return nil }
    var registers = self
    registers[.x0] = UInt64(bitPattern: Interruption.interrupted)
    registers[.pc] = call.place
    return registers
  }

  /// Calls that the kernel never begins again after a stop, though no handler ran (signal(7)).
  private static let endedByStop: [KernelCall] = [
    .read, .write, .accept, .sendto, .recvfrom, .sendmsg, .recvmsg, .semop, .msgrcv, .rtSigtimedwait, .ioGetevents,
    .semtimedop, .epollWait, .epollPwait, .accept4, .epollPwait2,
  ]

  /// Where a system call ended with EINTR because its thread was stopped: the registers with which it begins again; nil where
  /// there is nothing to mend.
  var mended: Registers? {
    switch processor {
    case .x86: guard Int64(bitPattern: self[.rax]) == Interruption.interrupted else { return nil }
    case .arm64: guard case .ended = armStop else { return nil }
    }
    guard Self.endedByStop.numbers(on: processor).contains(callNumber) else { return nil }
    var registers = onItsCall
    if processor == .x86 { registers[.origRax] = .max }
    return registers
  }
}
