import Foundation
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Synchronization
import Testing

@testable import Patchbay

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Many requests at once. `PATCHBAY_STRESS=1` runs them in full: 200,000 requests, 64 at a time.
@Suite(.serialized, .bounded) struct StressTests {
  private static let isFull = ProcessInfo.processInfo.environment["PATCHBAY_STRESS"] != nil
  private static let width = 64

  private func many(_ count: Int, _ body: @escaping @Sendable (Int) async -> Bool) async -> Int {
    await withTaskGroup(of: Int.self) { group in
      for lane in 0..<Self.width {
        group.addTask {
          var good = 0
          for number in stride(from: lane, to: count, by: Self.width) where await body(number) { good += 1 }
          return good
        }
      }
      return await group.reduce(0, +)
    }
  }

  @Test func stubsAnswerAll() async throws {
    enum Tag {}
    let count = Self.isFull ? 200_000 : 8_000
    let hook = HookFixture<Tag>(.respond(CannedResponse(body: .text("stubbed"))))
    let session = hook.session()
    let url = URL(string: "http://stubbed.test/x")!
    let good = await many(count) { _ in
      (try? await session.data(from: url))?.0 == Data("stubbed".utf8)
    }
    #expect(good == count)
    let told = try await hook.sink.ended(count)
    #expect(told.count == count)
    #expect(told.allSatisfy { $0.late == 0 && $0.end?.outcome == .responded })
  }

  @Test func theNetworkAnswersAll() async throws {
    enum Tag {}
    let count = Self.isFull ? 200_000 : 2_000
    let server = try LoopbackServer()
    defer { server.stop() }
    let hook = HookFixture<Tag>()
    let session = hook.session()
    let good = await many(count) { number in
      (try? await session.data(from: server.url("/bytes?n=\(number % 500)")))?.0.count == number % 500
    }
    #expect(good == count)
    let told = try await hook.sink.ended(count)
    #expect(told.count == count)
    #expect(told.allSatisfy { $0.late == 0 && $0.end?.outcome == .responded })
  }

  @Test func manySessionsAtOnce() async throws {
    enum Tag {}
    let server = try LoopbackServer()
    defer { server.stop() }
    let hook = HookFixture<Tag>()
    let good = await many(Self.isFull ? 3_200 : 320) { number in
      let delegate = CallbackRecorder()
      let session = hook.session(delegate: delegate)
      session.dataTask(with: server.url("/bytes?n=\(number)")).resume()
      session.finishTasksAndInvalidate()
      return (try? await delegate.completed())?.last == .complete(nil)
    }
    #expect(good == (Self.isFull ? 3_200 : 320))
  }

  @Test func cancelsAreMetAtAnyTime() async throws {
    enum Tag {}
    let count = Self.isFull ? 50_000 : 2_000
    let hook = HookFixture<Tag>(.respond(CannedResponse(body: .text("late"), delay: .fixed(.seconds(30)))))
    let session = hook.session()
    let url = URL(string: "http://stubbed.test/x")!
    let good = await many(count) { number in
      let ends = Mutex(0)
      await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
        let task = session.dataTask(with: url) { _, _, error in
          let isFirst = ends.withLock { ends in
            ends += 1
            return ends == 1
          }
          if isFirst { continuation.resume() }
        }
        task.resume()
        if number % 3 == 0 { usleep(UInt32(number % 200)) }
        task.cancel()
      }
      return ends.withLock { $0 } == 1
    }
    #expect(good == count)
    try await until { hook.sink.exchanges.allSatisfy { $0.end != nil } }
    let others = hook.sink.exchanges.filter { $0.end?.outcome != .cancelled || $0.late > 0 }
    #expect(others.isEmpty, "\(others.prefix(2))")
  }

  @Test func stubsThatChangeMeanwhileGiveOneOfTheAnswers() async throws {
    enum Tag {}
    let old = HookFixture<Tag>(.respond(CannedResponse(body: .text("a"))))
    let session = old.session()
    let isDone = Atomic(false)
    let changer = Thread {
      var next = 0
      while !isDone.load(ordering: .relaxed) {
        next += 1
        let action: Action =
          next % 3 == 0
          ? .fail(Fault(.named("timedOut"))) : .respond(CannedResponse(body: .text(next % 3 == 1 ? "a" : "b")))
        _ = HookFixture<Tag>(action)
      }
    }
    changer.start()
    defer { isDone.store(true, ordering: .relaxed) }
    let url = URL(string: "http://stubbed.test/x")!
    let good = await many(4_000) { _ in
      do {
        let (data, _) = try await session.data(from: url)
        return data == Data("a".utf8) || data == Data("b".utf8)
      } catch {
        return (error as? URLError)?.code == .timedOut
      }
    }
    #expect(good == 4_000)
  }
}
