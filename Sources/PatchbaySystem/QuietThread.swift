import Foundation

extension Thread {
  /// Runs something on a thread of its own that takes no signals but those of its own mistakes, and SIGPROF, by which the
  /// runtime's crash reports stop each thread.
  ///
  /// The kernel gives a signal to any thread that does not block it. If the main thread alone takes them, they are heard before it
  /// does anything else; Dispatch's threads block them as well.
  package static func detachWithoutSignals(name: String? = nil, _ body: @escaping @Sendable () -> Void) {
    let thread = Thread {
      if let name { Self.setOwnName(name) }
      body()
    }
    // It begins with the mask of whoever starts it.
    var signals = sigset_t()
    var before = sigset_t()
    sigfillset(&signals)
    for own in [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGSYS, SIGPIPE, SIGPROF] {
      sigdelset(&signals, own)
    }
    pthread_sigmask(SIG_BLOCK, &signals, &before)
    thread.start()
    pthread_sigmask(SIG_SETMASK, &before, nil)
  }

  /// By the system: the name that Foundation is told before the thread begins, or while it begins, is lost (on Linux, 6.3).
  ///
  /// - Parameter name: Its first 15 bytes are kept, which is Linux's limit.
  private static func setOwnName(_ name: String) {
    let name = String(decoding: name.utf8.prefix(15), as: UTF8.self)
    #if canImport(Darwin)
      pthread_setname_np(name)
    #else
      // proc(5): what pthread_setname_np does, which Swift does not see in the C library.
      let file = open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
      guard file >= 0 else { return }
      _ = write(file, name, name.utf8.count)
      close(file)
    #endif
  }
}
