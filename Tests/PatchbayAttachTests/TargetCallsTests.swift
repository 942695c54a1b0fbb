import PatchbayTestSupport
import Testing

@testable import PatchbayAttach

/// Where code of that look lies in bytes that were read of another process.
@Suite(.bounded) struct TargetCallsTests {
  @Test(
    arguments: [
      ([1, 2], [1, 2], 1, 0), ([1, 2], [0, 1, 2], 1, 1), ([1, 2], [0, 0, 0, 1, 2], 1, 3),
      ([1, 2], [1, 1, 2, 1, 2], 1, 1),
      // At the very end, and not beyond it.
      ([1, 2, 3], [9, 9, 1, 2, 3], 1, 2), ([1, 2, 3], [9, 9, 1, 2], 1, nil), ([1, 2, 3], [1, 2], 1, nil),
      ([1, 2, 3], [], 1, nil), ([7], [7], 1, 0), ([7], [6, 7], 1, 1), ([7], [6], 1, nil), ([7], [], 1, nil),
      ([1, 2], [2, 1], 1, nil), ([1, 2], [1, 3, 1, 4], 1, nil),
      // Only at multiples of the step, the last one too.
      ([1, 2], [1, 2, 0, 0], 4, 0), ([1, 2], [0, 1, 2, 0], 4, nil), ([1, 2], [0, 0, 0, 0, 1, 2], 4, 4),
      ([1, 2], [0, 0, 0, 1, 2, 0, 0, 0, 1, 2], 4, 8), ([1, 2], [0, 0, 1, 2], 2, 2), ([1, 2], [0, 1, 2, 0], 2, nil),
      ([1, 2, 3, 4], [0, 0, 0, 0, 1, 2, 3, 4], 4, 4), ([1, 2, 3, 4], [0, 0, 0, 0, 1, 2, 3], 4, nil),
      ([1, 2, 3, 4], [0, 0, 1, 2, 3, 4, 0, 0], 4, nil),
    ] as [([UInt8], [UInt8], Int, Int?)])
  func aPatternIsFoundAtItsFirstPlace(_ pattern: [UInt8], _ bytes: [UInt8], _ step: Int, _ expected: Int?) {
    #expect(TargetCalls.place(of: pattern, in: bytes, every: step) == expected)
    if step == 1 { #expect(TargetCalls.place(of: pattern, in: bytes) == expected) }
  }

  /// Of x86-64, where an instruction may begin at any byte, and need not be followed by `ret`.
  @Test func theCallOfTheSystemMayStandAtTheVeryEnd() {
    for before in 0...9 {
      let code = [UInt8](repeating: 0x90, count: before) + [0x0f, 0x05]
      #expect(TargetCalls.systemCall(in: code, on: .x86) == before)
      #expect(TargetCalls.systemCall(in: code + [0x48, 0x3d, 0x0f, 0x05], on: .x86) == before)
      #expect(TargetCalls.systemCall(in: code.dropLast(), on: .x86) == nil)
    }
  }

  /// On arm64 at most three instructions lie between the call and the return, and none aside of what glibc has there.
  @Test(
    arguments: [
      ([0xd65f_03c0], 0), ([0xb13f_fc1f, 0xd65f_03c0], 0), ([0xb13f_fc1f, 0x5400_0042, 0xd65f_03c0], 0),
      ([0x5400_0042, 0xb13f_fc1f, 0xd65f_03c0], 0), ([0xb13f_fc1f, 0x5400_0042, 0x5400_0042, 0xd65f_03c0], nil),
      ([0xb13f_fc1f, 0x5400_0042], nil), ([0xb13f_fc1f], nil), ([], nil), ([0xd503_201f, 0xd65f_03c0], nil),
      // A jump aside has any condition and distance, but is that jump.
      ([0x54ff_ffef, 0xd65f_03c0], 0), ([0x5400_0052, 0xd65f_03c0], nil), ([0x5500_0042, 0xd65f_03c0], nil),
      ([0xb13f_fc1e, 0xd65f_03c0], nil), ([0xd65f_03c1], nil),
    ] as [([UInt32], Int?)])
  func theReturnStandsSoonBehindTheCall(_ behind: [UInt32], _ expected: Int?) {
    let words = [0xd400_0001] + behind
    let code = words.flatMap { UInt64($0).littleEndianBytes.prefix(4) }
    #expect(TargetCalls.systemCall(in: code, on: .arm64) == expected)
    let later = UInt64(0xd503_201f).littleEndianBytes.prefix(4) + code
    #expect(TargetCalls.systemCall(in: Array(later), on: .arm64) == expected.map { $0 + 4 })
    // What is cut off in its midst is no instruction.
    if expected != nil { #expect(TargetCalls.systemCall(in: code.dropLast(), on: .arm64) == nil) }
  }
}
