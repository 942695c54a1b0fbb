import PatchbayTestSupport
import Testing

@testable import PatchbayRuntime

@Suite("Frames are paced", .bounded) struct FramePacerTests {
  private let start = ContinuousClock.now

  /// Plays events in steps of a tenth of a millisecond; returns when frames were shown and how long each key waited.
  private func play(
    milliseconds: Int, traffic: (Int) -> Bool, keys: (Int) -> Bool
  ) -> (frames: [Int], waits: [Int]) {
    var pacer = FramePacer(now: start)
    var frames: [Int] = []
    var waits: [Int] = []
    var isDirty = false
    var pressed: Int?
    for step in 0..<(milliseconds * 10) {
      let now = start + .microseconds(step * 100)
      if traffic(step) { isDirty = true }
      if keys(step), pressed == nil { pressed = step }
      guard isDirty || pressed != nil, pacer.wait(isInput: pressed != nil, now: now) == .zero else { continue }
      pacer.show(now: now)
      frames.append(step)
      if let pressed { waits.append(step - pressed) }
      (isDirty, pressed) = (false, nil)
    }
    return (frames, waits)
  }

  @Test("a flood is shown every 16 ms")
  func flood() {
    let (frames, _) = play(milliseconds: 1_600, traffic: { _ in true }, keys: { _ in false })
    #expect((99...102).contains(frames.count))
    #expect(zip(frames.dropFirst(2), frames.dropFirst()).allSatisfy { $0 - $1 >= 159 })
  }

  @Test("a key amid a flood does not wait, and takes the turn of the frame after it", arguments: [37, 61, 170, 333])
  func keys(every milliseconds: Int) {
    let (frames, waits) = play(
      milliseconds: 3_200, traffic: { _ in true }, keys: { $0 % (milliseconds * 10) == 5 && $0 > 500 })
    #expect(waits.allSatisfy { $0 <= 1 })
    #expect(frames.count <= 202)
    for (index, frame) in frames.enumerated() where index + 4 < frames.count {
      #expect(frames[index + 4] - frame >= 3 * 159, "five frames within less than 48 ms")
    }
  }

  @Test("keys faster than frames share them, and none waits longer than one")
  func fastKeys() {
    let (frames, waits) = play(milliseconds: 1_600, traffic: { _ in true }, keys: { $0 % 37 == 0 })
    #expect(frames.count <= 102)
    #expect(waits.allSatisfy { $0 <= 161 })
  }

  @Test("each frame is paid with 16 ms, the person's alone one ahead, and no more than two are saved")
  func exact() {
    var pacer = FramePacer(now: start)
    let frame = Duration.milliseconds(16)
    #expect(pacer.wait(isInput: false, now: start) == .zero)
    pacer.show(now: start)
    #expect(pacer.wait(isInput: false, now: start) == frame)
    #expect(pacer.wait(isInput: true, now: start) == .zero)
    pacer.show(now: start)
    #expect(pacer.wait(isInput: false, now: start) == .milliseconds(32))
    #expect(pacer.wait(isInput: true, now: start) == frame)
    // One that was shown all the same is not owed.
    pacer.show(now: start)
    #expect(pacer.wait(isInput: true, now: start) == frame)
    let half = start + .milliseconds(8)
    #expect(pacer.wait(isInput: true, now: half) == .milliseconds(8))
    // A moment that is told late takes nothing back.
    #expect(pacer.wait(isInput: true, now: start) == .milliseconds(8))
    let later = start + .seconds(60)
    #expect(pacer.wait(isInput: false, now: later) == .zero)
    pacer.show(now: later)
    pacer.show(now: later)
    #expect(pacer.wait(isInput: true, now: later) == frame)
  }
}
