import Foundation
import HarnessCases
import Patchbay

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

// A program that links Patchbay and does one thing for a test: `attached-harness MODE URL [COUNT [PAUSE_MS or WIDTH]]`.

let arguments = CommandLine.arguments
let url = arguments.count > 2 ? URL(string: arguments[2]) : nil
let count = arguments.count > 3 ? Int(arguments[3]) ?? 1 : 1
let pause = arguments.count > 4 ? UInt32(arguments[4]) ?? 0 : 0

switch arguments.count > 1 ? arguments[1] : "" {
case "once":
  // Ends with the answer in hand, from whatever thread that is.
  Patchbay.attach()
  Fetch.start(url) { line in
    say(line)
    exit(0)
  }
  dispatchMain()
case "quick":
  Patchbay.attach()
  Fetch.start(url) { line in
    say(line)
    quick_exit(0)
  }
  dispatchMain()
case "burst":
  // Sends bodies of that many bytes, 16 requests at a time, and ends with the last answer in hand.
  Attached.begin()
  Burst.run(url, count: count, upload: Int(pause))
case "download":
  // The same with a file, which it removes at once.
  Patchbay.attach()
  Fetch.download(url) { line in
    say(line)
    exit(0)
  }
  dispatchMain()
case "return":
  Attached.begin()
  say(Fetch.wait(url).line)
case "loop":
  Attached.begin()
  for number in 1...max(1, count) {
    let answer = Fetch.wait(url)
    say("\(number) \(answer.line) \(answer.milliseconds) ms")
    usleep(pause * 1000)
  }
case "configuration":
  let session = URLSession(configuration: .ephemeral.patched())
  say(Fetch.wait(url, session).line)
case "classes":
  let configuration = URLSessionConfiguration.ephemeral
  configuration.protocolClasses = [PatchbayURLProtocol.self] + (configuration.protocolClasses ?? [])
  say(Fetch.wait(url, URLSession(configuration: configuration)).line)
case "memory": MemoryUse.run(url, count: count)
case "late":
  // Attaches when its sessions have long been at work.
  Late.run(url) { Attached.begin() }
case "late stub":
  // The same, with a stub and nothing else; afterwards everything is as before.
  Late.run(url) { Patchbay.stub(.get("http://nowhere.example/*"), respond: .text("short and stout", status: 418)) }
  Patchbay.reset()
  say("native again:", Fetch.wait(URL(string: "http://127.0.0.1:9/x")).line.prefix(11))
  say(Patchbay.state.link)
case "late strict":
  // The same, with strict mode and no stub.
  Late.run(url) { Patchbay.isStrict = true }
case "late exchanges":
  // The same, with a look at what was asked and nothing else.
  Late.run(url) { _ = Patchbay.exchanges }
  say("asked", Patchbay.exchanges.count)
  for count in [6, 7] {
    do {
      try Patchbay.verify(.get("*/x"), count: count)
      say("verified")
    } catch {
      say(error)
    }
  }
  do {
    try Patchbay.verify(.get("*/x"), count: 1...6)
    say("verified")
    try Patchbay.verify(.get("*/x"), count: ..<6)
    say("verified")
  } catch {
    say(error)
  }
case "linked":
  // Says how the link stands, each time that it changes.
  Patchbay.attach()
  var last = ""
  for _ in 0..<count {
    let now = "\(Patchbay.state.link)"
    if now != last { say(now) }
    last = now
    usleep(20_000)
  }
case "fork":
  Patchbay.attach()
  Forking.run {
    say("child \(Fetch.wait(url).line)")
  }
  say("parent \(Fetch.wait(url).line)")
case "close":
  // Closes what it did not open, as some do before they settle down as a daemon.
  let inherited = Descriptors.sockets
  Attached.begin()
  say(Fetch.wait(url).line)
  Descriptors.closeSockets(but: inherited)
  for _ in 0..<count {
    say(Fetch.wait(url).line)
    usleep(pause * 1000)
  }
  say(Descriptors.processorSeconds < 2 ? "calm" : "busy")
case "ask":
  Attached.begin()
  Asking.run()
case "storm":
  Attached.begin()
  Storm.run(url, count: count, width: Int(pause))
case "code": CodeChecks.run()
case "declarations": Declarations.run()
case "wrong":
  Patchbay.stub(Stub(name: "flaky", when: .get("*/feed"), then: .fail(Fault(.named("timedOutt")))))
  say("declared")
case "snippets":
  try await Snippets.readme()
  try await Snippets.stubs()
  try await Snippets.sessions()
default:
  say("unknown mode")
  exit(2)
}
