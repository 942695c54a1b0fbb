#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Which threads may be borrowed, the best first.
enum ThreadChoice {
  /// Of an event loop, and of a main thread that has none: nobody waits in them with a lock of the allocator, the dynamic
  /// linker or Swift's runtime.
  private static let loops: [KernelCall] = [
    .epollWait, .epollPwait, .epollPwait2, .rtSigsuspend, .pause, .rtSigtimedwait,
  ]
  /// Other system calls that wait, in the order in which they are preferred.
  private static let others: [KernelCall] = [
    .poll, .ppoll, .select, .pselect6, .read, .recvfrom, .recvmsg, .accept, .accept4, .wait4, .waitid, .futex,
  ]

  static func preferred(_ calls: [(thread: pid_t, call: [UInt64])], on processor: Processor) -> [pid_t] {
    let numbers = (loops + others).numbers(on: processor)
    return calls.filter { !mayWaitForLock($0.call, processor) }
      .compactMap { entry in numbers.firstIndex(of: entry.call[0]).map { (entry.thread, $0) } }
      .sorted { ($0.1, $0.0) < ($1.1, $1.0) }.map(\.0)
  }

  /// Of the kinds of waiting by futex(2) the C library uses FUTEX_WAIT_BITSET for conditions, semaphores and the ends of
  /// threads, and another for locks: who waits for one lock may hold another.
  private static func mayWaitForLock(_ call: [UInt64], _ processor: Processor) -> Bool {
    isFutex(call[0], processor) && (call.count < 3 || call[2] & 0x7f != 9)
  }

  private static func isFutex(_ call: UInt64, _ processor: Processor) -> Bool {
    call == KernelCall.futex.number(on: processor)
  }

  /// Code in which a lock may be held that loading a library needs.
  struct LockedCode {
    var linker: [Range<UInt64>] = []
    var runtime: [Range<UInt64>] = []

    init(linker: [Range<UInt64>] = [], runtime: [Range<UInt64>] = []) {
      self.linker = linker
      self.runtime = runtime
    }

    init(_ maps: ProcessMaps) {
      func code(_ isIt: (String) -> Bool) -> [Range<UInt64>] {
        maps.mappings.filter { $0.isExecutable && isIt($0.name) }.map { $0.start..<$0.end }
      }
      linker = code { $0.contains("/ld-linux") }
      runtime = code { $0.hasSuffix("/libswiftCore.so") }
    }
  }

  /// Whether a thread that waits in that system call may be borrowed: it is an event loop's, or none of these words of its stack
  /// leads into code that may hold a lock which we need. Old words that were left there count, too. Swift's runtime waits for
  /// others by futex(2) alone while it holds one: who waits in a read(2) of `readLine` is free.
  ///
  /// - Parameter isLast: There was no other for a while. A thread that waits for the world outside is taken then whatever stands
  ///   there: lazy binding leaves words of the linker behind in many programs, and one that waits so in a constructor while it
  ///   holds the linker's lock would only hold up the thread that it makes, which loads the library, for as long.
  static func isFree(
    call: UInt64, stack: [UInt64], locked: LockedCode, isLast: Bool = false, on processor: Processor
  ) -> Bool {
    let isFutex = isFutex(call, processor)
    if loops.numbers(on: processor).contains(call) || (isLast && !isFutex) { return true }
    let code = locked.linker + (isFutex ? locked.runtime : [])
    return !stack.contains { word in code.contains { mayLead(word, into: $0, processor) } }
  }

  /// A return address may be signed on arm64 (pac-ret), above the bits that the smallest address space has: 36 (pages of
  /// 16 KB in two levels). What is elsewhere by those above them only is taken for it, too.
  private static func mayLead(_ word: UInt64, into code: Range<UInt64>, _ processor: Processor) -> Bool {
    guard processor == .arm64 else { return code.contains(word) }
    let significant: UInt64 = 1 << 36 - 1
    return (word &- code.lowerBound) & significant < code.upperBound - code.lowerBound
  }
}
