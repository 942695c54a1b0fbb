// Makes a session in each way there is, and says which classes it would ask: `WAY CLASS,CLASS…` a line. With a URL as its
// argument it loads that with Foundation's own functions, and says what came. With a word it does what `Starting`, `Late`
// and `Preloaded` say.
import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

final class OwnMock: URLProtocol {}
final class Delegate: NSObject, URLSessionDataDelegate {}

func show(_ way: String, _ session: URLSession) {
  let classes = (session.configuration.protocolClasses ?? []).map { "\($0)" }
  print(way, classes.joined(separator: ","))
}

func load(_ way: String, _ body: () throws -> String) {
  do { print(way, try body()) } catch { print(way, "failed", (error as NSError).domain, (error as NSError).code) }
}

let words = Array(CommandLine.arguments.dropFirst(2))
switch CommandLine.arguments.dropFirst().first {
#if os(Linux)
  case "start": Starting.run(words)
  case "late": Late.run(words)
  case "kept": Preloaded.kept()
  case "bypass": Preloaded.bypass()
  case "adopt": Preloaded.adopt()
  case "note": Preloaded.note(words)
  case "exit": Preloaded.leave(words)
#endif
case let address?:
  guard let url = URL(string: address) else { break }
  load("Data") { String(decoding: try Data(contentsOf: url), as: UTF8.self) }
  load("NSData") { String(decoding: try NSData(contentsOf: url, options: []) as Data, as: UTF8.self) }
  load("String") { try String(contentsOf: url, encoding: .utf8) }
case nil:
  let mocked = URLSessionConfiguration.ephemeral
  mocked.protocolClasses = [OwnMock.self] + (mocked.protocolClasses ?? [])
  show("mocked", URLSession(configuration: mocked))
  show("default", URLSession(configuration: .default))
  show("ephemeral", URLSession(configuration: .ephemeral))
  show("delegate", URLSession(configuration: .default, delegate: Delegate(), delegateQueue: nil))
  show("queue", URLSession(configuration: .ephemeral, delegate: nil, delegateQueue: OperationQueue()))
  show("shared", URLSession.shared)
  show("again", URLSession.shared)
  DispatchQueue.concurrentPerform(iterations: 64) { _ in
    let classes = URLSession(configuration: .default).configuration.protocolClasses ?? []
    precondition(classes.count == Set(classes.map { "\($0)" }).count)
  }
  print("untouched", (mocked.protocolClasses ?? []).map { "\($0)" }.joined(separator: ","))
}
