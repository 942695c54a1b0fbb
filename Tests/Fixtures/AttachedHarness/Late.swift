import Foundation
import Patchbay

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Sessions that are at work before anything of Patchbay is called, and one that is made afterwards.
enum Late {
  private final class Mock: URLProtocol {
    override class func canInit(with request: URLRequest) -> Bool { false }
  }

  static func run(_ url: URL?, _ begin: () -> Void) {
    let mocked = URLSessionConfiguration.ephemeral
    mocked.protocolClasses = [Mock.self] + (mocked.protocolClasses ?? [])
    let bare = URLSessionConfiguration.ephemeral
    bare.protocolClasses = nil
    let sessions: [(name: String, session: URLSession)] = [
      ("shared", .shared), ("default", URLSession(configuration: .default)),
      ("delegate", URLSession(configuration: .ephemeral, delegate: nil, delegateQueue: OperationQueue())),
      ("mocked", URLSession(configuration: mocked)), ("bare", URLSession(configuration: bare)),
    ]
    weak var gone: URLSession?
    do {
      let session = URLSession(configuration: .ephemeral)
      gone = session
    }
    let refused = URL(string: "http://127.0.0.1:9/x")
    for (name, session) in sessions { say("\(name):", Fetch.wait(refused, session).line.prefix(11)) }
    // Others that come and go meanwhile make nobody forget these.
    for _ in 0..<150 { _ = URLSession(configuration: .ephemeral) }
    begin()
    for (name, session) in sessions { say("\(name):", Fetch.wait(url, session).line) }
    say("later:", Fetch.wait(url, URLSession(configuration: .ephemeral)).line)
    say("mocked has", (sessions[3].session.configuration.protocolClasses ?? []).map { "\($0)" }.joined(separator: " "))
    say(gone == nil ? "gone" : "kept")
  }
}
