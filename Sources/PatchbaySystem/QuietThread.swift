import Foundation

extension Thread {
  /// Runs something on a thread of its own that takes no signals but those of its own mistakes, and SIGPROF, by which the
  /// runtime's crash reports stop each thread.
  ///
  /// The kernel gives a signal to any thread that does not block it. If the main thread alone takes them, they are heard before it
  /// does anything else; Dispatch's threads block them as well.
  package static func detachWithoutSignals(name: String? = nil, _ body: @escaping @Sendable () -> Void) {
    let thread = Thread {
      // Said before it begins, it would not have it (Foundation on Linux, 6.3).
      if let name { Thread.current.name = name }
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
}
