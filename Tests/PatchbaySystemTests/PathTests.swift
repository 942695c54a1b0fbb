import Foundation
import PatchbaySystem
import PatchbayTestSupport
import Testing

/// Paths as text, and what lies at them.
@Suite(.bounded) struct PathTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test(arguments: [
    ("/a/b", "/a", "b"), ("/a", "/", "a"), ("a", ".", "a"), ("a/b", "a", "b"), ("/", "/", ""), ("", ".", ""),
    ("/a/", "/a", ""), ("a/b/c.d", "a/b", "c.d"), ("./x", ".", "x"), ("//x", "/", "x"),
  ]) func aPathIsItsFolderAndItsName(_ path: String, _ folder: String, _ name: String) {
    #expect(Path.folder(of: path) == folder && Path.name(of: path) == name)
  }

  @Test func joining() {
    #expect(Path.join("/a", "b") == "/a/b" && Path.join("/", "b") == "/b" && Path.join("a/", "b/c") == "a/b/c")
    for (path, expected) in [
      ("/a/", "/a"), ("/a//", "/a"), ("/", "/"), ("//", "/"), ("a", "a"), ("", ""), ("/a/b", "/a/b"),
    ] {
      #expect(Path.withoutTrailingSlash(path) == expected)
    }
  }

  @Test func whatLiesThere() throws {
    let file = try folder.write("12345", to: "file")
    chmod(file, 0o640)
    #expect(symlink("file", folder.file("link")) == 0 && mkfifo(folder.file("pipe"), 0o600) == 0)
    let status = try #require(Path.status(file, following: false))
    #expect(status.isFile && !status.isFolder && !status.isLink && !status.isPipe)
    #expect(status.permissions == 0o640 && status.size == 5 && status.owner == geteuid())
    let link = try #require(Path.status(folder.file("link"), following: false))
    #expect(link.isLink && !link.isFile)
    #expect(Path.status(folder.file("link"), following: true)?.isFile == true)
    #expect(Path.status(folder.path, following: false)?.isFolder == true)
    #expect(Path.status(folder.path, following: false)?.isFile == false)
    #expect(Path.status(folder.file("pipe"), following: false)?.isPipe == true)
    #expect(Path.status(folder.file("none"), following: false) == nil)
    #expect(Path.names(in: folder.path).sorted() == ["file", "link", "pipe"])
    #expect(Path.names(in: folder.file("none")).isEmpty && Path.names(in: file).isEmpty)
    #expect(Path.target(ofLink: folder.file("link")) == "file" && Path.target(ofLink: file) == nil)
    let resolved = try #require(Path.resolved(folder.path))
    #expect(Path.resolved(folder.file("link")) == resolved + "/file")
    #expect(Path.resolved(folder.file("none")) == nil)
  }

  @Test func aFileIsItselfByAllItsNames() throws {
    let file = try folder.write("1", to: "file")
    let other = try folder.write("1", to: "other")
    #expect(symlink("file", folder.file("link")) == 0 && link(file, folder.file("twin")) == 0)
    let identity = try #require(FileIdentity(path: file))
    #expect(FileIdentity(path: folder.file("twin")) == identity && FileIdentity(path: other) != identity)
    #expect(FileIdentity(path: folder.file("link"), following: true) == identity)
    #expect(FileIdentity(path: folder.file("link")) != identity && FileIdentity(path: folder.file("no")) == nil)
    let descriptor = open(file, O_RDONLY)
    defer { close(descriptor) }
    #expect(FileIdentity(descriptor: descriptor) == identity && FileIdentity(descriptor: -1) == nil)
  }

  @Test(
    arguments: [
      (.system(ENOENT), "/x cannot be read: No such file or directory"), (.folder, "/x is a folder; name a file"),
      (.large(3 << 20), "/x is larger than 3 MiB, so it is not read"),
      (.silent(seconds: 2), "/x has delivered nothing for 2 s: look whether something writes to it, or name a file"),
      (.cancelled, "/x was not read to its end"),
    ] as [(FileReadError.Kind, String)])
  func whyAFileCannotBeRead(_ kind: FileReadError.Kind, _ sentence: String) {
    #expect(FileReadError(path: "/x", kind).description == sentence)
  }

  /// As a shell takes it, whatever the account's folder is.
  @Test(.alone) func aTildeIsTheHomeOfTheEnvironment() throws {
    let before = getenv("HOME").map { String(cString: $0) }
    defer { if let before { setenv("HOME", before, 1) } else { unsetenv("HOME") } }
    let account = try #require(Path.home(ofAccount: geteuid()))
    for (value, home) in [("/h/ann/", "/h/ann"), ("/", "/"), ("here", account), ("", account)] {
      setenv("HOME", value, 1)
      #expect(Path.home == home)
      #expect(Path.expandingTilde("~") == home && Path.expandingTilde("~/a b") == Path.join(home, "a b"))
    }
    unsetenv("HOME")
    #expect(Path.home == account)
    for path in ["~ann/x", "a~", "/~/x", "", "./~"] { #expect(Path.expandingTilde(path) == path) }
  }

  /// Coarsely, for threads of other tests open and close some all the time.
  @Test(.alone) func descriptorsThatAreFreeAreCounted() throws {
    var before = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &before)
    let highest = (0..<4_096).last { fcntl(Int32($0), F_GETFD) >= 0 } ?? 0
    let limit = highest + 500
    var small = before
    small.rlim_cur = rlim_t(limit)
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &small)
    defer { setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &before) }
    #expect(Descriptors.limit == limit)
    #expect(Descriptors.areFree(0) && Descriptors.areFree(1) && Descriptors.areFree(400))
    #expect(!Descriptors.areFree(limit - 2) && !Descriptors.areFree(limit) && !Descriptors.areFree(.max))
    let next = try #require(Descriptors.next)
    #expect(next > 2 && next < limit)
  }
}
