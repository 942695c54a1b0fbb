import Dispatch
import Foundation
import PatchbayWire
import Synchronization

/// The hook's connection to the console: found, kept, lost and found again. What it hears goes to the controller; what
/// the engine reports goes to the console. Nothing here blocks, but for the first attach (at most 250 ms, and only if
/// a console takes the connection) and the flush at exit (at most 250 ms).
final class ConsoleLink: Sendable {
  /// Where the link stands.
  enum Phase: Hashable, Sendable {
    /// Nobody has asked for a link yet.
    case new
    /// No console is there.
    case waiting
    /// A console took the connection and has not sent its stubs yet.
    case connecting
    case linked
    /// The console is not ours or does not take us, and why.
    case refused(String)
  }

  struct State {
    var phase = Phase.new
    /// The first attach is over.
    var settled = false
    var hasThread = false
    /// A connection for the thread to take over.
    var handover: LinkSocket?
    /// Who waits for the first stubs.
    var waiters: [DispatchSemaphore] = []
    /// Who waits for the last reports to be sent.
    var flushers: [DispatchSemaphore] = []
    /// Since the process waits for that; nil while it does not.
    var flush: FlushClock?
    /// The link's thread, while there is one.
    var thread: pthread_t?
    var entry = Hello.Entry.attach
  }

  let address: LinkAddress
  let controller: HookController
  let queue: ReportQueue
  let holds = HoldTable()
  let waker: Waker?
  let state = Mutex(State())
  /// Somebody has asked for a link, in this process or in the one that it was forked from.
  private static let wasBegun = Atomic<Bool>(false)
  /// When the next try at request time may be made, in milliseconds of the monotonic clock.
  private let nextKnock = Atomic<Int64>(0)
  private let ended = Atomic<Bool>(false)
  private let instance = UInt64.random(in: .min ... .max)
  private let startedAt = Timestamp.now

  init(address: LinkAddress, controller: HookController, limits: ReportQueue.Limits = ReportQueue.Limits()) {
    self.address = address
    self.controller = controller
    let waker = OwnDescriptor.isShort ? nil : Waker()
    self.waker = waker
    queue = ReportQueue(limits: limits) { waker?.wake() }
  }

  var hello: Hello {
    let entry = state.withLock { $0.entry }
    let executable = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    return Hello(
      process: HarnessProcess(name: HookState.shared.process.name, pid: getpid()), executable: executable,
      parent: getppid(), entry: entry, instance: instance, startedAt: startedAt)
  }

  var phase: Phase { state.withLock { $0.phase } }

  /// Ends the link, its thread and what it has open. A process's own is never ended; who makes others, as tests do, has to:
  /// each holds one of the 128 watches that the system has for all programs of a user.
  func end() {
    ended.store(true, ordering: .relaxed)
    waker?.wake()
    if !state.withLock({ $0.hasThread }) { waker?.close() }
  }

  var isEnded: Bool { ended.load(ordering: .relaxed) }

  /// How long the first attach waits for the first stubs.
  static let patience = DispatchTimeInterval.milliseconds(250)
  /// The least time between two tries at request time, in milliseconds.
  private static let knockPeriod: Int64 = 1000

  /// Attaches once in the life of the process: connects if a console is there and waits for its first stubs, else
  /// watches for one. Whoever comes while the first is waiting waits too; later calls return at once.
  func begin(_ entry: Hello.Entry) {
    let semaphore = DispatchSemaphore(value: 0)
    enum Role { case first, other, none }
    let role: Role = state.withLock { state in
      guard !state.settled else { return .none }
      let isFirst = state.phase == .new
      if isFirst {
        state.phase = .waiting
        state.entry = PreloadEntry.rendezvous == nil ? entry : .injected
      }
      state.waiters.append(semaphore)
      return isFirst ? .first : .other
    }
    guard role != .none else { return }
    if role == .first {
      Self.wasBegun.store(true, ordering: .relaxed)
      nextKnock.store(Self.now + Self.knockPeriod, ordering: .relaxed)
      if !open() { settle() }
    }
    // Requests wait for the stubs where these were promised, so that nobody need wait in Foundation's own code.
    if entry == .configuration, controller.wasPromisedStubs { return settle() }
    if semaphore.wait(timeout: .now() + Self.patience) == .timedOut { settle() }
  }

  /// A request came while the hook is dormant. Attaches where nobody has yet; else looks for a console, at most once
  /// a second, without waiting for it.
  func knock() {
    let now = Self.now
    let next = nextKnock.load(ordering: .relaxed)
    guard now >= next else { return }
    guard nextKnock.compareExchange(expected: next, desired: now + Self.knockPeriod, ordering: .relaxed).exchanged
    else { return }
    if state.withLock({ $0.phase == .new }) {
      // Stubs in code put the hook into the program's sessions, and ask for no console.
      guard !LinkedSessions.isHooking || Self.wasBegun.load(ordering: .relaxed) else { return }
      return begin(.configuration)
    }
    guard state.withLock({ $0.settled && $0.phase != .linked && $0.phase != .connecting }) else { return }
    _ = open()
  }

  /// Connects, and starts the thread where there is something for it to do. False where there is no console.
  private func open() -> Bool {
    guard let waker else {
      stayOut()
      return false
    }
    ProcessHooks.install()
    do throws(LinkSocket.Failure) {
      // The thread connects too when a console appears: whoever is first has the link, and the other lets go.
      guard handOver(try LinkSocket.connect(to: address)) else { return true }
      guard startThread() else {
        takeHandover()?.close()
        set(.waiting)
        controller.consoleGone("the system has no thread for the link to the console")
        return false
      }
      waker.wake()
      return true
    } catch {
      noteFailure(error)
      if case .unfit = error { return false }
      if address.isTrusted || !FileManager.default.fileExists(atPath: address.folder) { _ = startThread() }
      return false
    }
  }

  /// The program needs each of its descriptors itself.
  private func stayOut() {
    let limit = OwnDescriptor.limit
    let sentence = "The hook stays out, because \(OwnDescriptor.shortage): raise the limit, which is \(limit)."
    guard phase != .refused(sentence) else { return }
    set(.refused(sentence))
    PreloadEntry.note("few-descriptors", "\(limit)")
    controller.consoleGone(OwnDescriptor.shortage)
  }

  /// Leaves a connection to the thread. It is closed, and the answer false, where there is one already.
  func handOver(_ socket: LinkSocket) -> Bool {
    let isTaken = state.withLock { state in
      guard state.handover == nil, state.phase != .linked, state.phase != .connecting else { return false }
      state.handover = socket
      state.phase = .connecting
      return true
    }
    if !isTaken { socket.close() }
    return isTaken
  }

  /// The connection that was left for the thread.
  func takeHandover() -> LinkSocket? {
    state.withLock { state in
      defer { state.handover = nil }
      return state.handover
    }
  }

  /// What a try to connect came to, where it did not.
  func noteFailure(_ failure: LinkSocket.Failure) {
    switch failure {
    case .unfit(let sentence):
      set(.refused(sentence))
      controller.consoleGone(sentence)
    case .absent: controller.consoleGone("there is no console at \(address.path)")
    case .later: break
    }
  }

  private func startThread() -> Bool {
    let mustStart = state.withLock { state in
      defer { state.hasThread = true }
      return !state.hasThread
    }
    guard mustStart else { return true }
    if LinkThread.start(self) { return true }
    state.withLock { $0.hasThread = false }
    return false
  }

  /// The first attach is over, with or without a console.
  func settle() {
    let waiters = state.withLock { state in
      state.settled = true
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.signal() }
  }

  func set(_ phase: Phase) {
    LinkDebug.note("link to \(address.path): \(phase)")
    state.withLock { $0.phase = phase }
  }

  var hasHandover: Bool { state.withLock { $0.handover != nil } }

  private static var now: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC_COARSE, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }
}

/// The end of the process: what has been reported is sent before it.
extension ConsoleLink {
  /// Waits until everything reported so far is in the socket, at most 250 ms. Not on the link's own thread.
  func flush() {
    let clock = FlushClock()
    let wasPromised = controller.wasPromisedStubs
    let begins = state.withLock { state in
      guard Self.isHeard(state.phase, wasPromised) else { return false }
      if state.flush == nil { state.flush = clock }
      if let thread = state.thread { LinkThread.hurry(thread) }
      return true
    }
    guard begins else { return }
    waker?.wake()
    // The file of the last download may be about to be read.
    HookQueue.settle(before: clock.time(FlushClock.settled))
    let semaphore = DispatchSemaphore(value: 0)
    let isLinked = state.withLock { state in
      guard Self.isHeard(state.phase, wasPromised) else {
        state.flush = nil
        return false
      }
      state.flushers.append(semaphore)
      return true
    }
    guard isLinked else { return }
    waker?.wake()
    _ = semaphore.wait(timeout: clock.time(FlushClock.end))
  }

  /// Where stubs were promised, what happens before they come is told too.
  private static func isHeard(_ phase: Phase, _ wasPromised: Bool) -> Bool {
    phase == .linked || phase == .connecting && wasPromised
  }

  var flushStage: FlushClock.Stage {
    let isWaiting = ImmediateExit.isWaiting
    return state.withLock { state in
      if isWaiting, state.flush == nil { state.flush = FlushClock() }
      return state.flush?.stage ?? .none
    }
  }

  /// Milliseconds until the next stage begins; nil where none does.
  var untilNextFlushStage: Int32? { state.withLock { $0.flush?.untilNext } }

  /// Whether somebody waits for what has been reported so far.
  var isFlushing: Bool { ImmediateExit.isWaiting || state.withLock { !$0.flushers.isEmpty } }

  func flushed() {
    let flushers = state.withLock { state in
      defer { state.flushers = [] }
      if !state.flushers.isEmpty { state.flush = nil }
      return state.flushers
    }
    for flusher in flushers { flusher.signal() }
    if ImmediateExit.isWaiting { ImmediateExit.flushed() }
  }
}

/// The time that a process's end gives to its last reports: first everything is sent as ever, then facts without
/// bodies, and at last the count of what is left.
struct FlushClock: Sendable {
  enum Stage: Comparable, Sendable {
    /// The process does not end.
    case none
    case everything
    case facts
    case count
  }

  /// In milliseconds after the beginning.
  static let facts: UInt64 = 80
  static let count: UInt64 = 160
  static let end: UInt64 = 250
  /// As long is waited for what the hook is about to report.
  static let settled: UInt64 = 200

  private let began = DispatchTime.now().uptimeNanoseconds

  private var milliseconds: UInt64 { (DispatchTime.now().uptimeNanoseconds - began) / 1_000_000 }

  var stage: Stage {
    switch milliseconds {
    case ..<Self.facts: .everything
    case ..<Self.count: .facts
    default: .count
    }
  }

  /// Milliseconds until the next stage begins; nil in the last one.
  var untilNext: Int32? {
    let now = milliseconds
    return [Self.facts, Self.count].first { $0 > now }.map { Int32($0 - now) }
  }

  /// That many milliseconds after the beginning.
  func time(_ milliseconds: UInt64) -> DispatchTime {
    DispatchTime(uptimeNanoseconds: began + milliseconds * 1_000_000)
  }
}
