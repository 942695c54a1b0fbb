import Foundation
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire

@testable import Patchbay

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A hook of one test's own: sessions made here are decided by its snapshot and no other.
///
/// Each test names it with a type of its own: `HookFixture<SomeTag>()`.
final class HookFixture<Tag>: Sendable {
  let sink: RecordingSink

  init(
    _ stubs: [Stub] = [], unmatched: StubSet.Unmatched = .pass, holdAll: Action.HoldPoint? = nil,
    settings: HookSettings = HookSettings(), sink: RecordingSink = RecordingSink(), largestPatched: Int = 64 << 20
  ) {
    self.sink = sink
    let set = StubSet(revision: 1, stubs: stubs, unmatched: unmatched, holdAll: holdAll)
    let stubs = StubDecider(
      StubPush(set: set), code: CodeStubs(), counters: SharedCounters(), notices: { sink.notice($0) })
    FixtureProtocol<Tag>.current.withLock {
      $0 = HookSnapshot(
        active: true, settings: settings, stubs: stubs, revision: 1, unmatched: unmatched, holdAll: holdAll, sink: sink,
        largestPatched: largestPatched)
    }
  }

  /// - Parameter limit: Bytes of a response's body that are told; nil is the default.
  convenience init(_ action: Action, when: RequestPattern = RequestPattern(), limit: UInt64? = nil) {
    var settings = HookSettings()
    if let limit { settings.bodyLimit = limit }
    self.init([Stub(name: "stub", when: when, then: action)], settings: settings)
  }

  func configuration(_ base: URLSessionConfiguration = .ephemeral) -> URLSessionConfiguration {
    base.protocolClasses = [FixtureProtocol<Tag>.self] + (base.protocolClasses ?? [])
    return base
  }

  func session(
    delegate: (any URLSessionDelegate)? = nil, change: (URLSessionConfiguration) -> Void = { _ in }
  ) -> URLSession {
    let configuration = configuration()
    change(configuration)
    return URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
  }
}

/// The hook with a snapshot of its own. The type parameter makes a class, and so a snapshot, for each test.
final class FixtureProtocol<Tag>: PatchbayURLProtocol {
  static var current: SnapshotBox { SnapshotBox.all.box(for: ObjectIdentifier(self)) }
  override class var snapshot: HookSnapshot { current.withLock { $0 } }
}

/// One class's snapshot.
final class SnapshotBox: Sendable {
  static let all = SnapshotBoxes()

  private let snapshot = SeenLock(HookSnapshot.dormant)

  func withLock<Result: Sendable>(_ body: (inout HookSnapshot) -> Result) -> Result {
    snapshot.withLock { body(&$0) }
  }
}

final class SnapshotBoxes: Sendable {
  private let boxes = SeenLock<[ObjectIdentifier: SnapshotBox]>([:])

  func box(for type: ObjectIdentifier) -> SnapshotBox {
    boxes.withLock { boxes in
      if let box = boxes[type] { return box }
      let box = SnapshotBox()
      boxes[type] = box
      return box
    }
  }
}
