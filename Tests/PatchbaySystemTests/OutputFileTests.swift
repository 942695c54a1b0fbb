import Foundation
import PatchbaySystem
import PatchbayTestSupport
import Testing

@Suite("A file that is written for the person", .bounded)
struct OutputFileTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func mode(_ path: String) -> mode_t? { Path.status(path, following: false)?.permissions }
  private func text(_ path: String) throws -> String { try String(contentsOfFile: path, encoding: .utf8) }
  private var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() }
  }

  @Test("is its owner's alone where it is new, whatever the umask, and appears when it is whole")
  func new() throws {
    let path = folder.file("new")
    let file = try OutputFile(path)
    try file.write("half")
    #expect(!FileManager.default.fileExists(atPath: path))
    try file.write(Data(" whole".utf8))
    try file.commit()
    #expect(try text(path) == "half whole" && mode(path) == 0o600)
    #expect(try names == ["new"])
  }

  @Test(
    "keeps the mode of the one that was there, and whoever has that open keeps the old one",
    arguments: [
      0o644, 0o640, 0o400,
    ] as [mode_t])
  func replaces(old: mode_t) throws {
    let path = try folder.write("old", to: "file")
    chmod(path, old)
    let reader = try #require(FileHandle(forReadingAtPath: path))
    #expect(try OutputFile.write("new".utf8, to: path) == false)
    #expect(try text(path) == "new" && mode(path) == old)
    #expect(try reader.readToEnd() == Data("old".utf8))
    #expect(try names == ["file"])
  }

  @Test(
    "with secrets in it is closed to others, and that is told",
    arguments: [
      (0o644, 0o600, true), (0o620, 0o600, true), (0o601, 0o600, true), (0o600, 0o600, false), (0o400, 0o400, false),
    ] as [(mode_t, mode_t, Bool)])
  func secret(old: mode_t, new: mode_t, isTold: Bool) throws {
    let path = try folder.write("old", to: "file")
    chmod(path, old)
    #expect(try OutputFile.write("secret".utf8, to: path, access: .secret) == isTold)
    #expect(try text(path) == "secret" && mode(path) == new)
  }

  @Test("has the mode that was asked for, where one was")
  func exact() throws {
    let path = try folder.write("old", to: "file")
    try OutputFile.write("new".utf8, to: path, access: .exactly(0o755))
    #expect(mode(path) == 0o755)
  }

  @Test("is left as it was by what is not finished, without a draft")
  func unfinished() throws {
    let path = try folder.write("old", to: "file")
    try {
      let file = try OutputFile(path)
      try file.write(String(repeating: "x", count: 1_000_000))
      #expect(try names.count == 2)
    }()
    let file = try OutputFile(path)
    try file.write("x")
    file.discard()
    #expect(try text(path) == "old" && names == ["file"])
  }

  /// A limit of this process's files is what a full disk is to the writer: `write` fails half-way.
  @Test("is left as it was where there is no room", .alone)
  func noRoom() throws {
    let path = try folder.write("old", to: "file")
    signal(SIGXFSZ, SIG_IGN)
    var before = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &before)
    var small = before
    small.rlim_cur = 1 << 18
    setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &small)
    defer { setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &before) }
    let error = #expect(throws: FileWriteError.self) {
      try OutputFile.write([UInt8](repeating: 1, count: 1 << 20), to: path)
    }
    #expect(error?.path == path && error?.code == EFBIG)
    #expect(try text(path) == "old" && names == ["file"])
  }

  @Test("is reached through links, which stay: absolute, relative, chained, and to nothing yet")
  func links() throws {
    let target = try folder.write("old", to: "target")
    try FileManager.default.createDirectory(atPath: folder.file("sub"), withIntermediateDirectories: false)
    for (link, to) in [
      ("absolute", target), ("relative", "target"), ("chained", "relative"), ("sub/up", "../target"),
      ("dangling", "sub/made"),
    ] {
      #expect(symlink(to, folder.file(link)) == 0)
      try OutputFile.write(link.utf8, to: folder.file(link))
      #expect(Path.target(ofLink: folder.file(link)) == to)
      #expect(try text(link == "dangling" ? folder.file("sub/made") : target) == link)
    }
    #expect(Path.status(target, following: false)?.isFile == true)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.file("sub")).sorted() == ["made", "up"])
    #expect(symlink("loop", folder.file("loop")) == 0)
    #expect(throws: FileWriteError(path: folder.file("loop"), code: ELOOP)) {
      try OutputFile.write([], to: folder.file("loop"))
    }
  }

  @Test("replaces a link itself where that is asked for")
  func replacesLink() throws {
    let target = try folder.write("old", to: "target")
    let link = folder.file("link")
    #expect(symlink(target, link) == 0)
    let file = try OutputFile(link, access: .exactly(0o644), followsLinks: false)
    try file.write("new")
    try file.commit()
    #expect(try text(target) == "old" && text(link) == "new")
    #expect(Path.status(link, following: false)?.isFile == true)
  }

  @Test("a new file of secrets is its owner's alone, and nothing has to be told of it")
  func newSecret() throws {
    let path = folder.file("new")
    #expect(try OutputFile.write("secret".utf8, to: path, access: .secret) == false)
    #expect(mode(path) == 0o600)
    #expect(try OutputFile.write("open".utf8, to: path, access: .exactly(0o644)) == false)
    #expect(mode(path) == 0o644)
    #expect(try OutputFile.write("closed".utf8, to: path, access: .exactly(0o600)) == false)
    #expect(mode(path) == 0o600)
  }

  @Test("what replaces a link has nothing of the file that it led to")
  func replacesLinkAlone() throws {
    let target = try folder.write("old", to: "target")
    chmod(target, 0o644)
    let link = folder.file("link")
    #expect(symlink(target, link) == 0)
    let file = try OutputFile(link, access: .secret, followsLinks: false)
    #expect(!file.isClosedToOthers)
    try file.write("new")
    try file.commit()
    #expect(try text(link) == "new" && text(target) == "old")
    #expect(mode(link) == 0o600 && mode(target) == 0o644)
  }

  @Test("a pipe that somebody made non-blocking takes a part at a time, and gets all of it")
  func nonBlockingPipe() async throws {
    var ends: [Int32] = [-1, -1]
    #expect(Glibc.pipe(&ends) == 0)
    for end in ends { #expect(fcntl(end, F_SETFD, FD_CLOEXEC) == 0) }
    let (reader, writer) = (FileHandle(fileDescriptor: ends[0], closeOnDealloc: true), ends[1])
    #expect(fcntl(writer, F_SETFL, O_NONBLOCK) == 0)
    let sent = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) }
    async let writing: Void = Task.detached {
      defer { close(writer) }
      _ = try OutputFile.write(sent, to: "/dev/fd/\(writer)")
    }.value
    let received = try reader.readToEnd()
    try await writing
    #expect(received == Data(sent))
  }

  @Test("a pipe is written to and stays one; a writer waits for its reader")
  func pipe() async throws {
    let path = folder.file("pipe")
    #expect(mkfifo(path, 0o644) == 0)
    let sent = String(repeating: "0123456789", count: 30_000)
    async let writing: Void = Task.detached { _ = try OutputFile.write(sent.utf8, to: path, access: .secret) }.value
    let reader = try #require(FileHandle(forReadingAtPath: path))
    let received = try reader.readToEnd()
    try await writing
    #expect(received == Data(sent.utf8))
    #expect(Path.status(path, following: false)?.isPipe == true && mode(path) == 0o644)
    #expect(try names == ["pipe"])
  }

  @Test("a pipe that nobody reads is given up when the task is cancelled")
  func cancelledPipe() async throws {
    let path = folder.file("pipe")
    #expect(mkfifo(path, 0o600) == 0)
    let writing = Task.detached { try OutputFile.write("x".utf8, to: path) }
    writing.cancel()
    await #expect(throws: FileWriteError(path: path, code: ECANCELED)) { try await writing.value }
  }

  @Test("a device is written to and stays one, also through a link")
  func device() throws {
    let link = folder.file("null")
    #expect(symlink("/dev/null", link) == 0)
    for path in ["/dev/null", link] { #expect(try !OutputFile.write("x".utf8, to: path, access: .secret)) }
    #expect(Path.target(ofLink: link) == "/dev/null")
    var status = stat()
    #expect(stat("/dev/null", &status) == 0 && status.st_mode & S_IFMT == S_IFCHR)
    #expect(status.st_mode & 0o777 == 0o666)
    #expect(throws: FileWriteError(path: "/dev/full", code: ENOSPC)) { try OutputFile.write("x".utf8, to: "/dev/full") }
  }

  @Test(
    "a device in a folder where all may be replaced is not", .enabled(if: geteuid() == 0, "only root makes devices"))
  func ownDevice() throws {
    let path = folder.file("null")
    // 1, 3 is the null device.
    guard mknod(path, S_IFCHR | 0o622, 1 << 8 | 3) == 0 else { return }
    // A file system mounted without devices refuses to open it, which is as good.
    _ = try? OutputFile.write("x".utf8, to: path)
    let status = try #require(Path.status(path, following: false))
    #expect(status.mode & S_IFMT == S_IFCHR)
    #expect(try names == ["null"])
  }

  @Test("a descriptor of the process is written to where it stands, also one of a regular file")
  func descriptor() throws {
    let path = try folder.write("first ", to: "out")
    let open = try #require(FileHandle(forUpdatingAtPath: path))
    try open.seekToEnd()
    for name in ["/dev/fd/\(open.fileDescriptor)", "/proc/self/fd/\(open.fileDescriptor)"] {
      try OutputFile.write("\(name.dropFirst().prefix(3)) ".utf8, to: name)
    }
    #expect(try text(path) == "first dev pro ")
  }

  @Test("a socket, a folder and a place that is not there are refused by the path that was given")
  func refusals() throws {
    for (path, code) in [
      ("", ENOENT), (folder.path, EISDIR), (folder.path + "/", EISDIR), (folder.file("no/file"), ENOENT),
    ] {
      #expect(throws: FileWriteError(path: path, code: code)) { try OutputFile.write([], to: path) }
      #expect(throws: FileWriteError(path: path, code: code)) { try OutputFile.check(path) }
    }
    let socket = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(socket) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let path = folder.file("s")
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let isBound = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    #expect(isBound == 0)
    #expect(throws: FileWriteError(path: path, code: ENXIO)) { try OutputFile.write([], to: path) }
    #expect((Path.status(path, following: false)?.mode ?? 0) & S_IFMT == S_IFSOCK)
  }

  @Test("looking whether a path could be written changes nothing")
  func check() throws {
    let path = try folder.write("old", to: "file")
    for path in [path, folder.file("new"), "/dev/null"] { try OutputFile.check(path) }
    #expect(try names == ["file"] && text(path) == "old")
  }

  @Test("a long name is no hindrance, and the draft's is no longer than the system takes")
  func longName() throws {
    let path = folder.file(String(repeating: "あ", count: 85))
    try OutputFile.write("x".utf8, to: path)
    #expect(try text(path) == "x")
  }

  @Test("a file of another user stays theirs", .enabled(if: geteuid() == 0, "only root can give files away"))
  func owner() throws {
    let path = try folder.write("old", to: "file")
    guard chown(path, 65_534, 65_534) == 0 else { return }
    try OutputFile.write("new".utf8, to: path)
    let status = try #require(Path.status(path, following: false))
    #expect(status.owner == 65_534 && status.group == 65_534)
  }
}
