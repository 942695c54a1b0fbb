import Foundation
import PatchbayInspect
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayRuntime

/// `--log FILE`. Some of it goes to this process's standard streams, so it runs alone.
@Suite(.alone, .bounded) struct JSONLogTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func exchange(_ id: Int64, _ url: String = "http://a.example/", phase: Exchange.Phase = .ended) -> Exchange {
    var exchange = Exchange.answered(id, url, body: Data("x".utf8))
    exchange.phase = phase
    return exchange
  }

  private func log(_ path: String, filter: String? = nil, isSecret: Bool = false) throws -> JSONLog {
    try JSONLog(path: path, filter: try FilterArgument.parse(filter), isSecret: isSecret)
  }

  private func lines(_ path: String) throws -> [String] {
    try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n", omittingEmptySubsequences: false)
      .map(String.init)
  }

  @Test func whatHasEndedAndFitsIsAppended() throws {
    let path = try folder.write("before\n", to: "log")
    let log = try log(path, filter: "host:a.example")
    #expect(log.sentence == nil && !log.isIncomplete)
    log.received(.notice(nil, "no exchange"))
    log.received(
      .exchanges([exchange(1), exchange(2, phase: .receiving), exchange(3, "http://b.example/"), exchange(4)]))
    log.received(.exchanges([exchange(5)]))
    let expected = ["before"] + [1, 4, 5].map { JSONLines.line(exchange($0)) } + [""]
    #expect(try lines(path) == expected && !log.isIncomplete)
    var status = stat()
    #expect(fstat(log.descriptor, &status) == 0 && Int(status.st_size) == expected.joined(separator: "\n").utf8.count)
  }

  @Test(arguments: [true, false]) func whoMayReadItIsAskedOfWhatIsThere(_ isSecret: Bool) throws {
    let new = folder.file("new")
    let log = try log(new, isSecret: isSecret)
    log.received(.exchanges([exchange(1)]))
    let mode = try FileManager.default.attributesOfItem(atPath: new)[.posixPermissions] as? Int
    #expect(mode == 0o600 && log.sentence == nil)
    let old = try folder.write("", to: "old")
    chmod(old, 0o644)
    let sentence = try self.log(old, isSecret: isSecret).sentence
    #expect((sentence != nil) == isSecret)
    #expect(
      try FileManager.default.attributesOfItem(atPath: old)[.posixPermissions] as? Int == (isSecret ? 0o600 : 0o644))
  }

  @Test func whereItCannotBeMadeItIsSaid() {
    let path = folder.file("none/log")
    let error = #expect(throws: RuntimeError.self) { try log(path) }
    #expect(error?.description == "\(path) cannot be written (No such file or directory): choose another --log file.")
  }

  @Test func aFullDiskIsSaidOnce() async throws {
    let log = try log("/dev/full")
    log.onReaderGone { Issue.record("it is a file") }
    let (_, said) = try await written {
      #expect(!log.isIncomplete)
      log.received(.exchanges([exchange(1), exchange(2)]))
      #expect(log.isIncomplete)
      log.received(.exchanges([exchange(3)]))
      #expect(log.isIncomplete)
    }
    #expect(said == "patchbay: the log /dev/full cannot be written any more: look whether its disk is full.\n")
  }

  /// Behind a line that was cut short, the next one begins on a line of its own.
  @Test func aLineThatWasCutShortEndsBeforeTheNext() async throws {
    let path = folder.file("log")
    let log = try log(path)
    log.received(.exchanges([exchange(1)]))
    let whole = try lines(path)[0]
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
    let before = limit
    let handler = signal(SIGXFSZ, SIG_IGN)
    limit.rlim_cur = rlim_t(whole.utf8.count + 1 + 10)
    #expect(setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0)
    log.received(.exchanges([exchange(2)]))
    limit = before
    setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
    signal(SIGXFSZ, handler)
    #expect(log.isIncomplete)
    log.received(.exchanges([exchange(3), exchange(4)]))
    let cut = String(JSONLines.line(exchange(2)).prefix(10))
    #expect(try lines(path) == [whole, cut, JSONLines.line(exchange(3)), JSONLines.line(exchange(4)), ""])
    #expect(log.isIncomplete)
  }

  @Test func standardOutputIsWrittenToUntilNobodyReadsIt() async throws {
    let log = try log("-")
    #expect(log.descriptor == STDOUT_FILENO && log.sentence == nil)
    let (_, text) = try await written(to: STDOUT_FILENO) { log.received(.exchanges([exchange(1)])) }
    #expect(text == JSONLines.line(exchange(1)) + "\n")
    let gone = SeenLock(0)
    log.onReaderGone { gone.withLock { $0 += 1 } }
    var ends: [Int32] = [0, 0]
    #expect(pipe(&ends) == 0)
    close(ends[0])
    let handler = signal(SIGPIPE, SIG_IGN)
    let (_, said) = try await written {
      _ = try await written(to: STDOUT_FILENO) {
        dup2(ends[1], STDOUT_FILENO)
        log.received(.exchanges([exchange(2), exchange(3)]))
      }
    }
    signal(SIGPIPE, handler)
    close(ends[1])
    #expect(gone.withLock { $0 } == 1 && log.isIncomplete && said == "")
  }
}
