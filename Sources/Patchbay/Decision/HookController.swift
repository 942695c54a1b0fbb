import Dispatch
import PatchbayStubs
import PatchbayWire
import Synchronization

/// Decides what is in force: the stubs in code, then the console's, and the settings. Each change makes a new
/// snapshot, which the next request sees; stubs are compiled by whoever brings them, never on a request's path.
final class HookController: Sendable {
  private struct State {
    var push: StubPush?
    var settings = HookSettings()
    /// The link that reports go to; nil without a console.
    var link: ConsoleLink?
    var code: CodeStubs
    var log: ExchangeLog?
    var sentences: [String] = []
    /// nil in a process that `run` did not start.
    var promise: StubPromise?
    /// Where requests wait for stubs; there while that may happen.
    var room: WaitingRoom?
  }

  private let state: Mutex<State>
  private let counters = SharedCounters()

  /// Where the snapshots go.
  let hook: HookState

  init(code: CodeStubs = CodeStubs(), hook: HookState = .shared, promise: StubPromise? = nil) {
    self.hook = hook
    state = Mutex(State(code: code, promise: promise))
  }

  /// The stubs in code, as they are now.
  var code: CodeStubs { state.withLock { $0.code } }

  /// What the console is told of the stubs in code.
  var codeStubs: [Stub] { code.declared }

  /// The log of exchanges, made when it is first asked for.
  var log: ExchangeLog {
    change { state in
      if state.log == nil { state.log = ExchangeLog() }
    }
    return state.withLock { $0.log } ?? ExchangeLog()
  }

  func apply(_ push: StubPush, settings: HookSettings, link: ConsoleLink) {
    change(opens: true) { state in
      state.push = push
      state.settings = settings
      state.link = link
      state.promise?.unmatched = push.set.unmatched
      state.promise?.stand = .kept
    }
  }

  func apply(_ settings: HookSettings) {
    change { $0.settings = settings }
  }

  /// The link has ended. Where `run` has promised stubs everything stays as it is until it is known that the console has
  /// gone: a link that comes back must find no gap.
  func linkEnded(isGuest: Bool = PreloadEntry.rendezvous != nil) {
    guard wasPromisedStubs else { return change { forget(&$0, isGuest: isGuest) } }
    state.withLock { $0.link }?.queue.open(from: hook.nextKey())
  }

  /// There is no console, or none that takes us; the clause says why.
  func consoleGone(_ why: @autoclosure () -> String) {
    guard wasPromisedStubs else { return }
    let why = why()
    // It is looked for again and again.
    guard state.withLock({ $0.promise?.stand != .broken(why) || $0.link != nil }) else { return }
    change(opens: true) { state in
      state.link?.queue.close()
      state.promise?.stand = .broken(why)
      forget(&state)
    }
  }

  /// The console's stubs stop applying, unless they are to be kept, or what is unmatched must fail. In a program that
  /// was attached to nothing stays: it goes on as before.
  private func forget(_ state: inout State, isGuest: Bool = false) {
    state.link = nil
    guard !isGuest, let push = state.push, state.settings.keepStubs || push.set.unmatched == .fail else {
      // Whoever comes next begins to count at zero.
      for stub in state.push?.set.stubs ?? [] where state.push?.overrides.contains(stub.name) == false {
        counters.reset(stub.name)
      }
      state.push = nil
      state.settings = HookSettings()
      return
    }
    state.push?.set.holdAll = nil
    // What `run` has promised to hold waits for a console, however long that takes.
    if push.set.unmatched == .hold, state.promise == nil { state.push?.set.unmatched = .pass }
  }

  func changeCode(_ body: (inout CodeStubs) -> Void) {
    change { state in
      body(&state.code)
      if state.log == nil && !state.code.isEmpty { state.log = ExchangeLog() }
    }
    let now = state.withLock { ($0.link, $0.code) }
    now.0?.queue.append(.codeStubs(now.1.declared))
  }

  /// Declares a stub in code, unless its scope is closed. It counts from zero, whatever had its name before.
  func declare(_ stub: CodeStub) -> CodeStub {
    var added = stub
    changeCode { code in
      // Looked at here, since whoever closes a scope removes its stubs here afterwards.
      if let scope = stub.scope, !ScopeRegister.isOpen(scope) { return }
      added = code.add(stub)
      counters.reset(added.stub.name)
    }
    return added
  }

  func resetCounts(_ name: String?) { counters.reset(name) }

  func setState(_ scenario: ScenarioState) { counters.setState(scenario) }

  /// The scenarios that moved since this was last asked.
  func takeMoves() -> [ScenarioState] { counters.takeMoves() }

  /// A console that has just come is told of all counters.
  func announceProgress() { counters.announce() }

  /// The counters that changed since this was last asked.
  func takeProgress() -> [StubProgress] { counters.takeChanges() }

  /// Forgets the stubs in code that are for all sessions, and what was asked. Scopes keep theirs.
  func resetCode() {
    changeCode { $0.removeThoseForAll() }
    let hasScopes = ScopeRegister.hasOpen
    change { state in
      if hasScopes { state.log?.forget() } else { state.log = nil }
    }
  }

  /// Tells the console a sentence, now or as soon as there is one.
  func say(_ sentence: String) {
    let link = state.withLock { state in
      if !state.sentences.contains(sentence) { state.sentences.append(sentence) }
      return state.link
    }
    link?.queue.append(.notice(sentence))
  }

  /// What each console is told when it comes.
  var sentences: [String] { state.withLock { $0.sentences } }

  func publish() { change { _ in } }

  /// Takes the reports of requests that come before the stubs, where these were promised.
  func expectStubs(by link: ConsoleLink) {
    guard wasPromisedStubs else { return }
    link.queue.open(from: 0)
    change { $0.link = link }
  }

  var wasPromisedStubs: Bool { state.withLock { $0.promise != nil } }

  /// - Parameter opens: Whoever waits looks again, because there is something new to be decided by.
  private func change(opens: Bool = false, _ body: (inout State) -> Void) {
    // What was in force goes after the lock: what the program's closures held may call back as it goes.
    let (opened, before) = state.withLock { state in
      let (code, log) = (state.code, state.log)
      body(&state)
      var opened: WaitingRoom?
      if state.promise != nil, opens || state.room == nil {
        opened = state.room
        state.room = WaitingRoom { [weak self] room in self?.beginPatience(room) }
      }
      return (opened, (hook.replace(snapshot(of: state)), code, log))
    }
    opened?.open()
    withExtendedLifetime(before) {}
  }

  /// A request waits for the stubs: if they do not come in time it goes on without them.
  private func beginPatience(_ room: WaitingRoom) {
    HookQueue.shared.asyncAfter(deadline: .now() + StubPromise.patience) { [weak self, weak room] in
      guard let self, let room, state.withLock({ $0.room === room && $0.promise?.stand == .open && $0.push == nil })
      else { return }
      change(opens: true) { $0.promise?.stand = .late }
    }
  }

  private func snapshot(of state: State) -> HookSnapshot {
    let promise = state.push == nil ? state.promise : nil
    let isActive =
      state.link != nil || state.push != nil || !state.code.isEmpty || state.log != nil
      || promise.map { $0.keepsWaiting || $0.unmatched != .pass } ?? false
    guard isActive else { return .dormant }
    let push = state.push ?? StubPush(set: StubSet(unmatched: promise?.unmatched ?? .pass))
    let set = push.set
    let stubs = StubDecider(
      push, code: state.code, counters: counters,
      notices: { [queue = state.link?.queue] in queue?.append(.notice($0)) })
    // The console's are compiled by whoever brings them.
    if state.push != nil { stubs.prepare() }
    let isIdle = set.stubs.isEmpty && state.code.isEmpty
    return HookSnapshot(
      active: true, settings: state.settings, stubs: isIdle ? nil : stubs,
      revision: promise == nil ? set.revision : Exchange.revisionBeforeStubs, unmatched: set.unmatched,
      holdAll: set.holdAll, withoutStubs: promise?.reason, sink: CombinedSink(link: state.link, log: state.log),
      room: set.unmatched == .hold || promise != nil ? state.room : nil, awaitsStubs: promise?.keepsWaiting ?? false,
      strictness: state.code.strictness)
  }
}

/// Who is told of exchanges: the console, and the log in code.
final class CombinedSink: ExchangeSink {
  private let link: ConsoleLink?
  private let log: ExchangeLog?

  init(link: ConsoleLink?, log: ExchangeLog?) {
    self.link = link
    self.log = log
  }

  func report(_ report: consuming ExchangeReport) {
    if let log { log.note(report) }
    link?.queue.append(report)
  }

  func hold(_ key: UInt64, resume: @escaping @Sendable (Verdict.Decision?) -> Void) {
    guard let link else { return resume(nil) }
    link.holds.add(key, resume)
  }

  func unhold(_ key: UInt64) { link?.holds.remove(key) }

  func notice(_ sentence: String) { link?.queue.append(.notice(sentence)) }
}
