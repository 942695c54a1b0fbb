import Dispatch
import Foundation
import PatchbayGrid
import PatchbayTerminal
import PatchbayTestSupport
import Testing

/// A pipe that keys are typed into, and what is told of them.
@MainActor private final class Keyboard {
  private(set) var told: [String] = []
  private let keyboard: Int32
  private var keys: Int32
  private(set) var input: TerminalInput?

  init() throws {
    var ends: [Int32] = [0, 0]
    let result = pipe(&ends)
    try #require(result == 0)
    // A program that another test starts would hold the line.
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    (keyboard, keys) = (ends[0], ends[1])
    input = TerminalInput(
      descriptor: keyboard,
      onEvents: { [weak self] events in for event in events { self?.note(event) } },
      onAnswer: { [weak self] answer in self?.told.append("answer \(answer)") },
      onHangUp: { [weak self] in self?.told.append("hung up") })
  }

  private func note(_ event: InputEvent) {
    if case .key(let key) = event { told.append(key.description) } else { told.append("\(event)") }
  }

  func type(_ text: String) { _ = write(keys, text, text.utf8.count) }

  /// Whether something was typed that nobody has read.
  var isWaiting: Bool {
    var poller = pollfd(fd: keyboard, events: Int16(POLLIN), revents: 0)
    return poll(&poller, 1, 0) > 0
  }

  func hangUp() {
    if keys >= 0 { close(keys) }
    keys = -1
  }

  func forget() { input = nil }

  /// Its other end stays open: Dispatch lets go of it some time later, and must not find somebody else's file there.
  func takeAway() {
    input?.stop()
    hangUp()
  }

  func until(_ what: String, _ condition: () -> Bool) async throws {
    let limit = ContinuousClock.now + Patience.usual
    while !condition() {
      guard ContinuousClock.now < limit else {
        throw WaitedInVain(description: "waited in vain for \(what): \(told)")
      }
      try await Task.sleep(for: .milliseconds(2))
    }
  }

  /// Lets go by what would have come by now.
  func pass(milliseconds: Int) async {
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      DispatchQueue.main.asyncAfter(deadline: .now() + .milliseconds(milliseconds)) { continuation.resume() }
    }
  }
}

@MainActor @Suite("The keyboard as events", .bounded) struct TerminalInputTests {
  private let keyboard: Keyboard

  init() throws { keyboard = try Keyboard() }

  @Test("what was typed before a pause is told, and half a sequence is not the beginning of what comes after it")
  func halves() async throws {
    keyboard.type("\u{1B}[1")
    try await keyboard.until("that it is read") { !keyboard.isWaiting }
    keyboard.input?.pause()
    keyboard.input?.resume()
    keyboard.type("Aj")
    try await keyboard.until("the keys") { keyboard.told.last == "j" }
    #expect(keyboard.told == ["A", "j"])
    keyboard.type("\u{1B}")
    try await keyboard.until("that it is read") { !keyboard.isWaiting }
    keyboard.input?.pause()
    #expect(keyboard.told == ["A", "j", "esc"])
    keyboard.takeAway()
  }

  @Test("while it is paused, however often that was said, nothing is read")
  func pauses() async throws {
    keyboard.input?.resume()
    keyboard.input?.pause()
    keyboard.input?.pause()
    keyboard.type("x")
    await keyboard.pass(milliseconds: 1)
    #expect(keyboard.isWaiting && keyboard.told == [])
    keyboard.input?.resume()
    keyboard.input?.resume()
    try await keyboard.until("the key") { keyboard.told == ["x"] }
    keyboard.takeAway()
  }

  @Test("after its end nothing is told, not even a key that was waited for")
  func stops() async throws {
    keyboard.type("a")
    try await keyboard.until("the key") { keyboard.told == ["a"] }
    keyboard.type("\u{1B}")
    try await keyboard.until("that it is read") { !keyboard.isWaiting }
    let before = keyboard.told
    keyboard.input?.stop()
    keyboard.type("b")
    await keyboard.pass(milliseconds: 60)
    #expect(keyboard.told == before && keyboard.isWaiting)
    keyboard.takeAway()
  }

  @Test("its end may come while it is paused")
  func endsPaused() async {
    keyboard.input?.pause()
    keyboard.input?.stop()
    keyboard.input?.resume()
    keyboard.input?.pause()
    keyboard.type("x")
    keyboard.forget()
    await keyboard.pass(milliseconds: 1)
    #expect(keyboard.told == [] && keyboard.isWaiting)
    keyboard.takeAway()
  }

  @Test("what is typed before a hang-up is told, and the hang-up once")
  func hangUps() async throws {
    keyboard.type("q")
    keyboard.hangUp()
    try await keyboard.until("the end") { keyboard.told.contains("hung up") }
    await keyboard.pass(milliseconds: 1)
    await keyboard.pass(milliseconds: 1)
    #expect(keyboard.told == ["q", "hung up"])
    keyboard.takeAway()
  }

  @Test("an answer of the terminal's is told before the keys that came with it")
  func answers() async throws {
    keyboard.type("j\u{1B}[?62;ck")
    try await keyboard.until("the keys") { keyboard.told.contains("k") }
    #expect(keyboard.told == ["answer done", "j", "k"])
    keyboard.takeAway()
  }
}
