import Dispatch
import Foundation
import PatchbayGrid
import PatchbayHistory
import PatchbayInspect
import PatchbayLaunch

/// A console without a screen, from its start to its exit status.
struct HeadlessRun {
  let bench: Workbench
  let options: ConsoleOptions

  /// - Parameters:
  ///   - command: what `run` starts; its end ends the console, its exit status is the result.
  ///   - target: what `attach` attends to; its end ends the console.
  ///   - act: done while the console runs, such as the demo's.
  func run(
    command: HookedCommand? = nil, target: AttachTarget? = nil, act: (@Sendable () async throws -> Void)? = nil
  ) async throws -> Int32 {
    let watch = try RunWatch(bench, options: options, isOutputFree: command == nil)
    let printer = LinePrinter(
      filter: bench.plan.filter, usesColor: Self.usesColor, withSecrets: options.withSecrets)
    bench.server.events.subscribe(.writing(to: STDERR_FILENO)) { $0.forEach(printer.received) }
    command?.watch(bench.server.events)

    let end = EndCondition()
    watch.arm(end)
    for notice in bench.notices { StandardError.say(notice) }
    let telling = Task { [history = bench.history] in
      var news = HistoryNews()
      for await event in history.events {
        if let sentence = news.received(event) { StandardError.say(sentence) }
      }
      for sentence in news.rest { StandardError.say(sentence) }
    }
    bench.stubFiles.onNotice = { sentence, _ in StandardError.say(sentence) }
    // Who finds the sockets may end this console at once, and does not kill it then. What comes before there is a command is
    // the command's; to the end of this process, for what ended the command may reach us only after it has ended, and the record
    // is to be put away.
    let relay = command == nil ? nil : SignalRelay.begin()
    if command == nil { end.watch(signals: Self.ending) }
    try await bench.start()
    let status: Int32
    do {
      if let target { try await attach(target, end) }
      status = try await body(command, relay, end: end, act: act)
    } catch {
      await bench.stop()
      throw error
    }
    let result = try await watch.finish(command, status: status)
    await telling.value
    return result
  }

  /// Signals that end a console without a command.
  private static let ending = [SIGINT, SIGTERM, SIGHUP]

  private func attach(_ target: AttachTarget, _ end: EndCondition) async throws {
    bench.guests.whenGone { sentence in
      StandardError.say(sentence)
      end.end(.programGone)
    }
    let sentence = try await bench.guests.attach(target, to: bench.server)
    StandardError.say("\(sentence) Ctrl-C ends this console, and the program runs on.")
  }

  private func body(
    _ command: HookedCommand?, _ relay: SignalRelay?, end: EndCondition, act: (@Sendable () async throws -> Void)?
  ) async throws -> Int32 {
    guard let command else {
      if bench.plan.mode == .listen {
        StandardError.say("waiting for programs on \(bench.plan.socket) (Ctrl-C ends it).")
      }
      let acting = act.map { act in Task { try await act() } }
      let reason = await end.wait()
      sayIdle(reason)
      acting?.cancel()
      try? await acting?.value
      guard case .signal(let number) = reason, number != SIGINT else { return ExitStatus.success }
      return ExitStatus.signal(number)
    }
    let running = try command.start(streams: .inherited, queue: DispatchQueue(label: "patchbay.run")) { _ in }
    relay?.follow(running)
    for caution in command.cautions { StandardError.say(caution + ".") }
    command.cautioned()
    Task {
      _ = await running.wait()
      end.end(.commandEnded)
    }
    let reason = await end.wait()
    sayIdle(reason)
    if reason != .commandEnded { await running.end() }
    if let left = command.leftBehind(of: Set(bench.server.links.map(\.process.pid))) { StandardError.say(left) }
    let status = await running.wait()
    return reason.excuses(status, of: options) ? ExitStatus.success : status
  }

  private func sayIdle(_ reason: EndCondition.Reason) {
    guard reason == .idle, let duration = options.untilIdle else { return }
    StandardError.say("ended, because no request was under way for \(Quantity.duration(duration.microseconds)).")
  }

  private static var usesColor: Bool {
    let environment = ProcessInfo.processInfo.environment
    return StandardError.isTerminal && environment["NO_COLOR"]?.isEmpty != false && environment["TERM"] != "dumb"
  }
}

/// Turns what a history has to say into sentences that do not flood: what repeats with each report is gathered, and
/// told when it has doubled, and at the end.
package struct HistoryNews {
  private var retired: [HistoryEvent.Limit: (all: Int, told: Int)] = [:]
  private var shed = 0

  package init() {}

  /// What is to be said now; nil when it can wait.
  package mutating func received(_ event: HistoryEvent) -> String? {
    switch event {
    case .retired(let count, let why):
      let before = retired[why] ?? (0, 0)
      let all = before.all + count
      let isTold = all >= 2 * before.told
      retired[why] = (all, isTold ? all : before.told)
      return isTold ? HistoryEvent.retired(exchanges: all, why: why).description : nil
    case .shed(let bodies, let exchanges):
      guard bodies + exchanges >= 2 * shed else { return nil }
      shed = bodies + exchanges
      return event.description
    case .failed, .recovered, .lost, .lostFile, .closedToOthers: return event.description
    }
  }

  /// What has waited.
  package var rest: [String] {
    retired.sorted { $0.key.rawValue < $1.key.rawValue }.filter { $0.value.all > $0.value.told }
      .map { HistoryEvent.retired(exchanges: $0.value.all, why: $0.key).description }
  }
}
