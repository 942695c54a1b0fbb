import Synchronization
import Testing

@testable import PatchbayTestSupport

@Suite("What a session in a pseudo terminal knows", .bounded)
struct PtyStateTests {
  private var state = PtyState(screen: VTScreen(columns: 20, rows: 2))

  private mutating func show(_ text: String) {
    state.received(Array("\u{1B}[2J\u{1B}[H\(text)".utf8)[...])
    state.look(after: state.arrival)
  }

  /// What somebody who waits for `text` and gives up at once is told.
  private mutating func wait(for text: String) -> String? {
    let waiter = Waiter(what: text)
    state.add(waiter)
    state.giveUp(waiter)
    return waiter.told.withLock { $0 }
  }

  @Test("what has gone before it is asked for is found when the wait is over, in its order, until a key is pressed")
  mutating func gone() {
    for text in ["one", "two", "three"] { show(text) }
    #expect(wait(for: "two") == "two")
    #expect(wait(for: "one") == "in vain for one: three")
    #expect(wait(for: "three") == "three")
    #expect(wait(for: "two") == "in vain for two: three")
    show("four")
    state.pressed()
    show("five")
    #expect(wait(for: "four") == "in vain for four: five")
  }

  @Test("what stays is answered by the screen as it is, and what came beside it and went is found after it")
  mutating func stays() {
    for text in ["row", "row toast", "row late"] { show(text) }
    #expect(wait(for: "row") == "row late")
    #expect(wait(for: "toast") == "row toast")
    #expect(wait(for: "late") == "row late")
    #expect(wait(for: "toast") == "in vain for toast: row late")
  }

  @Test("who waits is answered by what comes, not by what has gone")
  mutating func comes() {
    show("one")
    show("two")
    let waiter = Waiter(what: "one")
    state.add(waiter)
    show("one again")
    #expect(waiter.told.withLock { $0 } == "one again")
  }

  @Test("the end answers by what has gone too, else it is said")
  mutating func end() {
    show("one")
    show("two")
    let (one, five) = (Waiter(what: "one"), Waiter(what: "five"))
    state.add(one)
    state.add(five)
    state.ended(.exited(3))
    #expect(one.told.withLock { $0 } == "one")
    #expect(five.told.withLock { $0 } == "ended before five: two")
    #expect(wait(for: "two") == "two")
    #expect(wait(for: "one") == "ended before one: two")
  }

  private final class Waiter: PtyWaiting {
    let what: String
    let told = Mutex<String?>(nil)

    init(what: String) { self.what = what }

    func holds(_ state: PtyState) -> Bool { state.screen.contains(what) }

    func resumes(_ state: PtyState) -> Bool {
      guard holds(state) else { return false }
      told.withLock { $0 = state.screen.text }
      return true
    }

    func fail(_ error: PtyError) {
      told.withLock {
        switch error {
        case .timedOut(let what, let screen): $0 = "in vain for \(what): \(screen)"
        case .ended(_, let what, let screen): $0 = "ended before \(what): \(screen)"
        default: $0 = "\(error)"
        }
      }
    }
  }
}
