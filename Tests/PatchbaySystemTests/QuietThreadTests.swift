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
    let inside = await withCheckedContinuation { continuation in
      Thread.detachWithoutSignals { continuation.resume(returning: Self.blocked()) }
    }
    let sent = [SIGINT, SIGQUIT, SIGHUP, SIGTERM, SIGTSTP, SIGCONT, SIGWINCH, SIGUSR1, SIGUSR2, SIGURG]
    #expect(inside.isSuperset(of: sent))
    let own: Set = [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGSYS, SIGPIPE, SIGPROF]
    #expect(inside.isDisjoint(with: own.subtracting(before)))
    #expect(Self.blocked() == before)
  }

  /// Also where it runs before the one that started it goes on.
  @Test(arguments: [("quiet", "quiet"), ("longer than any is", "longer than any")])
  func itHasItsNameFromTheBeginning(_ name: String, _ kept: String) async {
    var names: Set<String> = []
    for _ in 0..<300 {
      names.insert(
        await withCheckedContinuation { continuation in
          Thread.detachWithoutSignals(name: name) {
            let told = try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)
            continuation.resume(returning: told ?? "")
          }
        })
    }
    #expect(names == [kept + "\n"])
  }

  @Test func aNameLeavesNoDescriptorOpen() async {
    for _ in 0..<50 {
      await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
        Thread.detachWithoutSignals(name: "named") { continuation.resume() }
      }
    }
    let open = Path.names(in: "/proc/self/fd").compactMap { Path.target(ofLink: "/proc/self/fd/\($0)") }
    #expect(open.filter { $0.contains("/comm") }.count < 40)
  }
}
