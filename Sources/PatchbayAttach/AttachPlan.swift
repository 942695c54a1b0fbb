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
  /// Bytes below the stack pointer that a function may use (System V ABI, x86-64, 3.2.2). On arm64 there are none such; they
  /// are left alone all the same.
  static let redZone: UInt64 = 128
  /// For the stack on which the borrowed thread runs our code.
  static let stackSize: UInt64 = 64 << 10
  /// The words that the code reads stand in the first page, the request behind it.
  static let headSize: UInt64 = 4096

  let thread: Registers
  let mask: UInt64
  let vectors: [UInt8]
  let calls: TargetCalls
  /// Code first, then the block: head, request, stack.
  let code: UInt64
  /// A page.
  let codeSize: UInt64
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

  var block: UInt64 { code + codeSize }
  var size: UInt64 { codeSize + blockSize }
  /// Where the last frame stands, for the code to go back by.
  let home: UInt64
  /// `/proc/PID/task/TID/syscall` begins so while the thread waits for us.
  private let waiting: [UInt64]

  /// - Parameters:
  ///   - thread: of a thread that was stopped in a system call (`Interruption.restartable`).
  ///   - mask: the signals that it blocks.
  ///   - vectors: as `ptrace` has them.
  ///   - requestSize: bytes behind the head.
  ///   - mapped: where the code is to lie, in memory that an earlier plan of the same size had mapped and did not use.
  ///   - page: of the system.
  /// - Returns: nil where there is no room on its stack or in the memory.
  init?(
    thread: Registers, mask: UInt64, vectors: [UInt8], calls: TargetCalls, maps: ProcessMaps, requestSize: UInt64,
    mapped: UInt64? = nil, page: UInt64 = Processor.page
  ) {
    let processor = thread.processor
    guard processor == .x86 || vectors.count == ArmSignalFrame.vectorBytes else { return nil }
    let blockSize = (Self.headSize + requestSize + Self.stackSize + page - 1) & ~(page - 1)
    // What the frames point at: x86-64 has the vector registers beside them, arm64 the time to wait.
    let tail = processor == .x86 ? SignalFrame.vectors(vectors) : Self.span(milliseconds: Self.patience)
    let tailAt = (thread.stack &- Self.redZone &- UInt64(tail.count) &- 64) & ~63
    let lead = processor.frameLead
    let step = lead + UInt64(processor.frameSize)
    let chain = (tailAt &- (mapped == nil ? 4 : 2) * step) & ~63
    guard let stack = maps.mapping(at: thread.stack), stack.isWritable, chain >= stack.start + 4096,
      let near = maps.mapping(at: calls.systemCall),
      let code = mapped ?? maps.gap(of: page + blockSize, below: near.start, page: page)
    else { return nil }
    self.thread = thread
    self.mask = mask
    self.vectors = vectors
    self.calls = calls
    self.code = code
    self.codeSize = page
    self.blockSize = blockSize

    func call(_ call: KernelCall, _ arguments: [UInt64]) -> Registers {
      thread.calling(
        call.number(on: processor) ?? .max, arguments, at: calls.systemCall, thenAt: calls.signalReturn)
    }
    func map(_ address: UInt64, _ size: UInt64, _ rights: UInt64) -> Registers {
      // MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE: never over what another thread has mapped meanwhile.
      call(.mmap, [address, size, rights, 0x10_0022, .max, 0])
    }
    func frame(_ registers: Registers, mask: UInt64, isLast: Bool) -> [UInt8] {
      switch processor {
      case .x86: SignalFrame.bytes(registers, mask: mask, vectorsAt: isLast ? tailAt : nil)
      case .arm64: ArmSignalFrame.bytes(registers, mask: mask, vectors: vectors)
      }
    }
    let block = code + page
    var chained: [Registers] = []
    if mapped == nil {
      chained.append(map(code, page, 5))
      chained.append(map(block, blockSize, 3))
    }
    let wait: (call: KernelCall, arguments: [UInt64]) =
      processor == .x86 ? (.poll, [0, 0, Self.patience]) : (.ppoll, [0, 0, tailAt, 0, 0])
    chained.append(call(wait.call, wait.arguments))
    waiting = [wait.call.number(on: processor) ?? .max] + wait.arguments
    // Where a frame's call returns to: that call's stack begins with it, or it is in a register.
    let returning = Array(calls.signalReturn.littleEndianBytes.prefix(Int(lead)))
    var bytes: [UInt8] = []
    for (index, var registers) in chained.enumerated() {
      // The next frame.
      registers.stack = chain + UInt64(index + 1) * step
      bytes += returning + frame(registers, mask: .max, isLast: false)
    }
    bytes += returning + frame(thread.resumed, mask: mask, isLast: true)
    bytes += [UInt8](repeating: 0, count: Int(tailAt - chain) - bytes.count)
    stackAddress = chain
    stackBytes = bytes + tail
    home = chain + UInt64(chained.count) * step + lead

    begin = thread.sent(to: calls.signalReturn, stack: chain + lead)
    var run = thread.sent(to: code + UInt64(attach_code_borrowed()), stack: (block + blockSize - 64) & ~15)
    if processor == .x86 { run[.rbx] = block } else { run[.x19] = block }
    self.run = run
    end = thread.isRestartedByKernel ? thread : thread.resumedNow
  }

  /// As `timespec` has it.
  private static func span(milliseconds: UInt64) -> [UInt8] {
    (milliseconds / 1000).littleEndianBytes + (milliseconds % 1000 * 1_000_000).littleEndianBytes
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
    let after = calls.systemCall + registers.processor.systemCallSize
    // arm64's kernel sets it back to its call before it can be seen.
    let isThere = registers.place == after || registers.processor == .arm64 && registers.place == calls.systemCall
    return isThere && registers.stack == home - registers.processor.frameLead
  }

  /// Whether a thread that stands is still in our code, which it leaves by its last frame.
  func isInCode(_ registers: Registers) -> Bool { registers.place >= code && registers.place < code + codeSize }

  /// Offsets of the words in the head that the code writes: what making a thread came to, how far that thread is, its error's
  /// text, and whether the borrowed thread has made it. The two threads run at the same time, so that none of these says
  /// anything about the other's.
  static let resultOffset: UInt64 = 48, stateOffset: UInt64 = 52, errorOffset: UInt64 = 88, madeOffset: UInt64 = 112

  /// - Parameter call: what `/proc/PID/task/TID/syscall` says of the thread.
  func isWaiting(_ call: [UInt64]?) -> Bool { call?.starts(with: waiting) ?? false }
}
