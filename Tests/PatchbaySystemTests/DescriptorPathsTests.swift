import Foundation
import PatchbaySystem
import PatchbayTestSupport
import Testing

/// What this process was started with, by all its names, and that nothing stays open.
@Suite(.bounded) struct DescriptorPathsTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// The descriptors of this process that are open on what lies at the path.
  private func open(on path: String) -> [Int32] {
    Path.names(in: "/proc/self/fd").filter { Path.target(ofLink: "/proc/self/fd/\($0)") == path }.compactMap {
      Int32($0)
    }
  }

  private func resolved(_ name: String) throws -> String {
    Path.join(try #require(Path.resolved(folder.path)), name)
  }

  @Test func whatWasReadIsClosedAndNoChildGetsIt() throws {
    let path = try folder.write("12345", to: "file")
    let place = try resolved("file")
    do {
      let input = try InputFile(path)
      let found = open(on: place)
      #expect(found.count == 1 && found.allSatisfy { fcntl($0, F_GETFD) & FD_CLOEXEC != 0 })
      #expect(input.size == 5)
      #expect(try input.next(upTo: 3) == Array("123".utf8))
      #expect(try input.next(upTo: 3) == Array("45".utf8))
      #expect(try input.next(upTo: 3) == nil && input.next(upTo: 3) == nil)
    }
    #expect(open(on: place) == [])
    #expect(throws: FileReadError.self) { try InputFile.bytes(path, limit: 4) }
    #expect(throws: FileReadError(path: folder.path, .folder)) { try InputFile(folder.path) }
    #expect(try open(on: place) == [] && open(on: #require(Path.resolved(folder.path))) == [])
  }

  @Test func whatWasWrittenIsClosedAndNoChildGetsIt() throws {
    let path = folder.file("file")
    func drafts() throws -> [String] { Path.names(in: folder.path).filter { $0.hasSuffix(".new") } }
    let file = try OutputFile(path)
    let draft = try #require(drafts().first)
    #expect(draft.hasPrefix("file.\(getpid())-"))
    let found = open(on: try resolved(draft))
    #expect(found.count == 1 && found.allSatisfy { fcntl($0, F_GETFD) & FD_CLOEXEC != 0 })
    try file.commit()
    #expect(try open(on: resolved("file")) == [] && open(on: resolved(draft)) == [])
    try OutputFile(path).discard()
    #expect(try drafts() == [])
    _ = try OutputFile(path)
    #expect(try drafts() == [])
    // A draft that is gone has a name in `/proc` all the same.
    let start = try resolved("file.")
    let targets = Path.names(in: "/proc/self/fd").compactMap { Path.target(ofLink: "/proc/self/fd/\($0)") }
    #expect(!targets.contains { $0.hasPrefix(start) })
  }

  /// It is not opened again, which would begin at the start of a file that the shell has opened.
  @Test func aDescriptorIsReadFromWhereItStands() throws {
    let path = try folder.write("123456789", to: "file")
    #expect(symlink("/dev/fd", folder.file("fds")) == 0)
    let own = Glibc.open(path, O_RDONLY | O_CLOEXEC)
    defer { close(own) }
    var names = ["/dev/fd/\(own)", "/proc/self/fd/\(own)", "/proc/\(getpid())/fd/\(own)", folder.file("fds/\(own)")]
    #expect(symlink("fds/\(own)", folder.file("relative")) == 0 && symlink("relative", folder.file("link")) == 0)
    names += [folder.file("relative"), folder.file("link")]
    for (number, name) in names.enumerated() {
      #expect(lseek(own, off_t(number), SEEK_SET) == number)
      let input = try InputFile(name)
      #expect(try input.next(upTo: 1) == Array("\(number + 1)".utf8), "\(name)")
    }
    #expect(fcntl(own, F_GETFD) >= 0)
    #expect(lseek(own, 9, SEEK_SET) == 9)
    #expect(try InputFile.bytes("/dev/fd/\(own)", limit: 100) == [])
  }

  @Test func pathsThatOnlyLookLikeADescriptorAreFiles() throws {
    let number = try folder.write("7", to: "7")
    #expect(try InputFile.bytes(number, limit: 10) == [55])
    #expect(symlink("7", folder.file("link")) == 0)
    #expect(try InputFile.bytes(folder.file("link"), limit: 10) == [55])
    #expect(symlink("turn", folder.file("turn")) == 0)
    for (path, code) in [
      (folder.file("turn"), ELOOP), ("/dev/fd/x", ENOENT), ("/dev/fd/9999999", EBADF), (folder.file("none/x"), ENOENT),
      (number + "/x", ENOTDIR),
    ] {
      #expect(throws: FileReadError(path: path, .system(code))) { try InputFile(path) }
    }
  }

  @Test func aChainOfLinksToADescriptorHasItsEnd() throws {
    let own = Glibc.open(try folder.write("123", to: "file"), O_RDONLY | O_CLOEXEC)
    defer { close(own) }
    #expect(symlink("/dev/fd/\(own)", folder.file("1")) == 0)
    for number in 2...40 { #expect(symlink("\(number - 1)", folder.file("\(number)")) == 0) }
    #expect(lseek(own, 2, SEEK_SET) == 2)
    #expect(try InputFile.bytes(folder.file("39"), limit: 10) == Array("3".utf8))
    #expect(throws: FileReadError(path: folder.file("40"), .system(ELOOP))) { try InputFile(folder.file("40")) }
  }

  /// A number that was given back may be another file's by then.
  @Test(.alone) func whatIsDoneClosesNothingThatCameLater() throws {
    func later() -> [Int32] { (0..<8).map { _ in Glibc.open("/dev/null", O_RDONLY | O_CLOEXEC) } }
    func expectOpen(_ numbers: [Int32], line: Int = #line) {
      for number in numbers { #expect(close(number) == 0, "line \(line)") }
    }
    let put = try OutputFile(folder.file("put"))
    try put.commit()
    let afterPut = later()
    put.discard()
    expectOpen(afterPut)
    let left = try OutputFile(folder.file("left"))
    left.discard()
    let afterLeft = later()
    left.discard()
    expectOpen(afterLeft)
    let full = try OutputFile("/dev/full")
    try full.write("x")
    #expect(throws: FileWriteError(path: "/dev/full", code: ENOSPC)) { try full.commit() }
    #expect(open(on: "/dev/full") == [])
    let afterFull = later()
    full.discard()
    expectOpen(afterFull)
  }

  @Test(arguments: [(9, false), (10, true), (11, true)]) func aPipeIsReadUpToALimit(_ limit: Int, _ isRead: Bool) throws
  {
    var ends: [Int32] = [-1, -1]
    #expect(pipe(&ends) == 0)
    defer { close(ends[0]) }
    #expect(write(ends[1], "0123456789", 10) == 10)
    close(ends[1])
    let path = "/dev/fd/\(ends[0])"
    #expect(try InputFile(path).size == nil)
    if isRead {
      #expect(try InputFile.bytes(path, limit: limit) == Array("0123456789".utf8))
    } else {
      #expect(throws: FileReadError(path: path, .large(limit))) { try InputFile.bytes(path, limit: limit) }
    }
  }

  /// What standard input is meanwhile is for this test alone.
  private func with(_ number: Int32, as descriptor: Int32, _ work: () throws -> Void) throws {
    let before = fcntl(number, F_DUPFD_CLOEXEC, 3)
    #expect(dup2(descriptor, number) == number)
    defer {
      dup2(before, number)
      close(before)
    }
    try work()
  }

  @Test(.alone) func standardInputIsADash() throws {
    var ends: [Int32] = [-1, -1]
    #expect(pipe(&ends) == 0)
    defer { for end in ends { close(end) } }
    try with(STDIN_FILENO, as: ends[0]) {
      var said: [String] = []
      let input = try InputFile("-", patience: 0.1) { sentence in
        said.append(sentence)
        _ = write(ends[1], "late", 4)
      }
      #expect(try input.next(upTo: 10) == Array("late".utf8))
      #expect(said == ["waiting for standard input, from which nothing has come yet (Ctrl-C ends it)."])
    }
    #expect(InputFile.patience == 2)
  }

  @Test(.alone) func whatIsWaitedForIsSaidOnStandardError() async throws {
    let (_, said) = try await written { InputFile.sayWaiting("waiting for nothing.") }
    #expect(said == "patchbay: waiting for nothing.\n")
  }

  @Test func standardOutputIsWrittenToWhereItStands() throws {
    let path = try folder.write("a", to: "out")
    let own = Glibc.open(path, O_WRONLY | O_APPEND | O_CLOEXEC)
    for name in ["/dev/fd/\(own)", "/proc/\(getpid())/fd/\(own)"] {
      let file = try OutputFile(name, access: .secret)
      #expect(!file.isClosedToOthers)
      try file.write("b")
      try file.commit()
      try OutputFile.check(name)
      #expect(try !OutputFile.isFile(name))
    }
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "abb" && fcntl(own, F_GETFD) >= 0)
    close(own)
    for name in ["/dev/fd/9999999", "/proc/self/fd/9999999"] {
      #expect(throws: FileWriteError(path: name, code: EBADF)) { try OutputFile(name) }
      #expect(throws: FileWriteError(path: name, code: EBADF)) { try OutputFile.appending(to: name) }
    }
  }
}
