@preconcurrency import Dispatch
import Foundation
import PatchbayAttach
import PatchbayLaunch
import PatchbayServer
import PatchbaySystem
import Synchronization

/// The running programs that a console was attached to: while it lives they find it, and afterwards they go on as before.
package final class Guests: Sendable {
  private struct Guest {
    var target: AttachTarget
    /// nil where the program finds us by itself.
    var rendezvous: Rendezvous?
    var socket: String
    /// Tells of the program's end.
    var source: (any DispatchSourceProtocol)?
  }

  private struct State {
    var guests: [pid_t: Guest] = [:]
    var whenGone: (@Sendable (String) -> Void)?
  }

  private let state = Mutex(State())
  private let queue = DispatchQueue(label: "patchbay.guests")

  /// How long a hook may take to link once it is in the program.
  private static let patience = Duration.seconds(10)

  /// Calls back, on another thread, when a program that was attached to has ended or was let go of, with a sentence.
  func whenGone(_ tell: @escaping @Sendable (String) -> Void) { state.withLock { $0.whenGone = tell } }

  /// Brings the hook into the program, where it is not there yet, and waits until it has linked.
  ///
  /// - Parameter server: runs already.
  /// - Returns: a sentence about what was done.
  func attach(_ target: AttachTarget, to server: ConsoleServer) async throws -> String {
    let socket = target.socketSeen(server.configuration.socket)
    var rendezvous: Rendezvous?
    if case .again(let found) = target.way { rendezvous = found }
    if case .new(let found) = target.way { rendezvous = found }
    let libraries: HookLibraries?
    do {
      libraries = try target.makeLibraries()
      target.open()
      try rendezvous?.lead(to: socket)
    } catch {
      target.close(waitingIn: nil)
      throw error
    }
    let guest = Guest(target: target, rendezvous: rendezvous, socket: socket, source: watchEnd(of: target))
    state.withLock { $0.guests[target.process] = guest }
    do {
      var report: Attachment.Report?
      if let libraries, let rendezvous {
        report = try await Self.onThread { isStopped in try target.bringIn(libraries, rendezvous, unless: isStopped) }
      }
      try await waitForLink(target, server)
      return Self.sentence(target, report)
    } catch {
      letGo(target.process)
      throw error
    }
  }

  /// The kernel's rule: who traces is one thread, from beginning to end. It is told when its task was cancelled.
  private static func onThread<Value: Sendable>(
    _ work: @escaping @Sendable (_ isStopped: () -> Bool) throws -> Value
  ) async throws -> Value {
    let stopped = Atomic(false)
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        Thread.detachWithoutSignals {
          continuation.resume(with: Result { try work { stopped.load(ordering: .relaxed) } })
        }
      }
    } onCancel: {
      stopped.store(true, ordering: .relaxed)
    }
  }

  private func waitForLink(_ target: AttachTarget, _ server: ConsoleServer) async throws {
    let clock = ContinuousClock()
    let end = clock.now + Self.patience
    // Linked, and the stubs in force there.
    while !Self.isInForce(server.board.revision, in: target.facts.innerProcess, server.links) {
      guard TargetProcess(target.process).startedAt == target.facts.startedAt else {
        throw AttachError("\(target.title) ended while it was attached to.")
      }
      guard clock.now < end else {
        if case .linked = target.way {
          throw AttachError(
            "\(target.title) links Patchbay and has not linked within 10 s. It does when it calls Patchbay.attach(), or makes its "
              + "next request.")
        }
        throw AttachError("The hook is in \(target.title) and has not linked within 10 s. Attach again.")
      }
      try await Task.sleep(for: .milliseconds(5))
    }
  }

  /// Whether that process is linked and has stubs of that revision, or of a later one.
  static func isInForce(_ revision: UInt64, in process: pid_t, _ links: [LinkInfo]) -> Bool {
    links.contains { $0.process.pid == process && $0.revision > 0 && $0.revision >= revision }
  }

  private static func sentence(_ target: AttachTarget, _ report: Attachment.Report?) -> String {
    switch target.way {
    case .linked: return "\(target.title) is linked: Patchbay is part of it."
    case .again: return "attached to \(target.title) again: the hook was in it."
    case .new:
      let sessions = report?.sessions ?? 0
      func milliseconds(_ microseconds: Int64?) -> String {
        String(format: "%.1f ms", Double(microseconds ?? 0) / 1000)
      }
      return
        "attached to \(target.title): \(sessions) session\(sessions == 1 ? "" : "s"), and those that it makes from now on. "
        + "It stood still for \(milliseconds(report?.standstills.max())) at most; one waiting thread was borrowed for "
        + "\(milliseconds(report?.away))."
    }
  }

  /// Lets go of a program: its hook does not find us again.
  ///
  /// - Returns: the pid under which it is linked still; nil if it is none of ours.
  func detach(_ process: pid_t) -> Int32? {
    guard let guest = letGo(process) else { return nil }
    // Whoever asked for it has the answer before a console without a screen ends.
    queue.asyncAfter(deadline: .now() + .milliseconds(100)) { [weak self] in
      self?.gone("detached from \(guest.target.title), which runs on.")
    }
    return guest.target.facts.innerProcess
  }

  /// Lets go of all of them, before the server ends: no hook finds it again.
  func leave() {
    for process in state.withLock({ Array($0.guests.keys) }) { letGo(process) }
  }

  /// Takes away what was left for its hook, when the sockets are gone.
  @discardableResult
  private func letGo(_ process: pid_t, hasEnded: Bool = false) -> Guest? {
    guard let guest = state.withLock({ $0.guests.removeValue(forKey: process) }) else { return nil }
    guest.source?.cancel()
    guest.rendezvous?.remove(leadingTo: guest.socket)
    guest.target.close(waitingIn: hasEnded ? nil : guest.rendezvous)
    return guest
  }

  private func watchEnd(of target: AttachTarget) -> (any DispatchSourceProtocol)? {
    guard let descriptor = ProcessEnd.descriptor(of: target.process) else { return nil }
    let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
    source.setEventHandler { [weak self] in
      guard let self, letGo(target.process, hasEnded: true) != nil else { return }
      gone("\(target.title) ended.")
    }
    source.setCancelHandler { close(descriptor) }
    source.activate()
    return source
  }

  private func gone(_ sentence: String) { state.withLock { $0.whenGone }?(sentence) }
}
