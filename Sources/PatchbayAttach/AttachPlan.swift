import CAttach

/// All that is written into a target, and where, to have a library loaded on a thread of its own: a pure value.
///
/// A thread that waits in the kernel is borrowed. Its registers are set once, in one call, to a chain of signal frames on
/// its own stack, below the 128 bytes that it may use there without saying so. The chain blocks its signals, maps two
/// pieces of memory, waits half a second, and puts the thread back where it was: so that it finds its own way back if
/// whoever set it going is killed, at whatever moment. While it waits, code and data are written and it is sent through
/// them, into another such wait, in which it is put back exactly.
struct AttachPlan: Equatable, Sendable {
  /// How long the thread waits for us before it goes back by itself, in milliseconds. It tells the wait, too.
  static let patience: UInt64 = 500
  /// Bytes below the stack pointer that a function may use (System V ABI, x86-64, 3.2.2).
  static let redZone: UInt64 = 128
  static let codeSize: UInt64 = 4096
  /// For the stack on which the borrowed thread runs our code.
  static let stackSize: UInt64 = 64 << 10
  /// The words that the code reads stand in the first page, the request behind it.
  static let headSize: UInt64 = 4096

  private static let mapCall: UInt64 = 9, pollCall: UInt64 = 7
  private static let wordSize: UInt64 = 8

  let thread: Registers
  let mask: UInt64
  let vectors: [UInt8]
  let calls: TargetCalls
  /// Code first, then the block: head, request, stack.
  let code: UInt64
  let blockSize: UInt64
  /// What stands on the thread's stack meanwhile, and where.
  let stackAddress: UInt64
  let stackBytes: [UInt8]
  /// Sends the thread off.
  let begin: Registers
  /// Sends it through the code that is there then.
  let run: Registers
  /// Puts it back, where the kernel's way (`thread` as it was) would lead into an EINTR.
  let end: Registers

  var block: UInt64 { code + Self.codeSize }
  var size: UInt64 { Self.codeSize + blockSize }
  /// Where the last frame stands, for the code to go back by.
  let home: UInt64

  /// - Parameters:
  ///   - thread: of a thread that was stopped in a system call (`Interruption.restartable`).
  ///   - mask: the signals that it blocks.
  ///   - vectors: as `ptrace` has them.
  ///   - requestSize: bytes behind the head.
  ///   - mapped: where the code is to lie, in memory that an earlier plan of the same size had mapped and did not use.
  /// - Returns: nil where there is no room on its stack or in the memory.
  init?(
    thread: Registers, mask: UInt64, vectors: [UInt8], calls: TargetCalls, maps: ProcessMaps, requestSize: UInt64,
    mapped: UInt64? = nil
  ) {
    let blockSize = (Self.headSize + requestSize + Self.stackSize + 4095) & ~4095
    let frame = SignalFrame.vectors(vectors)
    let vectorsAt = (thread[.rsp] &- Self.redZone &- UInt64(frame.count) &- 64) & ~63
    let step = Self.wordSize + UInt64(SignalFrame.size)
    let chain = (vectorsAt &- (mapped == nil ? 4 : 2) * step) & ~63
    guard let stack = maps.mapping(at: thread[.rsp]), stack.isWritable, chain >= stack.start + 4096,
      let near = maps.mapping(at: calls.systemCall),
      let code = mapped ?? maps.gap(of: Self.codeSize + blockSize, below: near.start)
    else { return nil }
    self.thread = thread
    self.mask = mask
    self.vectors = vectors
    self.calls = calls
    self.code = code
    self.blockSize = blockSize

    func call(_ number: UInt64, _ arguments: [UInt64]) -> Registers {
      var registers = thread
      for (name, value) in zip([.rdi, .rsi, .rdx, .r10, .r8, .r9] as [Registers.Name], arguments) {
        registers[name] = value
      }
      registers[.rax] = number
      registers[.rip] = calls.systemCall
      return registers
    }
    func map(_ address: UInt64, _ size: UInt64, _ rights: UInt64) -> [UInt64] {
      // MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE: never over what another thread has mapped meanwhile.
      [address, size, rights, 0x10_0022, .max, 0]
    }
    let block = code + Self.codeSize
    var chained: [Registers] = []
    if mapped == nil {
      chained.append(call(Self.mapCall, map(code, Self.codeSize, 5)))
      chained.append(call(Self.mapCall, map(block, blockSize, 3)))
    }
    chained.append(call(Self.pollCall, [0, 0, Self.patience]))
    var bytes: [UInt8] = []
    for (index, var registers) in chained.enumerated() {
      // Where it returns to: the next frame.
      registers[.rsp] = chain + UInt64(index + 1) * step
      bytes += calls.signalReturn.littleEndianBytes + SignalFrame.bytes(registers, mask: .max, vectorsAt: nil)
    }
    bytes += calls.signalReturn.littleEndianBytes
    bytes += SignalFrame.bytes(thread.resumed, mask: mask, vectorsAt: vectorsAt)
    bytes += [UInt8](repeating: 0, count: Int(vectorsAt - chain) - bytes.count)
    stackAddress = chain
    stackBytes = bytes + frame
    home = chain + UInt64(chained.count) * step + Self.wordSize

    var begin = thread
    begin[.rip] = calls.signalReturn
    begin[.rsp] = chain + Self.wordSize
    begin[.origRax] = .max
    self.begin = begin
    var run = thread
    run[.rip] = code + UInt64(attach_code_borrowed())
    run[.rbx] = block
    run[.rsp] = (block + blockSize - 64) & ~15
    run[.origRax] = .max
    self.run = run
    end = thread.isRestartedByKernel ? thread : thread.resumedNow
  }

  /// The head of the block.
  func head(library: String, function: String) -> [UInt8] {
    let texts = block + 1024
    let words = [
      calls.makeThread, calls.openLibrary, calls.findSymbol, calls.errorNumber, code + UInt64(attach_code_own()), home,
      0, 0,
      texts, texts + UInt64(library.utf8.count) + 1, calls.libraryError, 0, calls.thisThread, calls.detachThread,
    ]
    var bytes = words.flatMap(\.littleEndianBytes)
    bytes += [UInt8](repeating: 0, count: 1024 - bytes.count)
    bytes += Array(library.utf8) + [0] + Array(function.utf8) + [0]
    return bytes
  }

  /// Whether a thread that stands is in its first wait. One that is not has gone back by itself, or is about to: its own
  /// registers are its own again.
  func isInFirstWait(_ registers: Registers) -> Bool {
    registers[.rip] == calls.systemCall + 2 && registers[.rsp] == home - Self.wordSize
  }

  /// Whether a thread that stands is still in our code, which it leaves by its last frame.
  func isInCode(_ registers: Registers) -> Bool { registers[.rip] >= code && registers[.rip] < code + Self.codeSize }

  /// Offsets of the words in the head that the code writes: what making a thread came to, how far that thread is, its error's
  /// text, and whether the borrowed thread has made it. The two threads run at the same time, so that none of these says
  /// anything about the other's.
  static let resultOffset: UInt64 = 48, stateOffset: UInt64 = 52, errorOffset: UInt64 = 88, madeOffset: UInt64 = 112

  /// `/proc/PID/task/TID/syscall` of a thread that waits for us.
  static func isWaiting(_ call: [UInt64]?) -> Bool {
    guard let call, call.count >= 4 else { return false }
    return call[0] == pollCall && call[1] == 0 && call[2] == 0 && call[3] == patience
  }
}

/// Which threads may be borrowed, the best first.
enum ThreadChoice {
  /// Of an event loop, and of a main thread that has none: nobody waits in them with a lock of the allocator, the dynamic
  /// linker or Swift's runtime. By their numbers on x86-64.
  private static let loops: [UInt64] = [
    232, 281, 441,  // epoll_wait, epoll_pwait, epoll_pwait2
    130, 34, 128,  // rt_sigsuspend, pause, rt_sigtimedwait
  ]
  /// Other system calls that wait, in the order in which they are preferred.
  private static let others: [UInt64] = [
    7, 271, 23, 270,  // poll, ppoll, select, pselect6
    0, 45, 47, 43, 288, 61, 247,  // read, recvfrom, recvmsg, accept, accept4, wait4, waitid
    futex,
  ]
  private static let futex: UInt64 = 202

  static func preferred(_ calls: [(thread: pid_t, call: [UInt64])]) -> [pid_t] {
    calls.filter { !mayWaitForLock($0.call) }
      .compactMap { entry in (loops + others).firstIndex(of: entry.call[0]).map { (entry.thread, $0) } }
      .sorted { ($0.1, $0.0) < ($1.1, $1.0) }.map(\.0)
  }

  /// Of the kinds of waiting by futex(2) the C library uses FUTEX_WAIT_BITSET for conditions, semaphores and the ends of
  /// threads, and another for locks: who waits for one lock may hold another.
  private static func mayWaitForLock(_ call: [UInt64]) -> Bool {
    call[0] == futex && (call.count < 3 || call[2] & 0x7f != 9)
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
  static func isFree(call: UInt64, stack: [UInt64], locked: LockedCode, isLast: Bool = false) -> Bool {
    if loops.contains(call) || (isLast && call != futex) { return true }
    let code = locked.linker + (call == futex ? locked.runtime : [])
    return !stack.contains { word in code.contains { $0.contains(word) } }
  }
}
