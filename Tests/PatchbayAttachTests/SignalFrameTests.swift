import Foundation
import PatchbayTestSupport
import Testing

@testable import PatchbayAttach

/// A thread that waits in a system call.
func waiting(in call: UInt64, _ result: Int64 = -512, stack: UInt64 = 0x7f00_0008_0000) -> Registers {
  var registers = Registers(words: (0..<UInt64(Processor.x86.registerCount)).map { 0x1000 + $0 })
  registers[.origRax] = call
  registers[.rax] = UInt64(bitPattern: result)
  registers[.rip] = 0x7f00_0021_0102
  registers[.rsp] = stack
  registers[.cs] = 0x33
  registers[.ss] = 0x2b
  return registers
}

@Suite(.bounded) struct SignalFrameTests {
  private func word(_ bytes: [UInt8], _ index: Int) -> UInt64 { bytes[(8 * index)...].littleEndianWord }

  @Test func aFrameHasEachRegisterWhereTheKernelReadsIt() {
    let registers = waiting(in: 232)
    let bytes = SignalFrame.bytes(registers, mask: 0xf0f0, vectorsAt: 0xabc0)
    #expect(bytes.count == SignalFrame.size)
    #expect(word(bytes, 5) == registers[.r8] && word(bytes, 12) == registers[.r15])
    #expect(word(bytes, 13) == registers[.rdi] && word(bytes, 20) == registers[.rsp])
    #expect(word(bytes, 21) == registers[.rip] && word(bytes, 22) == registers[.eflags])
    #expect(word(bytes, 23) == 0x002b_0000_0000_0033)
    #expect(word(bytes, 28) == 0xabc0)
    #expect(word(bytes, 37) == 0xf0f0)
    // sigaltstack refuses such flags, so that the alternate stack stays what it is.
    #expect(word(bytes, 3) == 0x7fff)
    #expect(word(SignalFrame.bytes(registers, mask: 0, vectorsAt: nil), 28) == 0)
  }

  @Test func aFrameHasThemAllInTheKernelsOrder() {
    var registers = waiting(in: 232)
    // What is above a segment's sixteen bits is not its.
    (registers[.cs], registers[.ss]) = (0xab_0000_8033, 0xcd_0000_902b)
    let bytes = SignalFrame.bytes(registers, mask: 0, vectorsAt: nil)
    let order: [Registers.Name] = [
      .r8, .r9, .r10, .r11, .r12, .r13, .r14, .r15, .rdi, .rsi, .rbp, .rbx, .rdx, .rax, .rcx, .rsp, .rip, .eflags,
    ]
    for (index, name) in order.enumerated() { #expect(word(bytes, 5 + index) == registers[name], "\(name)") }
    #expect(word(bytes, 23) == 0x902b_0000_0000_8033)
    // It has all that newer kernels look for, the stack segment too; and nothing where nothing is.
    #expect(word(bytes, 0) == 7)
    for index in [1, 2, 4, 24, 25, 26, 27, 28, 29, 36] { #expect(word(bytes, index) == 0, "\(index)") }
  }

  /// Without the words that say how long they are there is nothing to say: `ptrace` gave the oldest form.
  @Test(arguments: [(0, 0), (512, 512), (576, 576), (577, 581), (832, 836)]) func shortVectorsStayAsTheyAre(
    _ count: Int, _ length: Int
  ) {
    let plain = [UInt8](repeating: 7, count: count)
    let frame = SignalFrame.vectors(plain)
    #expect(frame.count == length && (frame == plain) == (count == length))
  }

  @Test func vectorsSayTheirLengthAndEndWithTheSecondMagicWord() {
    var plain = [UInt8](repeating: 7, count: 2696)
    plain.replaceSubrange(464..<472, with: [0xe7, 2, 0, 0, 0, 0, 0, 0])
    let frame = SignalFrame.vectors(plain)
    #expect(frame.count == plain.count + 4)
    #expect(frame[464..<468].elementsEqual([0x53, 0x58, 0x50, 0x46]))
    #expect(frame[468...].littleEndianWord & 0xffff_ffff == 2700)
    #expect(frame[472...].littleEndianWord == 0x2e7)
    #expect(frame[480...].littleEndianWord & 0xffff_ffff == 2696)
    #expect(frame.suffix(4).elementsEqual([0x45, 0x58, 0x50, 0x46]))
    #expect(frame[..<464].elementsEqual(plain[..<464]))
  }

  @Test(
    arguments: [
      (232, -4, -1, Interruption.restartable), (232, -4, 1000, .timed), (281, -4, -1, .restartable),
      (130, -514, 0, .restartable), (0, -512, 0, .restartable), (202, -516, 0, .timed), (35, -516, 0, .timed),
      (7, -516, 0, .timed), (0, 12, 0, .timed), (0, -4, 0, .timed),
    ] as [(UInt64, Int64, Int64, Interruption)])
  func onlyWhatCanBeginAgainIsBorrowed(call: UInt64, result: Int64, limit: Int64, wanted: Interruption) {
    var registers = waiting(in: call, result)
    registers[.r10] = UInt64(bitPattern: limit)
    #expect(Interruption(registers) == wanted)
  }

  /// The kernel has three results for it (linux/errno.h), and read(2) the number 0.
  @Test(arguments: [(-511, false), (-512, true), (-513, true), (-514, true), (-515, false)] as [(Int64, Bool)])
  func whatTheKernelBeginsAgainIsToldByTheResult(_ result: Int64, _ isBegunAgain: Bool) {
    for call in [0, 1, 130] as [UInt64] {
      let registers = waiting(in: call, result)
      #expect(Interruption(registers) == (isBegunAgain ? .restartable : .timed), "\(call)")
      #expect(registers.isRestartedByKernel == isBegunAgain, "\(call)")
    }
    // Without a call it is a number like another.
    let computing = waiting(in: .max, result)
    #expect(Interruption(computing) == .computing && !computing.isRestartedByKernel)
  }

  /// epoll_wait(2) takes an `int`, and waits for ever where that is negative.
  @Test(
    arguments: [
      (0, .timed), (1, .timed), (0x7fff_ffff, .timed), (0x8000_0000, .restartable), (0xffff_ffff, .restartable),
      (0x1_0000_0000, .timed), (0x8000_0000_0000_0000, .timed),
    ] as [(UInt64, Interruption)])
  func onlyAnEventLoopWithoutALimitBeginsAgain(_ limit: UInt64, _ wanted: Interruption) {
    for call in [232, 281] as [UInt64] {
      var registers = waiting(in: call, -4)
      registers[.r10] = limit
      #expect(Interruption(registers) == wanted, "\(call)")
    }
  }

  @Test func aFutexWithAMomentCanBeginAgain() {
    var registers = waiting(in: 202, -516)
    registers[.rsi] = 0x189
    #expect(Interruption(registers) == .restartable)
    #expect(!registers.isRestartedByKernel)
  }

  @Test func computingIsNotInterrupted() {
    var registers = waiting(in: 0, 5)
    registers[.origRax] = .max
    #expect(Interruption(registers) == .computing)
    #expect(registers.resumed == registers)
  }

  @Test func whatIsResumedStandsOnItsSystemCall() {
    let registers = waiting(in: 130, -514)
    #expect(registers.resumed[.rax] == 130 && registers.resumed[.rip] == registers[.rip] - 2)
    #expect(registers.resumed[.origRax] == 130)
    #expect(registers.resumedNow[.origRax] == .max)
    #expect(registers.isRestartedByKernel)
  }

  @Test func aCallThatEndedBecauseOfTheStopIsMended() throws {
    let registers = waiting(in: 232, -4)
    let mended = try #require(registers.mended)
    #expect(mended[.rax] == 232 && mended[.rip] == registers[.rip] - 2 && mended[.origRax] == .max)
    #expect(waiting(in: 232, 3).mended == nil)
    #expect(waiting(in: 130, -514).mended == nil)
    // connect(2) that was interrupted goes on by itself and may not be called again.
    #expect(waiting(in: 42, -4).mended == nil)
  }
}
