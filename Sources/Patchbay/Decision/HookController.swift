import PatchbayStubs
import PatchbayWire
import Synchronization

/// Decides what is in force: the console's stubs, then those in code, and the settings. Each change makes a new
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
  }

  private let state: Mutex<State>
  private let counters = SharedCounters()

  /// Where the snapshots go.
  let hook: HookState

  init(code: CodeStubs = CodeStubs(), hook: HookState = .shared) {
    self.hook = hook
    state = Mutex(State(code: code))
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
    change { state in
      state.push = push
      state.settings = settings
      state.link = link
    }
  }

  func apply(_ settings: HookSettings) {
    change { $0.settings = settings }
  }

  /// Stubs stop applying, unless they are to be kept, or what is unmatched must fail. In a program that was attached to
  /// nothing stays: it goes on as before.
  func consoleGone(isGuest: Bool = PreloadEntry.rendezvous != nil) {
    change { state in
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
      if push.set.unmatched == .hold { state.push?.set.unmatched = .pass }
    }
  }

  func changeCode(_ body: (inout CodeStubs) -> Void) {
    change { state in
      body(&state.code)
      if state.log == nil && !state.code.isEmpty { state.log = ExchangeLog() }
    }
    let now = state.withLock { ($0.link, $0.code) }
    now.0?.queue.append(.codeStubs(now.1.declared))
  }

  func resetCounts(_ name: String?) { counters.reset(name) }

  /// A console that has just come is told of all counters.
  func announceProgress() { counters.announce() }

  /// The counters that changed since this was last asked.
  func takeProgress() -> [StubProgress] { counters.takeChanges() }

  /// Forgets all stubs in code, the log and the counters.
  func resetCode() {
    changeCode { $0 = CodeStubs() }
    change { $0.log = nil }
    counters.reset(nil)
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

  private func change(_ body: (inout State) -> Void) {
    state.withLock { state in
      body(&state)
      hook.replace(snapshot(of: state))
    }
  }

  private func snapshot(of state: State) -> HookSnapshot {
    let isActive = state.link != nil || state.push != nil || !state.code.isEmpty || state.log != nil
    guard isActive else { return .dormant }
    let push = state.push ?? StubPush(set: StubSet())
    let set = push.set
    let stubs = StubDecider(
      push, code: state.code, counters: counters,
      notices: { [queue = state.link?.queue] in queue?.append(.notice($0)) })
    // The console's are compiled by whoever brings them.
    if state.push != nil { stubs.prepare() }
    let isIdle = set.stubs.isEmpty && state.code.isEmpty
    return HookSnapshot(
      active: true, settings: state.settings, stubs: isIdle ? nil : stubs, revision: set.revision,
      unmatched: set.unmatched, holdAll: set.holdAll,
      sink: CombinedSink(link: state.link, log: state.log))
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
