import Foundation
import PatchbayTestSupport
import Testing

@testable import PatchbayAttach

@Suite(.bounded) struct AttachPlanTests {
  private let calls = TargetCalls(
    systemCall: 0x7f00_0021_1827, signalReturn: 0x7f00_0021_c050, makeThread: 1, openLibrary: 2, findSymbol: 3,
    errorNumber: 4, libraryError: 5, thisThread: 6, detachThread: 7)
  private let maps = ProcessMaps(
    text: """
      7f0000000000-7f0000100000 rw-p 00000000 00:00 0
      7f0000200000-7f0000210000 r--p 00000000 fe:00 13 /usr/lib/libc.so.6
      7f0000210000-7f0000300000 r-xp 00010000 fe:00 13 /usr/lib/libc.so.6
      """)
  private let vectors = [UInt8](repeating: 0, count: 2696)

  private func makePlan(stack: UInt64 = 0x7f00_0008_0000, mapped: UInt64? = nil) -> AttachPlan? {
    AttachPlan(
      thread: waiting(in: 130, -514, stack: stack), mask: 0x4000, vectors: vectors, calls: calls, maps: maps,
      requestSize: 8192, mapped: mapped)
  }

  @Test func nothingIsWrittenIntoTheRedZoneOrAboveIt() throws {
    let plan = try #require(makePlan())
    #expect(plan.stackAddress + UInt64(plan.stackBytes.count) <= 0x7f00_0008_0000 - AttachPlan.redZone)
    #expect(plan.stackAddress % 64 == 0)
  }

  /// A page is left of its stack, and not a step less.
  @Test(arguments: [nil, 0x7e00_0000_0000] as [UInt64?]) func theStackHasToHaveRoom(_ mapped: UInt64?) throws {
    let start: UInt64 = 0x7f00_0000_0000
    let stacks = stride(from: start, to: start + 0x8000, by: 64)
    let lowest = try #require(stacks.first { makePlan(stack: $0, mapped: mapped) != nil })
    #expect(makePlan(stack: lowest, mapped: mapped)?.stackAddress == start + 4096)
    #expect(stacks.drop { $0 < lowest }.allSatisfy { makePlan(stack: $0, mapped: mapped) != nil })
    // With two frames less to put there.
    let step = 8 + UInt64(SignalFrame.size)
    let other = try #require(
      stacks.first { makePlan(stack: $0, mapped: mapped == nil ? 0x7e00_0000_0000 : nil) != nil })
    #expect((mapped == nil ? lowest - other : other - lowest) / 64 == (2 * step + 32) / 64)
  }

  @Test func theChainMapsTwiceWaitsAndEndsWhereTheThreadWas() throws {
    let plan = try #require(makePlan())
    let step = 8 + SignalFrame.size
    func word(_ frame: Int, _ index: Int) -> UInt64 {
      plan.stackBytes[(frame * step + 8 + 8 * index)...].littleEndianWord
    }
    for frame in 0..<4 {
      let first = plan.stackBytes[(frame * step)...].littleEndianWord
      #expect(first == calls.signalReturn)
    }
    for frame in 0..<3 { #expect(word(frame, 21) == calls.systemCall) }
    // rax: mmap, mmap, poll, and the interrupted call.
    #expect((0..<4).map { word($0, 18) } == [9, 9, 7, 130])
    // rdi, rdx: code may be executed and not written, the block the other way round.
    #expect(word(0, 13) == plan.code && word(1, 13) == plan.block)
    #expect(word(0, 17) == 5 && word(1, 17) == 3)
    // All signals wait until the last frame, which has the thread's own mask and vectors.
    #expect((0..<4).map { word($0, 37) } == [.max, .max, .max, 0x4000])
    #expect(word(2, 28) == 0 && word(3, 28) % 64 == 0 && word(3, 28) > plan.stackAddress)
    #expect(word(3, 20) == 0x7f00_0008_0000)
    // Each `ret` finds the next frame.
    for frame in 0..<3 { #expect(word(frame, 20) == plan.stackAddress + UInt64((frame + 1) * step)) }
    #expect(plan.begin[.rip] == calls.signalReturn && plan.begin[.rsp] == plan.stackAddress + 8)
    #expect(plan.begin[.origRax] == .max)
    #expect(plan.home == plan.stackAddress + UInt64(3 * step + 8))
  }

  @Test func whatWasMappedInVainIsUsedByTheNextOne() throws {
    let first = try #require(makePlan())
    let next = try #require(makePlan(mapped: first.code))
    #expect(next.code == first.code && next.block == first.block && next.size == first.size)
    let step = 8 + SignalFrame.size
    // poll, then the interrupted call.
    #expect((0..<2).map { next.stackBytes[($0 * step + 8 + 8 * 18)...].littleEndianWord } == [7, 130])
    #expect(next.stackBytes[(8 + 8 * 20)...].littleEndianWord == next.stackAddress + UInt64(step))
    #expect(next.home == next.stackAddress + UInt64(step + 8))
  }

  /// We may have been away for longer than it waits for us: nothing of it may be set then.
  @Test func aThreadThatHasGoneBackByItselfIsToldByItsRegisters() throws {
    for plan in [try #require(makePlan()), try #require(makePlan(mapped: 0x7f00_0018_0000))] {
      #expect(!plan.isInFirstWait(plan.thread) && !plan.isInFirstWait(plan.begin) && !plan.isInFirstWait(plan.run))
      var waiting = plan.thread
      waiting[.rip] = calls.systemCall + 2
      waiting[.rsp] = plan.home - 8
      #expect(plan.isInFirstWait(waiting))
      // One frame earlier it maps; the program's own calls come from the same place.
      waiting[.rsp] = plan.home - 8 - UInt64(8 + SignalFrame.size)
      #expect(!plan.isInFirstWait(waiting))
      waiting[.rsp] = plan.thread[.rsp]
      #expect(!plan.isInFirstWait(waiting))
      #expect(plan.isInCode(plan.run))
      #expect(!plan.isInCode(plan.thread) && !plan.isInCode(plan.end) && !plan.isInCode(plan.begin))
    }
  }

  @Test func theCodeRunsOnAStackOfItsOwn() throws {
    let plan = try #require(makePlan())
    #expect(plan.run[.rsp] > plan.block + AttachPlan.headSize + 8192 && plan.run[.rsp] < plan.block + plan.blockSize)
    #expect(plan.run[.rsp] % 16 == 0)
    #expect(plan.run[.rbx] == plan.block)
    #expect(maps.mapping(at: plan.code) == nil && maps.mapping(at: plan.code + plan.size) == nil)
  }

  @Test func whatTheKernelBeginsAgainIsLeftToIt() throws {
    let plan = try #require(makePlan())
    #expect(plan.end == plan.thread)
  }

  @Test func aStackWithoutRoomIsRefused() {
    #expect(makePlan(stack: 0x7f00_0000_1800) == nil)
    #expect(makePlan(stack: 0x6000_0000_0000) == nil)
  }

  @Test func theHeadNamesLibraryAndFunction() throws {
    let plan = try #require(makePlan())
    let head = plan.head(library: "/opt/lib x.so", function: "enter")
    #expect(head.prefix(8).littleEndianWord == calls.makeThread)
    #expect(head[40...].littleEndianWord == plan.home)
    let library = Int(head[64...].littleEndianWord - plan.block)
    let function = Int(head[72...].littleEndianWord - plan.block)
    #expect(String(decoding: head[library...].prefix { $0 != 0 }, as: UTF8.self) == "/opt/lib x.so")
    #expect(String(decoding: head[function...].prefix { $0 != 0 }, as: UTF8.self) == "enter")
    #expect(head[104...].littleEndianWord == calls.detachThread)
  }

  /// Whole pages: 4 KB for the words, the request, and 64 KB of stack.
  @Test(arguments: [(0, 69_632), (1, 73_728), (4096, 73_728), (4097, 77_824), (8192, 77_824)] as [(UInt64, UInt64)])
  func whatIsMappedIsAsLongAsItHasToBe(_ request: UInt64, _ size: UInt64) throws {
    let plan = try #require(
      AttachPlan(
        thread: waiting(in: 130, -514), mask: 0, vectors: vectors, calls: calls, maps: maps, requestSize: request,
        page: 4096))
    #expect(plan.blockSize == size && plan.codeSize == 4096)
    // Right below the library, with a page free.
    #expect(plan.code + 4096 + size == 0x7f00_001f_f000 && plan.block == plan.code + 4096)
    #expect(plan.run[.rsp] == plan.block + size - 64)
    func word(_ frame: Int, _ index: Int) -> UInt64 {
      plan.stackBytes[(frame * (8 + SignalFrame.size) + 8 + 8 * index)...].littleEndianWord
    }
    // mmap(2): rsi, r10, r8, r9.
    #expect(word(0, 14) == 4096 && word(1, 14) == size)
    for frame in 0..<2 { #expect(word(frame, 7) == 0x10_0022 && word(frame, 5) == .max && word(frame, 6) == 0) }
    // poll(2) of nothing for half a second: rdi, rsi, rdx.
    #expect(word(2, 13) == 0 && word(2, 14) == 0 && word(2, 17) == 500)
    #expect(plan.isWaiting([7, 0, 0, 500, 9, 9, 9, 1, 2]) && !plan.isWaiting([7, 0, 0, 501, 9, 9, 9, 1, 2]))
  }

  @Test func aThreadInOurCodeIsToldToTheByte() throws {
    let plan = try #require(makePlan())
    for (place, isIn) in [
      (plan.code - 1, false), (plan.code, true), (plan.block - 1, true), (plan.block, false),
    ] as [(UInt64, Bool)] {
      #expect(plan.isInCode(plan.thread.sent(to: place, stack: 0)) == isIn)
    }
    // On x86-64 a thread that waits stands behind its call.
    for (place, isThere) in [(0, false), (1, false), (2, true), (3, false)] as [(UInt64, Bool)] {
      let registers = plan.thread.sent(to: calls.systemCall + place, stack: plan.home - 8)
      #expect(plan.isInFirstWait(registers) == isThere, "\(place)")
    }
  }

  @Test func aThreadWithoutAStackToWriteOnIsRefused() {
    #expect(makePlan(stack: 0x7f00_0028_0000) == nil)
    // And one whose C library lies where nothing is known of.
    var elsewhere = calls
    elsewhere.systemCall = 0x7000_0000_0000
    #expect(
      AttachPlan(
        thread: waiting(in: 130, -514), mask: 0, vectors: vectors, calls: elsewhere, maps: maps, requestSize: 1) == nil)
  }

  @Test func theHeadHasAWordForEachCallAndRoomForAnswers() throws {
    let plan = try #require(makePlan())
    let head = plan.head(library: "/opt/lib.so", function: "enter")
    let words = (0..<14).map { head[(8 * $0)...].littleEndianWord }
    #expect(words[..<4] == [1, 2, 3, 4] && plan.isInCode(plan.thread.sent(to: words[4], stack: 0)))
    #expect(words[5...] == [plan.home, 0, 0, plan.block + 1024, plan.block + 1036, 5, 0, 6, 7])
    #expect(head[112..<1024].allSatisfy { $0 == 0 } && head.count == 1024 + 12 + 6)
  }

  @Test func anEventLoopIsPreferredToALockAndRunningThreadsAreLeftAlone() {
    let calls: [(thread: pid_t, call: [UInt64])] = [
      (1, [202, 0, 0x189]), (2, [999]), (3, [7]), (5, [232]), (4, [232]), (6, [202, 0, 0x80]),
    ]
    #expect(ThreadChoice.preferred(calls, on: .x86) == [4, 5, 3, 1])
  }

  /// What may hold a lock is code: that of the dynamic linker, and that of Swift's runtime.
  @Test func codeThatMayHoldALockIsFoundByItsFile() {
    let maps = ProcessMaps(
      text: """
        1000-2000 r--p 0 0:0 1 /lib64/ld-linux-x86-64.so.2
        2000-4000 r-xp 1000 0:0 1 /lib64/ld-linux-x86-64.so.2
        5000-6000 r-xp 0 0:0 2 /opt/libswiftCore.so
        6000-7000 rw-p 1000 0:0 2 /opt/libswiftCore.so
        7000-8000 r-xp 0 0:0 3 /opt/libother.so
        """)
    let locked = ThreadChoice.LockedCode(maps)
    #expect(locked.linker == [0x2000..<0x4000] && locked.runtime == [0x5000..<0x6000])
  }

  @Test func aThreadThatMayHoldTheLinkersLockIsLeftAlone() {
    let linker = ThreadChoice.LockedCode(linker: [100..<200])
    for call in [0, 7, 202] as [UInt64] {
      #expect(ThreadChoice.isFree(call: call, stack: [1, 99, 200], locked: linker, on: .x86))
      #expect(!ThreadChoice.isFree(call: call, stack: [1, 100], locked: linker, on: .x86))
      // Where there is no other: not one that waits for another thread.
      #expect(
        ThreadChoice.isFree(call: call, stack: [1, 100], locked: linker, isLast: true, on: .x86) == (call != 202))
    }
    // An event loop has come back from there long ago.
    #expect(ThreadChoice.isFree(call: 232, stack: [1, 100], locked: linker, on: .x86))
  }

  @Test func onlyWhoWaitsForAnotherThreadMayHoldALockOfTheRuntime() {
    let runtime = ThreadChoice.LockedCode(runtime: [100..<200])
    #expect(!ThreadChoice.isFree(call: 202, stack: [1, 199], locked: runtime, on: .x86))
    // `readLine`.
    #expect(ThreadChoice.isFree(call: 0, stack: [1, 199], locked: runtime, on: .x86))
  }
}
