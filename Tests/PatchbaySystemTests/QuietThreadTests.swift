import Foundation
import PatchbaySystem
import PatchbayTestSupport
import Testing

@Suite(.bounded) struct QuietThreadTests {
  private static func blocked() -> Set<Int32> {
    var signals = sigset_t()
    pthread_sigmask(SIG_BLOCK, nil, &signals)
    return Set((1..<32).filter { sigismember(&signals, $0) == 1 })
  }

  /// What is sent to the process is the main thread's; a crash report stops each thread by SIGPROF.
  @Test func itTakesNoSignalsButThoseOfItsOwnMistakes() async {
    let before = Self.blocked()
    let (name, inside) = await withCheckedContinuation { continuation in
      Thread.detachWithoutSignals(name: "quiet") {
        continuation.resume(returning: (Thread.current.name, Self.blocked()))
      }
    }
    #expect(name == "quiet")
    let sent = [SIGINT, SIGQUIT, SIGHUP, SIGTERM, SIGTSTP, SIGCONT, SIGWINCH, SIGUSR1, SIGUSR2, SIGURG]
    #expect(inside.isSuperset(of: sent))
    let own: Set = [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGSYS, SIGPIPE, SIGPROF]
    #expect(inside.isDisjoint(with: own.subtracting(before)))
    #expect(Self.blocked() == before)
  }
}
