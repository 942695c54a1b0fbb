import Foundation
import HarnessCases
import Patchbay
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What thousands of requests leave behind: the bytes that are allocated, which (unlike the process's pages) do not
/// depend on where the allocator put them.
enum MemoryUse {
  /// - Parameters:
  ///   - url: What the network answers; `http://stubbed.test/` is for a stub to answer.
  ///   - count: Requests of each kind.
  static func run(_ url: URL?, count: Int) {
    guard let url, let stubbed = URL(string: "http://stubbed.test/") else { return say("no url") }
    Patchbay.attach()
    let hooked = URLSession(configuration: .ephemeral.patched())
    let bare = URLSession(configuration: .ephemeral)
    let steps = [("stubbed", hooked, stubbed), ("bare", bare, url), ("passed", hooked, url)]
    for (_, session, url) in steps { send(count / 5, session, url) }
    var before = settled()
    for (name, session, url) in steps {
      send(count, session, url)
      let now = settled()
      say(name, now - before)
      before = now
    }
    say("threads", threads)
  }

  private static func send(_ count: Int, _ session: URLSession, _ url: URL) {
    let next = Atomic<Int>(0)
    let open = DispatchGroup()
    @Sendable func ask() {
      guard next.add(1, ordering: .relaxed).newValue <= count else { return open.leave() }
      session.dataTask(with: url) { _, _, _ in ask() }.resume()
    }
    for _ in 0..<8 {
      open.enter()
      ask()
    }
    open.wait()
  }

  /// Bytes in use once they change no more: everything reported has been sent, and every task let go of.
  private static func settled() -> Int {
    var last = HeapUse.allocated
    var calm = 0
    for _ in 0..<600 where calm < 5 {
      usleep(20_000)
      let now = HeapUse.allocated
      calm = abs(now - last) < 4_096 ? calm + 1 : 0
      last = now
    }
    return last
  }

  /// The hook's own.
  private static var threads: Int {
    let all = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
    return all.filter { (try? String(contentsOfFile: "/proc/self/task/\($0)/comm", encoding: .utf8)) == "patchbay\n" }
      .count
  }
}
