import Foundation
import PatchbayTestSupport
import Testing

@testable import PatchbayAttach

/// What `/proc` says of a thread that waits on arm64.
private func call(
  _ number: KernelCall, _ arguments: [UInt64] = [3, 0x5000, 16, .max, 0, 8], place: UInt64 = 0x7f00_0021_0104
)
  -> SystemCall?
{
  SystemCall(words: [number.number(on: .arm64) ?? 0] + arguments + [0x7f00_0008_0000, place])
}

/// The same thread when it stands: set back to its call, or behind it with a result.
private func standing(in call: SystemCall?, result: Int64? = nil) -> Registers {
  var registers = Registers(words: (0..<34).map { 0x1000 + $0 }, call: call)
  guard let call else { return registers }
  for (name, value) in zip([.x0, .x1, .x2, .x3, .x4, .x5] as [Registers.ArmName], call.arguments) {
    registers[name] = value
  }
  registers[.x8] = call.number
  registers[.sp] = call.stack
  registers[.pc] = call.place - 4
  if let result {
    registers[.x0] = UInt64(bitPattern: result)
    registers[.pc] = call.place
  }
  return registers
}

@Suite(.bounded) struct ArmInterruptionTests {
  private let eternal: [UInt64] = [3, 0x5000, 16, .max, 0, 8], limited: [UInt64] = [3, 0x5000, 16, 1000, 0, 8]

  @Test func whatTheKernelBeginsAgainIsTakenAsItStands() {
    for number in [.read, .ppoll, .pselect6, .rtSigsuspend, .accept4, .wait4] as [KernelCall] {
      let registers = standing(in: call(number))
      #expect(Interruption(registers) == .restartable && registers.isRestartedByKernel, "\(number)")
      #expect(registers.resumed == registers && registers.resumedNow == registers && registers.mended == nil)
    }
  }

  @Test func whatHasARestOfTimeThatTheKernelKeepsIsLeftAlone() {
    for number in [.nanosleep, .clockNanosleep, .restartSyscall] as [KernelCall] {
      #expect(Interruption(standing(in: call(number))) == .timed, "\(number)")
    }
    #expect(Interruption(standing(in: call(.futex, [1, 0x189, 0, 0x6000, 0, 0]))) == .timed)
    #expect(Interruption(standing(in: call(.futex, [1, 0x189, 0, 0, 0, 0]))) == .restartable)
  }

  /// Its first argument is known from before only.
  @Test func anEventLoopThatEndedBecauseOfTheStopBeginsAgain() throws {
    let waiting = try #require(call(.epollPwait, eternal))
    let registers = standing(in: waiting, result: -4)
    #expect(Interruption(registers) == .restartable && !registers.isRestartedByKernel)
    #expect(registers.resumed == standing(in: waiting) && registers.resumedNow == standing(in: waiting))
    #expect(registers.mended == standing(in: waiting))
    let other = standing(in: call(.epollPwait, limited), result: -4)
    // It would wait for longer than it wanted to. But where nobody borrows it that is better than an error.
    #expect(Interruption(other) == .timed && other.mended == standing(in: call(.epollPwait, limited)))
    #expect(other.resumed == other)
  }

  @Test func onlyCallsThatNobodyExpectsToEndAreMended() {
    for number in [.read, .recvmsg, .epollPwait2, .accept] as [KernelCall] {
      #expect(standing(in: call(number), result: -4).mended == standing(in: call(number)), "\(number)")
      #expect(standing(in: call(number), result: 4).mended == nil, "\(number)")
    }
    for number in [.ppoll, .rtSigsuspend, .futex, .nanosleep] as [KernelCall] {
      #expect(standing(in: call(number), result: -4).mended == nil, "\(number)")
    }
  }

  /// It would wait once more for what has come already.
  @Test func aCallThatEveryHandlerEndsIsEndedForOne() throws {
    for number in [.ppoll, .pselect6, .rtSigsuspend] as [KernelCall] {
      let waiting = try #require(call(number))
      #expect(standing(in: waiting).endedForHandler == standing(in: waiting, result: -4), "\(number)")
    }
    let loop = call(.epollPwait, eternal)
    #expect(standing(in: loop, result: -4).endedForHandler == standing(in: loop, result: -4))
    // Their handlers say by SA_RESTART what they want, and most do.
    for number in [.read, .accept4, .wait4, .nanosleep] as [KernelCall] {
      #expect(standing(in: call(number)).endedForHandler == nil, "\(number)")
    }
    // The kernel knows by itself.
    #expect(waiting(in: 130, -514).endedForHandler == nil)
  }

  /// What was seen before the stop counts only if the thread stands in the same call.
  @Test func aThreadThatWentOnMeanwhileIsComputing() {
    let before = call(.epollPwait)
    #expect(Interruption(standing(in: nil)) == .computing)
    for name in [.sp, .pc, .x1, .x2, .x3, .x4, .x5, .x8] as [Registers.ArmName] {
      for result in [nil, -4] as [Int64?] {
        var registers = standing(in: before, result: result)
        registers[name] &+= 8
        #expect(Interruption(registers) == .computing && registers.mended == nil, "\(name)")
        #expect(!registers.isRestartedByKernel && registers.resumed == registers)
      }
    }
    var other = standing(in: before)
    other[.x0] &+= 1
    #expect(Interruption(other) == .computing)
    // It has come back with a result.
    #expect(Interruption(standing(in: before, result: 2)) == .computing)
  }

  @Test func threadsAreChosenByTheNumbersOfTheirProcessor() {
    let calls: [(thread: pid_t, call: [UInt64])] = [
      (1, [98, 0, 0x189]), (2, [128]), (3, [73]), (5, [22]), (4, [22]), (6, [98, 0, 0x80]), (7, [232]), (8, [63]),
      (9, [133]), (10, [101]),
    ]
    #expect(ThreadChoice.preferred(calls, on: .arm64) == [4, 5, 9, 3, 8, 1])
  }

  @Test func aSignedReturnAddressLeadsWhereItLeads() {
    let linker = ThreadChoice.LockedCode(linker: [0xffff_8000_1000..<0xffff_8000_2000])
    for word in [0xffff_8000_1000, 0x00a3_ffff_8000_1ffc, 0x0012_345f_8000_1804] as [UInt64] {
      #expect(!ThreadChoice.isFree(call: 63, stack: [1, word], locked: linker, on: .arm64), "\(word)")
      #expect(ThreadChoice.isFree(call: 22, stack: [1, word], locked: linker, on: .arm64))
    }
    for word in [0xffff_8000_2000, 0xffff_8000_0ffc, 0xffff_9000_1000, 0] as [UInt64] {
      #expect(ThreadChoice.isFree(call: 63, stack: [word], locked: linker, on: .arm64), "\(word)")
    }
    let runtime = ThreadChoice.LockedCode(runtime: [100..<200])
    #expect(!ThreadChoice.isFree(call: 98, stack: [199], locked: runtime, isLast: true, on: .arm64))
    #expect(ThreadChoice.isFree(call: 63, stack: [199], locked: runtime, on: .arm64))
  }

  /// The smallest address space has 36 bits: what stands above them may be a signature, and the last of them may not.
  @Test func ofAnAddressThirtySixBitsCount() {
    let linker = ThreadChoice.LockedCode(linker: [0xffff_8000_1000..<0xffff_8000_2000])
    #expect(!ThreadChoice.isFree(call: 63, stack: [0x000f_8000_1804], locked: linker, on: .arm64))
    #expect(ThreadChoice.isFree(call: 63, stack: [0xfff7_8000_1804], locked: linker, on: .arm64))
  }

  @Test func aThreadThatIsSentElsewhereKeepsAllElse() {
    let thread = standing(in: call(.ppoll))
    var expected = thread
    (expected[.pc], expected[.sp]) = (0x77, 0x88)
    #expect(thread.sent(to: 0x77, stack: 0x88) == expected && thread.returnAddress == thread[.x30])
    var other = waiting(in: 7)
    let sent = other.sent(to: 0x77, stack: 0x88)
    (other[.rip], other[.rsp], other[.origRax]) = (0x77, 0x88, UInt64.max)
    #expect(sent == other && other.returnAddress == nil)
  }

  /// The end of glibc's `syscall`, as Debian has it.
  @Test func theCallOfTheSystemIsFoundWhereItReturnsPlainly() {
    func bytes(_ words: [UInt32]) -> [UInt8] { words.flatMap { UInt64($0).littleEndianBytes.prefix(4) } }
    func place(_ words: [UInt32]) -> Int? { TargetCalls.systemCall(in: bytes(words), on: .arm64) }
    #expect(place([0xd503_201f, 0xaa07_03e6, 0xd400_0001, 0xb13f_fc1f, 0x5400_0042, 0xd65f_03c0, 0x17fd_0f3b]) == 8)
    #expect(place([0xd400_0001, 0xd65f_03c0]) == 0)
    // autiasp; ret. A return address of ours is not signed.
    #expect(place([0xd400_0001, 0xb13f_fc1f, 0x5400_0042, 0xd503_23bf, 0xd65f_03c0]) == nil)
    #expect(place([0xd503_201f, 0xd65f_03c0]) == nil)
    #expect(place([0xd400_0001]) == nil)
    // Instructions lie at multiples of four.
    #expect(TargetCalls.systemCall(in: [0, 0] + bytes([0xd400_0001, 0xd65f_03c0]) + [0, 0], on: .arm64) == nil)
  }
}

@Suite(.bounded) struct ArmPlanTests {
  private let calls = TargetCalls(
    systemCall: 0x7f00_0021_1828, signalReturn: 0x7f00_0030_0050, makeThread: 1, openLibrary: 2, findSymbol: 3,
    errorNumber: 4, libraryError: 5, thisThread: 6, detachThread: 7)
  private let maps = ProcessMaps(
    text: """
      7f0000000000-7f0000100000 rw-p 00000000 00:00 0
      7f0000200000-7f0000210000 r--p 00000000 fe:00 13 /usr/lib/libc.so.6
      7f0000210000-7f0000300000 r-xp 00010000 fe:00 13 /usr/lib/libc.so.6
      7f0000300000-7f0000301000 r-xp 00000000 00:00 0 [vdso]
      """)
  private let vectors = (0..<528).map { UInt8(truncatingIfNeeded: $0 / 2) }

  private func makePlan(_ thread: Registers, mapped: UInt64? = nil, page: UInt64 = 4096, vectors: [UInt8]? = nil)
    -> AttachPlan?
  {
    AttachPlan(
      thread: thread, mask: 0x4000, vectors: vectors ?? self.vectors, calls: calls, maps: maps, requestSize: 8192,
      mapped: mapped, page: page)
  }

  private func word(_ bytes: [UInt8], frame: Int = 0, at offset: Int) -> UInt64 {
    bytes[(frame * ArmSignalFrame.size + offset)...].littleEndianWord
  }

  private func register(_ bytes: [UInt8], frame: Int = 0, _ name: Registers.ArmName) -> UInt64 {
    word(bytes, frame: frame, at: ArmSignalFrame.registersOffset + 8 * name.rawValue)
  }

  @Test func aFrameHasEachRegisterAndTheVectorsWhereTheKernelReadsThem() {
    let registers = standing(in: call(.ppoll))
    let bytes = ArmSignalFrame.bytes(registers, mask: 0xf0f0, vectors: vectors)
    #expect(bytes.count == ArmSignalFrame.size && bytes.count % 16 == 0)
    for index in 0..<34 { #expect(word(bytes, at: 312 + 8 * index) == registers.words[index]) }
    #expect(word(bytes, at: 168) == 0xf0f0)
    #expect(word(bytes, at: 152) == 0x7fff)
    #expect(word(bytes, at: 592) == 0x0000_0210_4650_8001)
    #expect(bytes[600..<608].elementsEqual(vectors[512..<520]))
    #expect(bytes[608..<1120].elementsEqual(vectors[..<512]))
    #expect(word(bytes, at: 1120) == 0 && word(bytes, at: 1128) == 0)
  }

  @Test func theChainMapsTwiceWaitsAndEndsWhereTheThreadWas() throws {
    let thread = standing(in: call(.epollPwait), result: -4)
    let plan = try #require(makePlan(thread))
    let bytes = plan.stackBytes
    #expect(plan.stackAddress % 64 == 0)
    #expect(plan.stackAddress + UInt64(bytes.count) <= thread.stack - AttachPlan.redZone)
    for frame in 0..<3 {
      #expect(register(bytes, frame: frame, .pc) == calls.systemCall)
      #expect(register(bytes, frame: frame, .x30) == calls.signalReturn)
      // The next one's return reads the next frame.
      #expect(register(bytes, frame: frame, .sp) == plan.stackAddress + UInt64((frame + 1) * ArmSignalFrame.size))
      #expect(word(bytes, frame: frame, at: 168) == .max)
    }
    #expect((0..<4).map { register(bytes, frame: $0, .x8) } == [222, 222, 73, 22])
    #expect(register(bytes, frame: 0, .x0) == plan.code && register(bytes, frame: 1, .x0) == plan.block)
    #expect(register(bytes, frame: 0, .x1) == 4096 && register(bytes, frame: 1, .x1) == plan.blockSize)
    #expect(register(bytes, frame: 0, .x2) == 5 && register(bytes, frame: 1, .x2) == 3)
    #expect(register(bytes, frame: 0, .x3) == 0x10_0022 && register(bytes, frame: 0, .x4) == .max)
    // ppoll(NULL, 0, half a second, NULL).
    let time = register(bytes, frame: 2, .x2)
    #expect([.x0, .x1, .x3, .x4].allSatisfy { register(bytes, frame: 2, $0) == 0 })
    let offset = Int(time - plan.stackAddress)
    #expect(offset >= 4 * ArmSignalFrame.size && word(bytes, at: offset) == 0)
    #expect(word(bytes, at: offset + 8) == 500_000_000 && offset + 16 == bytes.count)
    #expect(plan.isWaiting([73, 0, 0, time, 0, 0, 8, 1, 2]))
    #expect(!plan.isWaiting([73, 0, 0, time + 8, 0, 0, 8, 1, 2]) && !plan.isWaiting([73, 0]) && !plan.isWaiting(nil))
    // The last one is the thread's own, on its call again.
    let home = standing(in: thread.call)
    for index in 0..<34 { #expect(word(bytes, frame: 3, at: 312 + 8 * index) == home.words[index]) }
    #expect(word(bytes, frame: 3, at: 168) == 0x4000)
    for frame in 0..<4 { #expect(word(bytes, frame: frame, at: 592) == 0x0000_0210_4650_8001) }
    #expect(plan.begin[.pc] == calls.signalReturn && plan.begin[.sp] == plan.stackAddress)
    #expect(plan.home == plan.stackAddress + UInt64(3 * ArmSignalFrame.size))
    #expect(plan.end == home)
  }

  @Test func theCodeRunsOnAStackOfItsOwn() throws {
    let plan = try #require(makePlan(standing(in: call(.ppoll))))
    #expect(plan.run[.pc] == plan.code && plan.run[.x19] == plan.block && plan.run[.sp] % 16 == 0)
    #expect(plan.run[.sp] > plan.block + AttachPlan.headSize + 8192 && plan.run[.sp] < plan.block + plan.blockSize)
    #expect(plan.run[.pstate] == plan.thread[.pstate] && plan.end == plan.thread)
  }

  @Test func aThreadThatHasGoneBackByItselfIsToldByItsRegisters() throws {
    for plan in [
      try #require(makePlan(standing(in: call(.ppoll)))),
      try #require(makePlan(standing(in: call(.ppoll)), mapped: 0x7f00_0018_0000)),
    ] {
      #expect(!plan.isInFirstWait(plan.thread) && !plan.isInFirstWait(plan.begin) && !plan.isInFirstWait(plan.run))
      var waiting = plan.thread
      waiting[.sp] = plan.home
      // The kernel has set it back to its call, or its time was over.
      for place in [calls.systemCall, calls.systemCall + 4] {
        waiting[.pc] = place
        #expect(plan.isInFirstWait(waiting))
      }
      waiting[.pc] = calls.systemCall + 8
      #expect(!plan.isInFirstWait(waiting))
      waiting[.pc] = calls.systemCall
      // It maps; the program's own calls come from the same place.
      for stack in [plan.home - UInt64(ArmSignalFrame.size), plan.thread.stack] {
        waiting[.sp] = stack
        #expect(!plan.isInFirstWait(waiting))
      }
      #expect(plan.isInCode(plan.run) && !plan.isInCode(plan.thread) && !plan.isInCode(plan.begin))
    }
  }

  @Test func largePagesAreMappedWhole() throws {
    let plan = try #require(makePlan(standing(in: call(.ppoll)), page: 0x10000))
    #expect(plan.code % 0x10000 == 0 && plan.codeSize == 0x10000 && plan.blockSize % 0x10000 == 0)
    #expect(plan.block == plan.code + 0x10000 && plan.size == plan.codeSize + plan.blockSize)
    #expect(register(plan.stackBytes, frame: 0, .x1) == 0x10000)
    #expect(plan.isInCode(plan.run.sent(to: plan.code + 0xfffc, stack: 0)))
  }

  @Test func withoutItsVectorsAThreadIsNotSentAway() {
    // The kernel takes no frame without them.
    #expect(makePlan(standing(in: call(.ppoll)), vectors: []) == nil)
    #expect(makePlan(standing(in: call(.ppoll)), vectors: vectors + [0]) == nil)
  }
}
