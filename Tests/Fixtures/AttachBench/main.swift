// How a program takes it to be attached to while it makes 1,000 requests a second.
//
//   swift build -c release && .build/release/attach-bench [COUNT] [BUILD-FOLDER]
//
// COUNT programs (1,000 unless said) are started one after the other and attached to; the libraries and the program are those
// in BUILD-FOLDER, beside this file unless said. Printed are how long the program stood still, how long it took until the hook
// was in, and how many requests were lost or answered wrongly, beside what is promised; then how long a gigabyte is searched.
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

  init(url: String) throws {
    process.executableURL = URL(fileURLWithPath: build + "/running-program")
    process.arguments = [url]
    process.standardInput = input
    process.standardOutput = output
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
      try Attachment(facts: facts, libraries: libraries, runtime: "", rendezvous: "/tmp/attach-bench-nobody.sock")
        .begin()
    }
    done.signal()
  }
  done.wait()
  return (try result!.get(), (ContinuousClock.now - began) / .milliseconds(1))
}

func middle(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }
func text(_ value: Double) -> String { String(format: "%.2f", value) }

let url = "http://127.0.0.1:\(serve())/json"
var still: [Double] = []
var took: [Double] = []
var lost = 0
var asked = 0
var slowest = 0.0
for number in 1...count {
  let program = try Program(url: url)
  _ = program.tell("busy 1000 \(url)")
  usleep(100_000)
  let (report, milliseconds) = try attach(program)
  usleep(50_000)
  // `busy-end ASKED FAILED SLOWEST-MS`
  let words = program.tell("busy-end").split(separator: " ")
  asked += Int(words[1]) ?? 0
  lost += Int(words[2]) ?? 0
  slowest = max(slowest, Double(words[3]) ?? 0)
  program.end()
  still += report.standstills.map { Double($0) / 1000 }
  took.append(milliseconds)
  if number % 100 == 0 { FileHandle.standardError.write(Data("\(number) …\n".utf8)) }
}
print("\(count) attachments, \(asked) requests meanwhile at 1,000 a second")
print("stood still:  p50 \(text(middle(still))) ms, max \(text(still.max() ?? 0)) ms (promised: at most 5)")
print("hook was in:  p50 \(text(middle(took))) ms, max \(text(took.max() ?? 0)) ms (promised: 1,000)")
print("requests lost or answered wrongly: \(lost) (promised: 0); the slowest took \(text(slowest)) ms")
let large = try Program(url: url)
_ = large.tell("fill 1024")
print("a gigabyte of heap: \(text(try attach(large).milliseconds)) ms in all (promised: searched in 1,000)")
large.end()
