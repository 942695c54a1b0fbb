@preconcurrency import Dispatch

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

extension Command {
  /// Sends a signal to the command's process. False if that has ended.
  @discardableResult public func signal(_ number: Int32) -> Bool {
    state.withLock { state in state.status == nil && kill(processIdentifier, number) == 0 }
  }

  /// What Ctrl-C in its own terminal would do: SIGINT to the group in the foreground there. Without a terminal of its
  /// own, to the command's process.
  public func interrupt() {
    guard let terminal else {
      signal(SIGINT)
      return
    }
    state.withLock { state in
      guard !state.isReaped else { return }
      kill(-(terminal.foregroundGroup() ?? processIdentifier), SIGINT)
    }
  }

  /// Ends the command and what it left running (in its session, or as its children if it shares ours): SIGTERM, and
  /// SIGKILL for what is still there after `grace`. Then its terminal is closed. Nothing is waited for longer than that,
  /// whoever holds the terminal.
  public func end(grace: Duration = .seconds(2)) async {
    let clock = ContinuousClock()
    let deadline = clock.now + grace
    var left = victims()
    for victim in left {
      kill(victim.process, SIGTERM)
      // A stopped one could not act on it.
      kill(victim.process, SIGCONT)
    }
    if left.isEmpty { signal(SIGTERM) }
    while clock.now < deadline {
      left = left.filter(\.isAlive)
      if left.isEmpty, status != nil { break }
      await Self.pause()
    }
    // Those that were started meanwhile, too.
    for victim in Set(left + victims()) where victim.isAlive { kill(victim.process, SIGKILL) }
    signal(SIGKILL)
    _ = await wait()
    terminal?.close()
    reap()
  }

  /// Ten milliseconds, also in a task that was cancelled.
  private static func pause() async {
    await withCheckedContinuation { continuation in
      DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(10)) { continuation.resume() }
    }
  }

  private func victims() -> [ProcessTable.Entry] {
    if state.withLock({ $0.isReaped }) { return [] }
    let table = ProcessTable()
    return terminal == nil ? table.tree(under: processIdentifier) : table.members(ofSession: processIdentifier)
  }
}
