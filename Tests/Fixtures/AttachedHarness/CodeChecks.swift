import Foundation
import Patchbay

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What changes the whole process, and so has a process of its own. Nothing but stubs is asked for.
enum CodeChecks {
  static func run() {
    let refused = URL(string: "http://127.0.0.1:9/x")
    let session = URLSession(configuration: .ephemeral)
    say("bare:", Fetch.wait(refused).line.prefix(11), Fetch.wait(refused, session).line.prefix(11))
    Patchbay.stub(.get("*/a"), respond: .json(["a": 1]))
    let token = Patchbay.stub(.get("*/b"), fail: .timedOut)
    say("a:", Fetch.wait(URL(string: "http://a.example/a"), session).line)
    say("b:", Fetch.wait(URL(string: "http://a.example/b")).line.prefix(11))
    token.remove()
    Patchbay.isStrict = true
    say("strict:", Fetch.wait(URL(string: "http://a.example/b"), session).line)
    say("log:", Patchbay.exchanges.map { "\($0.request.method) \($0.request.url) \($0.by)" }.joined(separator: ", "))
    Patchbay.reset()
    say("after reset:", Patchbay.isStrict, Patchbay.exchanges.count)
    say("native again:", Fetch.wait(refused, session).line.prefix(11))
    // A token of before, and a list of classes that was put back by hand.
    Patchbay.stub(.get("*"), respond: .text("new"))
    token.remove()
    let bare = URLSessionConfiguration.ephemeral.protocolClasses
    URLSession.shared.configuration.protocolClasses = bare
    Patchbay.stub(.get("*/c"), respond: .text("c"))
    say("new:", Fetch.wait(refused, session).line, Fetch.wait(refused).line)
    for url in ["http://a.example/data", "http://a.example/text"].compactMap({ URL(string: $0) }) {
      say("contents:", (try? Data(contentsOf: url)).map { "\($0.count)" } ?? "none")
    }
    Patchbay.reset()
    Patchbay.isStrict = true
    say("strict alone:", Fetch.wait(refused).line.prefix(45))
  }
}
