import Foundation
import Synchronization

/// What happens to the link at the process's turning points: at exit the last reports are sent, and a forked child
/// lets go of its parent's sockets and starts dormant.
enum ProcessHooks {
  private static let installed = Atomic<Bool>(false)
  private static let forked = Atomic<Bool>(false)
  private static let ending = Atomic<Bool>(false)
  // What a forked child has to close.
  private static let connection = Atomic<Int32>(-1)
  private static let waking = Atomic<Int32>(-1)
  private static let woken = Atomic<Int32>(-1)
  private static let watching = Atomic<Int32>(-1)

  /// Once a process; a forked child inherits what its parent installed.
  static func install() {
    guard !installed.exchange(true, ordering: .relaxed) else { return }
    atexit { ProcessHooks.end() }
    at_quick_exit { ProcessHooks.end() }
    ImmediateExit.install()
    // In the child only system calls and atomics: another thread of the parent may have held any lock.
    pthread_atfork(nil, nil) {
      ProcessHooks.release(ProcessHooks.connection.exchange(-1, ordering: .relaxed))
      ProcessHooks.release(ProcessHooks.waking.exchange(-1, ordering: .relaxed))
      ProcessHooks.release(ProcessHooks.woken.exchange(-1, ordering: .relaxed))
      ProcessHooks.release(ProcessHooks.watching.exchange(-1, ordering: .relaxed))
      ProcessHooks.forked.store(true, ordering: .relaxed)
    }
  }

  private static func end() {
    ending.store(true, ordering: .relaxed)
    ImmediateExit.forget()
    Hook.current.link.flush()
  }

  /// The process ends, and waits for the last reports.
  static var isEnding: Bool { ending.load(ordering: .relaxed) }

  /// A forked child that has not started anew yet.
  static var isForked: Bool { forked.load(ordering: .relaxed) }

  /// True once in a forked child, for whoever comes first: everything that was copied from the parent must go.
  static func takeForked() -> Bool {
    forked.load(ordering: .relaxed) && forked.exchange(false, ordering: .relaxed)
  }

  static func remember(_ socket: LinkSocket?) {
    connection.store(socket?.descriptor ?? -1, ordering: .relaxed)
    if socket == nil { ImmediateExit.forget() } else { ImmediateExit.watch(getpid()) }
  }

  static func remember(_ waker: Waker, _ watch: FolderWatch?) {
    waking.store(waker.sending, ordering: .relaxed)
    woken.store(waker.receiving, ordering: .relaxed)
    watching.store(watch?.descriptor ?? -1, ordering: .relaxed)
  }

  /// Wakes the link's thread, by atomics and system calls alone.
  static func wakeLink() { Waker.wake(waking.load(ordering: .relaxed)) }

  private static func release(_ descriptor: Int32) {
    if descriptor >= 0 { close(descriptor) }
  }
}
