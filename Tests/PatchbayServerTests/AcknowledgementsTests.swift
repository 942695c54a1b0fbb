import PatchbayTestSupport
import Testing

@testable import PatchbayServer

/// Who waits for links to have a revision in force.
@Suite(.bounded) struct AcknowledgementsTests {
  private let a = LinkID(1)
  private let b = LinkID(2)
  private let c = LinkID(3)

  /// Some who wait, and what each was told, in the order in which they were.
  private struct Waiting {
    var value = Acknowledgements()
    private let answers = SeenLock<[String]>([])

    mutating func wait(_ name: String, for revision: UInt64, _ links: Set<LinkID>) -> UInt64 {
      value.wait(for: revision, links: links) { [answers] late in
        answers.withLock { $0.append("\(name) \(late.map(\.number))") }
      }
    }

    /// Since the last time.
    var told: [String] {
      answers.withLock { answers in
        defer { answers = [] }
        return answers.sorted()
      }
    }
  }

  @Test func oneIsAnsweredWhenAllItsLinksHaveThatRevisionOrALaterOne() {
    var waiting = Waiting()
    let numbers = [
      waiting.wait("five of a", for: 5, [a]), waiting.wait("five of a and b", for: 5, [a, b]),
      waiting.wait("six of a", for: 6, [a]), waiting.wait("five of c", for: 5, [c]),
    ]
    #expect(Set(numbers).count == 4, "each has a number of its own")
    waiting.value.answered(a, revision: 4)
    #expect(waiting.told == [])
    waiting.value.answered(a, revision: 5)
    #expect(waiting.told == ["five of a []"])
    waiting.value.answered(a, revision: 5)
    #expect(waiting.told == [], "b has not said so")
    waiting.value.answered(b, revision: 9)
    #expect(waiting.told == ["five of a and b []"])
    waiting.value.answered(a, revision: 7)
    #expect(waiting.told == ["six of a []"])
    waiting.value.answered(LinkID(9), revision: .max)
    #expect(waiting.told == [])
    waiting.value.answered(c, revision: 5)
    waiting.value.expireAll()
    #expect(waiting.told == ["five of c []"])
  }

  @Test func aLinkThatHasGoneIsNotWaitedFor() {
    var waiting = Waiting()
    _ = waiting.wait("a", for: .max, [a])
    _ = waiting.wait("a and b", for: 5, [a, b])
    _ = waiting.wait("b", for: 1, [b])
    waiting.value.answered(a, revision: nil)
    #expect(waiting.told == ["a []"])
    waiting.value.answered(b, revision: nil)
    #expect(waiting.told == ["a and b []", "b []"])
  }

  @Test func whoWaitsTooLongIsToldTheLinksThatHaveNotInTheirOrder() {
    var waiting = Waiting()
    let all = waiting.wait("all", for: 5, [c, a, b])
    _ = waiting.wait("two", for: 5, [b, a])
    let late = waiting.wait("late", for: 7, [b])
    waiting.value.answered(b, revision: 5)
    waiting.value.expire(all)
    #expect(waiting.told == ["all [1, 3]"])
    // It is answered once, whatever comes then.
    waiting.value.expire(all)
    waiting.value.expire(1_000)
    waiting.value.answered(c, revision: 5)
    #expect(waiting.told == [])
    waiting.value.expire(late)
    #expect(waiting.told == ["late [2]"])
    _ = waiting.wait("last", for: 5, [c, b])
    waiting.value.expireAll()
    #expect(waiting.told == ["last [2, 3]", "two [1]"])
    waiting.value.expireAll()
    #expect(waiting.told == [])
  }
}
