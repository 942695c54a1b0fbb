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
