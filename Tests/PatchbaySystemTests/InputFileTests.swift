import Foundation
import PatchbaySystem
import PatchbayTestSupport
import Testing

@Suite("What is read for the person", .bounded)
struct InputFileTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test(
    "a file is read to its end, whatever its size, and one that is too large is refused", arguments: [0, 1, 300_000])
  func files(size: Int) throws {
    let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0) }
    try Data(bytes).write(to: URL(fileURLWithPath: folder.file("f")))
    #expect(try InputFile.bytes(folder.file("f"), limit: size) == bytes)
    guard size > 0 else { return }
    #expect(throws: FileReadError(path: folder.file("f"), .large(size - 1))) {
      try InputFile.bytes(folder.file("f"), limit: size - 1)
    }
  }

  @Test("a file whose size is told as 0 is read all the same")
  func proc() throws {
    #expect(try InputFile.bytes("/proc/self/status", limit: 1 << 20).count > 100)
  }

  @Test("a pipe to which somebody writes is read to its end, in whatever pieces it comes")
  func deliveringPipe() async throws {
    let path = folder.file("pipe")
    #expect(mkfifo(path, 0o600) == 0)
    let sent = String(repeating: "0123456789", count: 30_000)
    // A thread of its own: the pool's may be taken by tests that block theirs, for longer than is waited.
    Thread.detachNewThread {
      guard let file = FileHandle(forWritingAtPath: path) else { return }
      try? file.write(contentsOf: Data(sent.utf8.prefix(5)))
      usleep(150_000)
      try? file.write(contentsOf: Data(sent.utf8.dropFirst(5)))
      try? file.close()
    }
    #expect(try InputFile.bytes(path, limit: 1 << 20) == Array(sent.utf8))
  }

  @Test("a pipe to which nobody writes, or whose writer is silent, ends with a sentence", arguments: [false, true])
  func silentPipe(hasWriter: Bool) throws {
    let path = folder.file("pipe")
    #expect(mkfifo(path, 0o600) == 0)
    let writer = hasWriter ? open(path, O_RDWR | O_CLOEXEC) : -1
    defer { if writer >= 0 { close(writer) } }
    let begin = ContinuousClock.now
    #expect(throws: FileReadError(path: path, .silent(seconds: 0.2))) {
      try InputFile.bytes(path, limit: 100, patience: 0.2)
    }
    #expect(ContinuousClock.now - begin >= .milliseconds(190))
    #expect(FileReadError(path: path, .silent(seconds: 2)).description.contains("delivered nothing for 2 s"))
  }

  @Test("what this process was started with is waited for, and that is told once")
  func ownDescriptor() async throws {
    var ends: [Int32] = [-1, -1]
    #expect(pipe(&ends) == 0)
    let (reader, writer) = (ends[0], ends[1])
    defer { close(reader) }
    let said = Said()
    let link = folder.file("link")
    #expect(symlink("/dev/fd/\(reader)", link) == 0)
    let input = try InputFile(link, patience: 0.2) { said.add($0) }
    let writing = Task.detached {
      while said.all.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
      _ = write(writer, "late", 4)
      close(writer)
    }
    #expect(try input.next(upTo: 100) == Array("late".utf8))
    #expect(try input.next(upTo: 100) == nil)
    try await writing.value
    #expect(said.all == ["waiting for descriptor \(reader), from which nothing has come yet (Ctrl-C ends it)."])
  }

  @Test("waiting ends when the task is cancelled")
  func cancelled() async throws {
    let path = folder.file("pipe")
    #expect(mkfifo(path, 0o600) == 0)
    let reading = Task.detached { try InputFile.bytes(path, limit: 100, patience: 1_000) }
    try await Task.sleep(for: .milliseconds(50))
    reading.cancel()
    await #expect(throws: FileReadError(path: path, .cancelled)) { try await reading.value }
  }

  @Test("folders, endless devices and what is not there are refused at once")
  func refusals() {
    for (path, kind) in [
      (folder.path, .folder), (folder.file("no"), .system(ENOENT)), ("/dev/zero", .large(1_000)),
      ("", .system(ENOENT)),
    ] as [(String, FileReadError.Kind)] {
      #expect(throws: FileReadError(path: path, kind)) { try InputFile.bytes(path, limit: 1_000) }
    }
  }

  @Test("what failed before says nothing of what is read now")
  func earlierFailure() throws {
    let input = try InputFile(folder.write("12", to: "f"))
    errno = EINTR
    let piece = try input.next(upTo: 10)
    errno = EINTR
    let end = try input.next(upTo: 10)
    #expect(piece == Array("12".utf8) && end == nil)
  }

  @Test("where nothing may be read, what is empty is read all the same")
  func nothing() throws {
    #expect(try InputFile.bytes("/dev/null", limit: 0).isEmpty)
  }

  @Test("one that is silent for several times as long is told of once")
  func toldOnce() throws {
    var ends: [Int32] = [-1, -1]
    #expect(pipe(&ends) == 0)
    let (reader, writer) = (ends[0], ends[1])
    defer { for end in [reader, writer] { close(end) } }
    let said = Said()
    let input = try InputFile("/dev/fd/\(reader)", patience: 0) { sentence in
      said.add(sentence)
      guard said.all.count == 1 else { return }
      DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(250)) { _ = write(writer, "late", 4) }
    }
    #expect(try input.next(upTo: 10) == Array("late".utf8))
    #expect(said.all.count == 1)
  }

  @Test("the null device is an empty file")
  func null() throws { #expect(try InputFile.bytes("/dev/null", limit: 10).isEmpty) }
}

private final class Said: @unchecked Sendable {
  // Guarded by `lock`.
  private var sentences: [String] = []
  private let lock = NSLock()

  var all: [String] { lock.withLock { sentences } }
  func add(_ sentence: String) { lock.withLock { sentences.append(sentence) } }
}
