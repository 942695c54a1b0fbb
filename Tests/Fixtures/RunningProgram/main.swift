// A program with nothing of Patchbay in it, to be attached to while it runs. Its sessions are made, and used, before anybody
// comes. Each line of standard input is `KIND URL`, and each answer one line, `KIND STATUS BYTES`, in their order:
//
//   shared      URLSession.shared, async
//   handler     a session of its own, completion handler
//   delegate    a session with a delegate
//   subclass    a session of a subclass of URLSession
//   fresh       a session made for the request
//   contents    Data(contentsOf:)
//   crowd N     makes N sessions, which stay, or as many as it has descriptors for; answers `crowd COUNT`
//   hooked      answers `hooked COUNT`: how many of them have Patchbay's class
//   lookalikes  fills memory with words that look like sessions; answers `lookalikes`
//   fill MB     takes as much memory and writes to it; answers `fill MB`
//   churn       makes and lets go of sessions on a thread from now on; answers `churn`
//   check       looks whether the lookalikes are as they were; answers `check intact` or what was changed
//   busy RATE URL   makes so many requests a second from now on, by its session; answers `busy`
//   busy-end        stops that; answers `busy-end ASKED FAILED SLOWEST-MS`
//   end
import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

final class Special: URLSession, @unchecked Sendable {}

final class Delegate: NSObject, URLSessionDataDelegate, @unchecked Sendable {
  let done = DispatchSemaphore(value: 0)
  var bytes = 0
  var status = 0

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) { bytes += data.count }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    status = error == nil ? (task.response as? HTTPURLResponse)?.statusCode ?? 0 : -1
    done.signal()
  }
}

func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

func answer(_ kind: String, _ data: Data?, _ response: URLResponse?) -> String {
  "\(kind) \((response as? HTTPURLResponse)?.statusCode ?? -1) \(data?.count ?? -1)"
}

func load(_ kind: String, _ url: URL, in session: URLSession) -> String {
  nonisolated(unsafe) var line = ""
  let done = DispatchSemaphore(value: 0)
  session.dataTask(with: url) { data, response, _ in
    line = answer(kind, data, response)
    done.signal()
  }.resume()
  done.wait()
  return line
}

/// Memory that a search for sessions meets: copies of a session's words that are no session.
final class Lookalikes {
  private let blocks: [UnsafeMutablePointer<UInt>]
  private let words: [[UInt]]

  init(of session: URLSession) {
    let object = Unmanaged.passUnretained(session).toOpaque().assumingMemoryBound(to: UInt.self)
    // The C library's own word before a block is its length with three bits of its own.
    let size = Int(object[-1] & ~7) / 8 - 1
    let original = (0..<size).map { object[$0] }
    var words: [[UInt]] = []
    // The class alone in a small block; with a count; a whole copy whose configuration is none; one that is being freed; one in
    // a block of another length; one that is all right but not at the beginning of a block.
    words.append([original[0], 0])
    words.append([original[0], 3, 0, 0])
    words.append([original[0], original[1]] + [UInt](repeating: 0, count: size - 2))
    words.append([original[0], original[1] | 1 << 32] + original[2...])
    words.append(original + [UInt](repeating: 7, count: 8))
    words.append([0, 0] + original)
    words.append([original[0], 0x7fff_ffff_ffff] + original[2...])
    self.words = words
    blocks = words.map { words in
      let block = UnsafeMutablePointer<UInt>.allocate(capacity: words.count)
      block.update(from: words, count: words.count)
      return block
    }
  }

  var changed: [Int] {
    zip(blocks, words).enumerated().compactMap { index, pair in
      pair.1.indices.allSatisfy { pair.0[$0] == pair.1[$0] } ? nil : index
    }
  }
}

// A session has descriptors of its own, and there may be thousands.
var limit = rlimit()
getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
for most in [max(limit.rlim_max, 1 << 16), limit.rlim_max] {
  limit = rlimit(rlim_cur: most, rlim_max: most)
  if setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 { break }
}

/// Requests at a rate, and what became of them.
final class Traffic: @unchecked Sendable {
  private let lock = NSLock()
  private let open = DispatchGroup()
  private var isOn = true
  private var asked = 0, failed = 0, slowest = 0.0

  init(rate: Int, url: URL) {
    Thread.detachNewThread { [self] in
      var next = Date()
      while lock.withLock({ isOn }) {
        begin(url)
        next += 1 / Double(max(1, rate))
        let wait = next.timeIntervalSinceNow
        if wait > 0 { usleep(UInt32(wait * 1_000_000)) }
      }
    }
  }

  private func begin(_ url: URL) {
    let began = Date()
    open.enter()
    own.dataTask(with: url) { [self] data, response, _ in
      let isRight = (response as? HTTPURLResponse)?.statusCode == 200 && data?.isEmpty == false
      lock.withLock {
        asked += 1
        failed += isRight ? 0 : 1
        slowest = max(slowest, Date().timeIntervalSince(began) * 1000)
      }
      open.leave()
    }.resume()
  }

  func end() -> String {
    lock.withLock { isOn = false }
    usleep(5_000)
    let isWhole = open.wait(timeout: .now() + 20) == .success
    return lock.withLock { "busy-end \(asked) \(failed + (isWhole ? 0 : 1)) \(slowest)" }
  }
}

// A program whose one thread never waits.
if CommandLine.arguments.dropFirst().first == "spin" {
  say("ready")
  while getppid() != 0 {}
}

let own = URLSession(configuration: .default)
let delegate = Delegate()
let delegated = URLSession(configuration: .ephemeral, delegate: delegate, delegateQueue: nil)
let special = Special(configuration: .default)
nonisolated(unsafe) var crowd: [URLSession] = []
nonisolated(unsafe) var memory: [UnsafeMutableRawPointer] = []
nonisolated(unsafe) var lookalikes: Lookalikes?
nonisolated(unsafe) var traffic: Traffic?

// All of them are at work before anybody comes.
if let address = CommandLine.arguments.dropFirst().first, let url = URL(string: address) {
  _ = try? await URLSession.shared.data(from: url)
  _ = load("handler", url, in: own)
  _ = load("subclass", url, in: special)
  delegated.dataTask(with: url).resume()
  delegate.done.wait()
}
say("ready")

while let line = readLine() {
  let words = line.split(separator: " ").map(String.init)
  let argument = words.count > 1 ? words[1] : ""
  let url = URL(string: argument) ?? URL(fileURLWithPath: "/")
  switch words.first ?? "" {
  case "shared":
    do {
      let (data, response) = try await URLSession.shared.data(from: url)
      say(answer("shared", data, response))
    } catch { say("shared error \((error as NSError).code)") }
  case "handler": say(load("handler", url, in: own))
  case "subclass": say(load("subclass", url, in: special))
  case "fresh": say(load("fresh", url, in: URLSession(configuration: .ephemeral)))
  case "delegate":
    delegate.bytes = 0
    delegated.dataTask(with: url).resume()
    delegate.done.wait()
    say("delegate \(delegate.status) \(delegate.bytes)")
  case "contents":
    let data = try? Data(contentsOf: url)
    say("contents \(data == nil ? -1 : 200) \(data?.count ?? -1)")
  case "crowd":
    let most = min(Int(argument) ?? 0, Int(limit.rlim_cur) / 3)
    for _ in 0..<most { crowd.append(URLSession(configuration: .ephemeral)) }
    say("crowd \(crowd.count)")
  case "hooked":
    let hooked = crowd.filter { session in
      session.configuration.protocolClasses?.contains { "\($0)" == "PatchbayURLProtocol" } == true
    }
    say("hooked \(hooked.count)")
  case "churn":
    Thread.detachNewThread {
      while true {
        let sessions = (0..<50).map { _ in URLSession(configuration: .ephemeral) }
        for session in sessions { session.invalidateAndCancel() }
        usleep(200)
      }
    }
    say("churn")
  case "lookalikes":
    lookalikes = Lookalikes(of: own)
    say("lookalikes")
  case "check": say("check \((lookalikes?.changed ?? []).map(String.init).joined(separator: ","))")
  case "fill":
    // In blocks of an allocator, with pointers in them, all into the first one: a gigabyte of them, each worked out for itself,
    // took a debug build eight seconds.
    let size = 1 << 20
    for _ in 0..<(Int(argument) ?? 0) {
      let block = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
      if let first = memory.first {
        block.copyMemory(from: first, byteCount: size)
      } else {
        let words = block.bindMemory(to: UInt.self, capacity: size / 8)
        for place in 0..<size / 8 { words[place] = UInt(bitPattern: block) + UInt(place * 8) }
      }
      memory.append(block)
    }
    say("fill \(argument)")
  case "busy":
    traffic = URL(string: words.last ?? "").map { Traffic(rate: Int(argument) ?? 1, url: $0) }
    say("busy")
  case "busy-end": say(traffic?.end() ?? "busy-end")
  case "end": exit(0)
  default: say("not known: \(line)")
  }
}
