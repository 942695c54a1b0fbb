import CAttach

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// What a thread is borrowed for: to have a library loaded and a function of it called on a thread of its own.
struct Errand {
  /// Paths as the program sees them.
  let library: String
  let function: String
  let requestSize: UInt64
  /// What stands behind the block's head.
  let request: (AttachPlan) -> [UInt8]

  fileprivate static let code: [UInt8] = {
    var size = 0
    let start = attach_code(&size)
    return Array(UnsafeRawBufferPointer(start: start, count: size))
  }()
}

extension Tracer {
  /// Finds a thread that may be borrowed, has it make a thread which loads the library, and puts it back.
  ///
  /// - Returns: the plan that was carried out; nil if no thread may be borrowed just now. The program is as it was then.
  func send(
    _ errand: Errand, calls: TargetCalls, locked: ThreadChoice.LockedCode, isLast: Bool
  ) throws(AttachError) -> Loan? {
    letGoOfLate()
    let waiting = target.threads().compactMap { thread in
      target.systemCall(of: thread).map { (thread: thread, call: $0) }
    }
    for thread in ThreadChoice.preferred(waiting, on: .own) {
      if let loan = try borrow(thread, errand, calls, locked, isLast) { return loan }
    }
    return nil
  }

  /// A thread that was borrowed and is back.
  struct Loan {
    let plan: AttachPlan
    /// How long it was away, from when it was asked to stand until it was put back, in microseconds. It stands for little of
    /// that: it runs our code, at its own priority, and waits for a processor as it does after any wait.
    let microseconds: Int64
    /// Whether it was seen outside our code; else it may be in it still, which has to stay then.
    let isBack: Bool
  }

  /// Microseconds in which a thread that waits has to stand.
  private static let standing: Int32 = 3_000

  private func borrow(
    _ thread: pid_t, _ errand: Errand, _ calls: TargetCalls, _ locked: ThreadChoice.LockedCode,
    _ isLast: Bool
  ) throws(AttachError) -> Loan? {
    let maps = target.maps()
    hurry()
    defer { attach_hurry(0) }
    guard try seize(thread), stop(thread, within: Self.standing) else { return nil }
    defer { letGo(thread) }
    guard attach_has_shadow_stack(thread) == 0 else {
      throw AttachError(
        "The returns of process \(target.process) are guarded by the processor (shadow stack), so no thread of it can be sent "
          + "elsewhere. Start it with: patchbay run")
    }
    let first = try state(of: thread)
    guard Interruption(first.registers) == .restartable,
      ThreadChoice.isFree(
        call: first.registers.callNumber, stack: stack(of: first.registers, maps), locked: locked, isLast: isLast,
        on: .own)
    else { return nil }
    // All that is to be written is worked out while it waits on.
    if let mended = first.registers.mended { try set(mended, of: thread) }
    try goOn(thread)
    attach_hurry(0)
    guard
      let plan = AttachPlan(
        thread: first.registers, mask: first.mask, vectors: first.vectors, calls: calls, maps: maps,
        requestSize: errand.requestSize, mapped: unused)
    else { return nil }
    let block = plan.head(library: errand.library, function: errand.function)
    let request = errand.request(plan)
    hurry()
    let began = Self.now
    guard stop(thread, within: Self.standing), try state(of: thread) == first else { return nil }
    guard let isBack = try carryOut(plan, on: thread, block, request) else { return nil }
    let loan = Loan(plan: plan, microseconds: Self.now - began, isBack: isBack)
    let result = target.memory.half(at: plan.block + AttachPlan.resultOffset) ?? 0
    guard result == 0 else { throw .system("make a thread in process \(target.process)", Int32(bitPattern: result)) }
    return loan
  }

  private struct ThreadState: Equatable {
    let registers: Registers
    let mask: UInt64
    let vectors: [UInt8]
  }

  private func state(of thread: pid_t) throws(AttachError) -> ThreadState {
    var mask: UInt64 = 0
    try check(attach_signal_mask(thread, &mask), "read the signal mask")
    return ThreadState(registers: try registers(of: thread), mask: mask, vectors: try vectors(of: thread))
  }

  /// Microseconds in which a thread that runs our code comes to its wait, and then to stand in it, on a machine that is busy.
  private static let arriving: Int64 = 1_000_000, making: Int64 = 10_000_000, stopping: Int32 = 300_000

  /// The thread stands when this begins. When it returns the thread stands as it was, or goes back by itself.
  ///
  /// - Returns: whether it is known to be back; nil if it was not sent on, because it went back before this machine had time
  ///   for us (`missed`).
  private func carryOut(
    _ plan: AttachPlan, on thread: pid_t, _ block: [UInt8], _ request: [UInt8]
  ) throws(AttachError) -> Bool? {
    let before = target.memory.bytes(at: plan.stackAddress, count: plan.stackBytes.count)
    guard before.count == plan.stackBytes.count else {
      throw AttachError("The stack of a thread of process \(target.process) cannot be read. It is as it was.")
    }
    try target.memory.write(plan.stackBytes, at: plan.stackAddress)
    try set(plan.begin, of: thread)
    // From here on it finds its own way back.
    try goOn(thread)
    // We may have been away for longer than it waits: its registers say whether it still does.
    guard try wait(for: thread, atMost: Self.arriving, until: { plan.isWaiting(target.systemCall(of: thread)) }),
      stop(thread, within: Self.stopping), plan.isInFirstWait(try registers(of: thread))
    else {
      missed = AttachError(
        "This machine is so busy that for 10 s no thread of process \(target.process) could be sent on in time. It runs on as "
          + "it was; attach again when there is less to do.")
      return nil
    }
    let isMapped = attach_is_mapped(target.process, plan.code, plan.code + plan.codeSize) == 1
    if isMapped {
      unused = plan.code
      try target.memory.writeCode(Errand.code, at: plan.code)
      try target.memory.write(block, at: plan.block)
      try target.memory.write(request, at: plan.block + AttachPlan.headSize)
      try set(plan.run, of: thread)
      unused = nil
      try goOn(thread)
      // It does this in its own time, and begins to wait for us only then.
      let isMade = try wait(for: thread, atMost: Self.making) {
        target.memory.half(at: plan.block + AttachPlan.madeOffset) ?? 0 != 0
      }
      guard isMade else {
        throw AttachError(
          "A thread of process \(target.process) has not made another within 10 s. It goes back by itself once it has; then "
            + "attach again.")
      }
      guard stop(thread, within: Self.stopping) else { return false }
      guard plan.isInCode(try registers(of: thread)) else { return true }
    }
    // What the last frame would give, too; the registers last, all at once.
    try check(attach_set_signal_mask(thread, plan.mask), "set the signal mask")
    try check(
      plan.vectors.withUnsafeBytes { attach_set_vectors(thread, $0.baseAddress, $0.count) }, "set the registers")
    try set(plan.thread.endedForHandler.flatMap { hasHandler(thread) ? $0 : nil } ?? plan.end, of: thread)
    try? target.memory.write(before, at: plan.stackAddress)
    if !isMapped {
      // Another thread may have taken the place meanwhile.
      missed = AttachError(
        "Process \(target.process) could not map memory for 10 s, so nothing can be loaded into it. It is as it was.")
    }
    return isMapped ? true : nil
  }

  /// What lies on top of a thread's stack, at most 1 KB, and where it returns to.
  func stack(of registers: Registers, _ maps: ProcessMaps) -> [UInt64] {
    let pointer = registers.stack
    let end = min(maps.mapping(at: pointer)?.end ?? pointer, pointer + 1024)
    let words = target.memory.words(at: pointer, count: Int(end - pointer) / 8) ?? []
    return words + (registers.returnAddress.map { [$0] } ?? [])
  }

  private func wait(
    for thread: pid_t, atMost microseconds: Int64, until condition: () -> Bool
  ) throws(AttachError) -> Bool {
    let deadline = Self.now + microseconds
    while !condition() {
      guard attach_pass_signals(thread) != ESRCH else { throw target.hasEnded }
      guard Self.now < deadline else { return false }
      attach_pause(100)
    }
    return true
  }
}
