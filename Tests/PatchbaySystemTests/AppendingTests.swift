import Foundation
import PatchbaySystem
import PatchbayTestSupport
import Testing

/// Logs, and what is found out before anything is written.
@Suite(.bounded) struct AppendingTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func text(_ name: String) throws -> String { try String(contentsOfFile: folder.file(name), encoding: .utf8) }
  private func mode(_ path: String) -> mode_t? { Path.status(path, following: false)?.permissions }

  private func append(_ text: String, to path: String, isSecret: Bool = true) throws -> String? {
    let (descriptor, sentence) = try OutputFile.appending(to: path, isSecret: isSecret)
    defer { close(descriptor) }
    let flags = fcntl(descriptor, F_GETFL)
    #expect(flags & O_ACCMODE == O_WRONLY && fcntl(descriptor, F_GETFD) & FD_CLOEXEC != 0)
    #expect(write(descriptor, text, text.utf8.count) == text.utf8.count)
    return sentence
  }

  @Test func linesComeToTheEndOfAFile() throws {
    let path = folder.file("log")
    #expect(try append("one\n", to: path) == nil && mode(path) == 0o600)
    #expect(try append("two\n", to: path, isSecret: false) == nil)
    #expect(symlink("log", folder.file("link")) == 0)
    #expect(try append("three\n", to: folder.file("link")) == nil)
    #expect(try text("log") == "one\ntwo\nthree\n" && Path.names(in: folder.path).sorted() == ["link", "log"])
    #expect(symlink("later", folder.file("dangling")) == 0)
    #expect(try append("four", to: folder.file("dangling")) == nil && text("later") == "four")
    #expect(try append("x", to: "/dev/null") == nil)
    for (path, code) in [(folder.path, EISDIR), (folder.file("no/log"), ENOENT), ("", ENOENT)] {
      #expect(throws: FileWriteError(path: path, code: code)) { try OutputFile.appending(to: path) }
    }
  }

  @Test(
    arguments: [
      (0o644, true, 0o600, true), (0o604, true, 0o600, true), (0o660, true, 0o600, true), (0o601, true, 0o600, true),
      (0o600, true, 0o600, false), (0o700, true, 0o700, false), (0o644, false, 0o644, false),
    ] as [(mode_t, Bool, mode_t, Bool)])
  func aLogOfSecretsIsClosedToOthers(_ before: mode_t, _ isSecret: Bool, _ after: mode_t, _ isTold: Bool) throws {
    let path = try folder.write("", to: "log")
    chmod(path, before)
    let sentence = try append("x", to: path, isSecret: isSecret)
    #expect(mode(path) == after)
    #expect(
      sentence
        == (isTold
          ? "\(path) could be read by others; it is yours alone now (mode 0600), since there are secrets in it." : nil))
    #expect(
      OutputFile.sentence(closedToOthers: "p")
        == "p could be read by others; it is yours alone now (mode 0600), since there are secrets in it.")
  }

  @Test func aPipeIsWaitedForAsLongAsIsAsked() async throws {
    let path = folder.file("pipe")
    #expect(mkfifo(path, 0o644) == 0)
    let unread =
      "\(path) cannot be written (nobody reads that pipe): make room there, or choose a place in which you may write"
    for patience in [0, 0.1] {
      let begin = ContinuousClock.now
      let error = #expect(throws: FileWriteError.self) { try OutputFile.appending(to: path, patience: patience) }
      #expect(error?.description == unread && error?.reason == "nobody reads that pipe")
      #expect(ContinuousClock.now - begin >= .seconds(patience))
      #expect(throws: FileWriteError(path: path, code: ETIMEDOUT)) { try OutputFile(path, patience: patience) }
    }
    let reader = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    defer { close(reader) }
    let (descriptor, sentence) = try OutputFile.appending(to: path)
    defer { close(descriptor) }
    #expect(sentence == nil && mode(path) == 0o644)
    // A program that reads slowly is waited for, not lost.
    #expect(fcntl(descriptor, F_GETFL) & O_NONBLOCK == 0)
  }

  @Test func whatIsAFile() throws {
    let file = try folder.write("", to: "file")
    #expect(mkfifo(folder.file("pipe"), 0o600) == 0)
    for (link, target) in [("link", "file"), ("null", "/dev/null"), ("later", "none"), ("piped", "pipe")] {
      #expect(symlink(target, folder.file(link)) == 0)
    }
    for (path, expected) in [
      (file, true), (folder.file("new"), true), (folder.file("link"), true), (folder.file("later"), true),
      ("/dev/null", false), (folder.file("null"), false), (folder.file("pipe"), false), (folder.file("piped"), false),
      ("/dev/stdout", false), ("/dev/fd/1", false), ("/proc/self/fd/1", false),
    ] {
      #expect(try OutputFile.isFile(path) == expected, "\(path)")
      try OutputFile.check(path)
    }
    for (path, code) in [(folder.path, EISDIR), (folder.file("no/x"), ENOENT), ("", ENOENT)] {
      #expect(throws: FileWriteError(path: path, code: code)) { try OutputFile.isFile(path) }
    }
  }

  @Test func aPathIsLookedAtThroughItsLinks() throws {
    #expect(symlink(folder.path, folder.file("folder")) == 0 && symlink("none/x", folder.file("nowhere")) == 0)
    for (name, code) in [("folder", EISDIR), ("nowhere", ENOENT)] {
      let error = FileWriteError(path: folder.file(name), code: code)
      #expect(throws: error) { try OutputFile.check(folder.file(name)) }
      #expect(throws: error) { try OutputFile.isFile(folder.file(name)) }
      #expect(throws: error) { try OutputFile.appending(to: folder.file(name)) }
    }
  }

  @Test func aLogIsOneOfSecretsWhereNothingElseIsSaid() throws {
    let path = try folder.write("", to: "log")
    chmod(path, 0o644)
    let (descriptor, sentence) = try OutputFile.appending(to: path)
    close(descriptor)
    #expect(mode(path) == 0o600 && sentence == OutputFile.sentence(closedToOthers: path))
  }

  @Test(
    .enabled(if: geteuid() != 0, "root may write everywhere")) func whereNothingMayBeWrittenIsTold() throws
  {
    let path = try folder.write("old", to: "file")
    chmod(folder.path, 0o500)
    defer { chmod(folder.path, 0o700) }
    for place in [path, folder.file("new")] {
      #expect(throws: FileWriteError(path: place, code: EACCES)) { try OutputFile.check(place) }
      #expect(throws: FileWriteError(path: place, code: EACCES)) { try OutputFile.write([], to: place) }
    }
  }

  @Test func aChainOfLinksHasItsEnd() throws {
    try folder.write("old", to: "0")
    for number in 1...40 { #expect(symlink("\(number - 1)", folder.file("\(number)")) == 0) }
    try OutputFile.write("new".utf8, to: folder.file("39"))
    #expect(try text("0") == "new")
    #expect(throws: FileWriteError(path: folder.file("40"), code: ELOOP)) { try OutputFile(folder.file("40")) }
    #expect(symlink(folder.path, folder.file("folder")) == 0)
    #expect(throws: FileWriteError(path: folder.file("folder"), code: EISDIR)) { try OutputFile(folder.file("folder")) }
    // As a folder on the way it is followed; as the end it is replaced where links are not to be followed.
    try OutputFile.write("way".utf8, to: folder.file("folder/way"))
    #expect(try text("way") == "way")
    #expect(throws: FileWriteError(path: folder.path, code: EISDIR)) {
      try OutputFile(folder.path, followsLinks: false)
    }
    try OutputFile(folder.file("folder"), followsLinks: false).commit()
    #expect(Path.status(folder.file("folder"), following: false)?.isFile == true)
  }

  @Test func aDraftIsWrittenInPiecesAndGoesWithWhatFails() throws {
    let path = folder.file("file")
    func draft() -> (name: String, status: Path.Status)? {
      Path.names(in: folder.path).first { $0.hasSuffix(".new") }.flatMap { name in
        Path.status(folder.file(name), following: false).map { (name, $0) }
      }
    }
    let file = try OutputFile(path, access: .exactly(0o644))
    #expect(draft()?.status.permissions == 0o600)
    try file.write([UInt8](repeating: 1, count: 65_535))
    #expect(draft()?.status.size == 0)
    try file.write([2])
    #expect(draft()?.status.size == 65_536)
    try file.write([3])
    #expect(draft()?.status.size == 65_536)
    try file.commit(durable: true)
    #expect(draft() == nil && mode(path) == 0o644 && Path.status(path, following: false)?.size == 65_537)
    file.discard()
    #expect(Path.status(path, following: false)?.size == 65_537)
    // What it would replace has become a folder meanwhile.
    let late = try OutputFile(folder.file("late"))
    #expect(mkdir(folder.file("late"), 0o700) == 0)
    #expect(throws: FileWriteError(path: folder.file("late"), code: EISDIR)) { try late.commit() }
    #expect(draft() == nil)
  }

  @Test(arguments: [(200, 200), (201, 200), (255, 200)]) func aDraftsNameIsNoLongerThanTheSystemTakes(
    _ length: Int, _ kept: Int
  ) throws {
    let file = try OutputFile(folder.file(String(repeating: "n", count: length)))
    let draft = try #require(Path.names(in: folder.path).first)
    #expect(draft.prefix { $0 == "n" }.count == kept && draft.dropFirst(kept).hasPrefix(".\(getpid())-"))
    file.discard()
    #expect(Path.names(in: folder.path) == [])
  }

  @Test func errorsSayTheWayOut() {
    let error = FileWriteError(path: "/x", code: ENOSPC)
    #expect(error.reason == "No space left on device")
    #expect(
      error.description
        == "/x cannot be written (No space left on device): make room there, or choose a place in which you may write")
  }
}
