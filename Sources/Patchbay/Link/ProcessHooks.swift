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
  private static let connectionInode = Atomic<UInt64>(0)
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
      let inode = ProcessHooks.connectionInode.load(ordering: .relaxed)
      ProcessHooks.release(ProcessHooks.connection) { OwnDescriptor.inode(of: $0) == inode }
      ProcessHooks.release(ProcessHooks.waking, where: Waker.isOurs)
      ProcessHooks.release(ProcessHooks.woken, where: Waker.isOurs)
      ProcessHooks.release(ProcessHooks.watching, where: FolderWatch.isReadOfEvents)
      ProcessHooks.forked.store(true, ordering: .relaxed)
    }
  }

  private static func end() {
    // The child of a fork that has asked nothing has nothing to tell, and locks that were held have no owner in it.
    guard !isForked else { return }
    ending.store(true, ordering: .relaxed)
    ImmediateExit.forget()
    Hook.current.link.flush()
  }

  /// The process ends, and waits for the last reports.
  static var isEnding: Bool { ending.load(ordering: .relaxed) }

  /// A forked child that has not started anew yet.
  static var isForked: Bool { forked.load(ordering: .relaxed) }

  /// Everything that was copied from the parent is gone.
  static func startedAnew() { forked.store(false, ordering: .relaxed) }

  static func remember(_ socket: LinkSocket?) {
    connection.store(-1, ordering: .releasing)
    if let socket {
      connectionInode.store(OwnDescriptor.inode(of: socket.descriptor) ?? 0, ordering: .releasing)
      connection.store(socket.descriptor, ordering: .releasing)
    }
    if socket == nil { ImmediateExit.forget() } else { ImmediateExit.watch(getpid()) }
  }

  static func remember(_ waker: Waker?, _ watch: FolderWatch?) {
    waking.store(waker?.sending ?? -1, ordering: .relaxed)
    woken.store(waker?.receiving ?? -1, ordering: .relaxed)
    watching.store(watch?.descriptor ?? -1, ordering: .relaxed)
  }

  /// Wakes the link's thread, by atomics and system calls alone.
  static func wakeLink() { Waker.wake(waking.load(ordering: .relaxed)) }

  /// - Parameter isOurs: the program may have closed it, and opened something under its number.
  private static func release(_ held: borrowing Atomic<Int32>, where isOurs: (Int32) -> Bool) {
    let descriptor = held.exchange(-1, ordering: .relaxed)
    if descriptor >= 0, isOurs(descriptor) { close(descriptor) }
  }
}

/// The end of a process by `_exit`, which calls no handlers: where the preload library hears of it, it waits for the last
/// reports as `exit` does. A program may call it in a signal's handler, while any lock is held.
enum ImmediateExit {
  /// The process that has a link, and whose children do not count; 0 while there is none.
  private static let process = Atomic<Int32>(0)
  private static let waiting = Atomic<Bool>(false)
  private static let sent = Atomic<Bool>(false)

  private typealias Register = @convention(c) (@convention(c) () -> Void) -> Void

  static func install() {
    // Each is made by its first use, which may not be in a handler.
    forget()
    sent.store(false, ordering: .relaxed)
    guard !isWaiting, let symbol = dlsym(nil, "patchbay_preload_before_exit") else { return }
    unsafeBitCast(symbol, to: Register.self)({ ImmediateExit.flush() })
  }

  static func watch(_ pid: pid_t) { process.store(pid, ordering: .releasing) }

  static func forget() { process.store(0, ordering: .releasing) }

  /// Somebody waits for what has been reported so far.
  static var isWaiting: Bool { waiting.load(ordering: .acquiring) }

  static func flushed() { sent.store(true, ordering: .releasing) }

  /// Only atomics and system calls.
  private static func flush() {
    guard process.load(ordering: .acquiring) == getpid(), !waiting.exchange(true, ordering: .acquiringAndReleasing)
    else { return }
    ProcessHooks.wakeLink()
    let end = now + FlushClock.end
    while !sent.load(ordering: .acquiring), now < end { poll(nil, 0, 1) }
  }

  /// In milliseconds.
  private static var now: UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1000 + UInt64(time.tv_nsec) / 1_000_000
  }
}
