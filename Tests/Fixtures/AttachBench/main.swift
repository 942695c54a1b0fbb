// How a program takes it to be attached to while it makes 1,000 requests a second.
//
//   swift build -c release && .build/release/attach-bench [COUNT] [BUILD-FOLDER]
//
// COUNT programs (1,000 unless said) are started one after the other and attached to; the libraries and the program are those
// in BUILD-FOLDER, beside this file unless said. Printed are how long the program stood still, how long it took until the hook
// was in, and how many requests were lost or answered wrongly, beside what is promised; then, with
// `patchbay attach` itself and a stub, how long it takes until the first request is answered by the stub, and what stubbed
// requests take afterwards, beside the same program below `patchbay run`; then how long a gigabyte is searched.
import Foundation
import PatchbayAttach
import PatchbayLaunch

signal(SIGPIPE, SIG_IGN)
let arguments = CommandLine.arguments
let count = arguments.count > 1 ? Int(arguments[1]) ?? 1_000 : 1_000
let build =
  arguments.count > 2
  ? arguments[2] : URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent().path
let libraries = HookLibraries(
  preload: build + "/" + HookLibraries.preloadName, hook: build + "/" + HookLibraries.hookName)

/// One of its own: the hook watches where its console may come to be, and of a folder with thousands of files, as that for
/// temporary ones may be, the kernel tells each first, which took 20 ms.
let folder = NSTemporaryDirectory() + "/attach-bench-\(getpid())"
try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)

/// Answers every request with two bytes; returns its port.
func serve() -> Int {
  let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
  var size = socklen_t(MemoryLayout<sockaddr_in>.size)
  withUnsafeMutablePointer(to: &address) { pointer in
    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
      _ = bind(listener, pointer, size)
      listen(listener, 128)
      getsockname(listener, pointer, &size)
    }
  }
  Thread.detachNewThread {
    while case let peer = accept(listener, nil, nil), peer >= 0 {
      Thread.detachNewThread {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let answer = Array("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}".utf8)
        while recv(peer, &buffer, buffer.count, 0) > 0 { send(peer, answer, answer.count, 0) }
        close(peer)
      }
    }
  }
  return Int(UInt16(bigEndian: address.sin_port))
}

/// The fixture running-program, told by lines.
final class Program {
  private let process = Process()
  private let input = Pipe(), output = Pipe()
  private var rest = ""

  /// - Parameter wrapper: the command that starts it.
  init(url: String, below wrapper: [String] = []) throws {
    let command = wrapper + [build + "/running-program", url]
    process.executableURL = URL(fileURLWithPath: command[0])
    process.arguments = Array(command.dropFirst())
    process.standardInput = input
    process.standardOutput = output
    if !wrapper.isEmpty { process.standardError = FileHandle.nullDevice }
    try process.run()
    _ = line()
  }

  var pid: pid_t { process.processIdentifier }

  func line() -> String {
    while !rest.contains("\n") {
      let data = output.fileHandleForReading.availableData
      guard !data.isEmpty else { return "" }
      rest += String(decoding: data, as: UTF8.self)
    }
    let line = rest.prefix { $0 != "\n" }
    rest = String(rest.dropFirst(line.count + 1))
    return String(line)
  }

  func tell(_ text: String) -> String {
    input.fileHandleForWriting.write(Data((text + "\n").utf8))
    return line()
  }

  func end() {
    process.terminate()
    process.waitUntilExit()
  }
}

func attach(_ program: Program) throws -> (report: Attachment.Report, milliseconds: Double) {
  guard let facts = TargetProcess(program.pid).facts() else { throw AttachError("It has ended.") }
  let began = ContinuousClock.now
  nonisolated(unsafe) var result: Result<Attachment.Report, any Error>?
  let done = DispatchSemaphore(value: 0)
  Thread.detachNewThread {
    result = Result {
      try Attachment(facts: facts, libraries: libraries, runtime: "", rendezvous: folder + "/nobody.sock")
        .begin()
    }
    done.signal()
  }
  done.wait()
  return (try result!.get(), (ContinuousClock.now - began) / .milliseconds(1))
}

/// A stub that answers 418, in a file.
struct StubFile {
  let path = folder + "/stubs.yaml"

  init() throws {
    let text = """
      patchbay: 1
      stubs:
        - name: teapot
          when: {url: "*/stubbed"}
          then: {respond: {status: 418, body: short}}
      """
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
  }
}

/// What one stubbed request after the other takes, in microseconds, asked for through the program's pipes.
func stubbed(_ program: Program) throws -> [Double] {
  let line = "handler \(url)/stubbed"
  // The first ones are slower in any program.
  for _ in 0..<100 { _ = program.tell(line) }
  return try (0..<1_000).map { _ in
    let began = ContinuousClock.now
    let said = program.tell(line)
    guard said.hasPrefix("handler 418") else { throw AttachError("A stubbed request came to: \(said)") }
    return (ContinuousClock.now - began) / .microseconds(1)
  }
}

/// - Returns: milliseconds from the start of the command until a request was answered by the stub; and `stubbed`.
func attachByCommand(_ stubs: StubFile) throws -> (first: Double, requests: [Double]) {
  let program = try Program(url: url)
  let console = Process()
  console.executableURL = URL(fileURLWithPath: build + "/patchbay")
  console.arguments = ["attach", "\(program.pid)", "--headless", "--history", ":memory:", "--stubs", stubs.path]
  console.standardOutput = FileHandle.nullDevice
  console.standardError = FileHandle.nullDevice
  let began = ContinuousClock.now
  try console.run()
  defer {
    console.interrupt()
    console.waitUntilExit()
    program.end()
  }
  while !program.tell("handler \(url)/stubbed").hasPrefix("handler 418") {
    guard console.isRunning else { throw AttachError("patchbay attach ended with \(console.terminationStatus).") }
  }
  return ((ContinuousClock.now - began) / .milliseconds(1), try stubbed(program))
}

func runByCommand(_ stubs: StubFile) throws -> [Double] {
  let program = try Program(
    url: url,
    below: [build + "/patchbay", "run", "--headless", "--history", ":memory:", "--stubs", stubs.path, "--"])
  defer { program.end() }
  return try stubbed(program)
}

func middle(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }
func text(_ value: Double) -> String { String(format: "%.2f", value) }

let url = "http://127.0.0.1:\(serve())/json"
do {
  // One thread that waits anyway, and all of them.
  var away: [Double] = []
  var still: [Double] = []
  var took: [Double] = []
  var lost = 0
  var asked = 0
  // Of each program: while it was attached to, and for as long before.
  var slowest: [Double] = []
  var slowestBefore: [Double] = []
  for number in 1...count {
    let program = try Program(url: url)
    _ = program.tell("busy 1000 \(url)")
    usleep(600_000)
    slowestBefore.append(program.tell("busy-end").split(separator: " ").last.flatMap { Double($0) } ?? 0)
    _ = program.tell("busy 1000 \(url)")
    usleep(100_000)
    let (report, milliseconds) = try attach(program)
    usleep(50_000)
    // `busy-end ASKED FAILED SLOWEST-MS`
    let words = program.tell("busy-end").split(separator: " ")
    asked += Int(words[1]) ?? 0
    lost += Int(words[2]) ?? 0
    slowest.append(Double(words[3]) ?? 0)
    program.end()
    away.append(Double(report.away) / 1000)
    still += report.standstills.map { Double($0) / 1000 }
    took.append(milliseconds)
    if number % 100 == 0 { FileHandle.standardError.write(Data("\(number) …\n".utf8)) }
  }
  print("\(count) attachments, \(asked) requests meanwhile at 1,000 a second")
  func told(_ values: [Double]) -> String {
    "p50 \(text(middle(values))) ms, max \(text(values.max() ?? 0)) ms, \(values.count { $0 > 5 }) of \(values.count) above 5"
  }
  print("one or all threads stood: \(told(still)) (promised: none)")
  print("one that waits was away:  \(told(away))")
  print("hook was in:  p50 \(text(middle(took))) ms, max \(text(took.max() ?? 0)) ms (promised: 1,000)")
  print("requests lost or answered wrongly: \(lost) (promised: 0)")
  print("the slowest request of each program: \(told(slowest)); before: \(told(slowestBefore))")
  let stubs = try StubFile()
  var first: [Double] = []
  var attached: [Double] = []
  var below: [Double] = []
  // In turn, so that what else the machine does falls on both.
  for _ in 0..<min(20, count) {
    let (milliseconds, requests) = try attachByCommand(stubs)
    first.append(milliseconds)
    attached += requests
    below += try runByCommand(stubs)
  }
  print(
    "first request answered by a stub after: p50 \(text(middle(first))) ms, max \(text(first.max() ?? 0)) ms (promised: 1,000)"
  )
  func rate(_ microseconds: [Double]) -> Double { Double(microseconds.count) * 1e6 / microseconds.reduce(0, +) }
  print("stubbed, attached to:   p50 \(text(middle(attached))) µs, \(text(rate(attached))) a second")
  print("stubbed, below run:     p50 \(text(middle(below))) µs, \(text(rate(below))) a second")
  print(
    "attached to against run: latency \(text(middle(attached) / middle(below))), throughput \(text(rate(attached) / rate(below)))"
  )
  fflush(nil)
  // Last, for it takes the most memory.
  let large = try Program(url: url)
  _ = large.tell("fill 1024")
  print("a gigabyte of heap: \(text(try attach(large).milliseconds)) ms in all (promised: searched in 1,000)")
  large.end()
  try FileManager.default.removeItem(atPath: folder)
} catch {
  try? FileManager.default.removeItem(atPath: folder)
  FileHandle.standardError.write(Data("attach-bench: \(error)\n".utf8))
  exit(1)
}
