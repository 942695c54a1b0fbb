#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// What an attachment has to know of a processor and of its kernel. A program and we run on the same one.
enum Processor: CaseIterable, Sendable {
  case x86
  /// After the kernel's source and headers, and tried with C programs under real kernels on an emulated machine
  /// (`Tests/Fixtures/arm64-kernel`). Never on a real machine: `AttachAbility` says so before anything is done.
  case arm64

  #if arch(arm64)
    static let own = arm64
  #else
    static let own = x86
  #endif

  /// Words of NT_PRSTATUS (asm/ptrace.h: `user_regs_struct`, `user_pt_regs`).
  var registerCount: Int { self == .x86 ? 27 : 34 }

  /// The instruction that calls the system: `syscall`, `svc #0`.
  var systemCallCode: [UInt8] { self == .x86 ? [0x0f, 0x05] : [0x01, 0, 0, 0xd4] }
  var systemCallSize: UInt64 { UInt64(systemCallCode.count) }

  /// `mov $15, %rax; syscall`, `mov x8, #139; svc #0`: `rt_sigreturn` of what the stack pointer stands on.
  var signalReturnCode: [UInt8] {
    self == .x86 ? [0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05] : [0x68, 0x11, 0x80, 0xd2, 0x01, 0, 0, 0xd4]
  }

  /// How instructions are aligned.
  var step: Int { self == .x86 ? 1 : 4 }

  /// Bytes before each signal frame of a chain: x86-64 returns to what stands on the stack, arm64 to a register.
  var frameLead: UInt64 { self == .x86 ? 8 : 0 }
  var frameSize: Int { self == .x86 ? SignalFrame.size : ArmSignalFrame.size }

  /// x86-64 gives programs 47 bits of addresses, arm64 up to 48 (52 for those that ask for them, as no allocator does). Its
  /// heaps begin at 0xaaaa….
  var addressLimit: UInt64 { self == .x86 ? 1 << 47 : 1 << 48 }

  /// Of this system: arm64 has pages of 4, 16 or 64 KB.
  static let page = UInt64(max(4096, sysconf(Int32(_SC_PAGESIZE))))
}

/// System calls, by their names in the kernel's headers.
enum KernelCall: String, CaseIterable, Sendable {
  case accept, accept4, futex, mmap, msgrcv, nanosleep, pause, poll, ppoll, pselect6, read, recvfrom, recvmsg, select
  case semop, semtimedop, sendmsg, sendto, wait4, waitid, write
  case clockNanosleep = "clock_nanosleep"
  case epollPwait = "epoll_pwait"
  case epollPwait2 = "epoll_pwait2"
  case epollWait = "epoll_wait"
  case ioGetevents = "io_getevents"
  case restartSyscall = "restart_syscall"
  case rtSigreturn = "rt_sigreturn"
  case rtSigsuspend = "rt_sigsuspend"
  case rtSigtimedwait = "rt_sigtimedwait"

  /// nil where there is none: arm64 has only the last of each family.
  func number(on processor: Processor) -> UInt64? {
    let (x86, arm64) = numbers
    return processor == .x86 ? x86 : arm64
  }

  private var numbers: (UInt64, UInt64?) {
    switch self {
    case .accept: (43, 202)
    case .accept4: (288, 242)
    case .clockNanosleep: (230, 115)
    case .epollPwait: (281, 22)
    case .epollPwait2: (441, 441)
    case .epollWait: (232, nil)
    case .futex: (202, 98)
    case .ioGetevents: (208, 4)
    case .mmap: (9, 222)
    case .msgrcv: (70, 188)
    case .nanosleep: (35, 101)
    case .pause: (34, nil)
    case .poll: (7, nil)
    case .ppoll: (271, 73)
    case .pselect6: (270, 72)
    case .read: (0, 63)
    case .recvfrom: (45, 207)
    case .recvmsg: (47, 212)
    case .restartSyscall: (219, 128)
    case .rtSigreturn: (15, 139)
    case .rtSigsuspend: (130, 133)
    case .rtSigtimedwait: (128, 137)
    case .select: (23, nil)
    case .semop: (65, 193)
    case .semtimedop: (220, 192)
    case .sendmsg: (46, 211)
    case .sendto: (44, 206)
    case .wait4: (61, 260)
    case .waitid: (247, 95)
    case .write: (1, 64)
    }
  }
}

extension Collection<KernelCall> {
  /// Those that there are, in this order.
  func numbers(on processor: Processor) -> [UInt64] { compactMap { $0.number(on: processor) } }
}
