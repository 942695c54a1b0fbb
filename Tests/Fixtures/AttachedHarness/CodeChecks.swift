import Foundation
import Patchbay

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What changes the whole process, and so has a process of its own.
enum CodeChecks {
  static func run() {
    let refused = URL(string: "http://127.0.0.1:9/x")
    say("bare:", Fetch.wait(refused).line.prefix(11))
    Patchbay.attach()
    Patchbay.stub(.get("*/a"), respond: .json(["a": 1]))
    let token = Patchbay.stub(.get("*/b"), fail: .timedOut)
    let session = URLSession(configuration: .ephemeral.patched())
    say("a:", Fetch.wait(URL(string: "http://a.example/a"), session).line)
    say("b:", Fetch.wait(URL(string: "http://a.example/b"), session).line.prefix(11))
    token.remove()
    Patchbay.isStrict = true
    say("strict:", Fetch.wait(URL(string: "http://a.example/b"), session).line)
    say("log:", Patchbay.exchanges.map { "\($0.request.method) \($0.request.url) \($0.by)" }.joined(separator: ", "))
    Patchbay.reset()
    say("after reset:", Patchbay.isStrict, Patchbay.exchanges.count)
    say("native again:", Fetch.wait(refused, session).line.prefix(11))
  }
}
