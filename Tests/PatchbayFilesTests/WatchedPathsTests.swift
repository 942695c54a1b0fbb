import Foundation
import PatchbayStubs
import PatchbayTestSupport
import Testing

@testable import PatchbayFiles

/// By which names files are watched, and what is told of them.
@Suite(.bounded) struct WatchedPathsTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func makeFolder(_ name: String) throws {
    try FileManager.default.createDirectory(atPath: folder.file(name), withIntermediateDirectories: true)
  }

  private func watch(
    _ paths: [String], everyWrite: Bool = false, hasEvents: Bool = true
  ) -> (FileWatcher, Inbox<[String]>) {
    let inbox = Inbox<[String]>()
    return (FileWatcher(paths, everyWrite: everyWrite, hasEvents: { hasEvents }, handler: { inbox.add($0) }), inbox)
  }

  /// Paths are told as they were given, in order, each once.
  @Test(arguments: [true, false]) func allNamesOfOneFileAreTold(_ hasEvents: Bool) async throws {
    try folder.write("a", "1")
    try makeFolder("sub")
    for (link, target) in [("sub/up", "../a"), ("chain", "sub/up"), ("folder", "sub")] {
      #expect(symlink(target, folder.file(link)) == 0)
    }
    let up = String(repeating: "../", count: FileManager.default.currentDirectoryPath.split(separator: "/").count)
    let given = [
      folder.path + "/sub/../a", folder.path + "/./a", folder.path + "//a", folder.file("chain"), folder.file("sub/up"),
      folder.path + "/folder/up", folder.path + "/folder/../a", up + folder.path.dropFirst(), folder.path + "/a",
      "./" + up + folder.path.dropFirst() + "/a", folder.path + "/a",
    ]
    let (watcher, inbox) = watch(given, hasEvents: hasEvents)
    defer { watcher.cancel() }
    try TextFile.replace(folder.file("a"), with: "2")
    let expected = Set(given).subtracting([up + folder.path.dropFirst()]).sorted()
    #expect(await inbox.next() == expected)
    // Another file of the folder is nobody's.
    try folder.write("b", "1")
    try TextFile.replace(folder.file("a"), with: "3")
    #expect(await inbox.next() == expected && inbox.all.isEmpty)
  }

  /// As many as the system itself follows.
  @Test(arguments: [true, false]) func fortyLinksAreFollowed(_ hasEvents: Bool) async throws {
    try folder.write("a", "1")
    for number in 1...40 {
      #expect(symlink(number == 1 ? "a" : "\(number - 1)", folder.file("\(number)")) == 0)
    }
    let path = folder.file("40")
    let (watcher, inbox) = watch([path], hasEvents: hasEvents)
    defer { watcher.cancel() }
    try TextFile.replace(folder.file("a"), with: "2")
    #expect(await inbox.next() == [path])
  }

  @Test(arguments: [true, false]) func linksThatLeadInCirclesAreWatchedToo(_ hasEvents: Bool) async throws {
    #expect(symlink("two", folder.file("one")) == 0 && symlink("one", folder.file("two")) == 0)
    let path = folder.file("one")
    let (watcher, inbox) = watch([path], hasEvents: hasEvents)
    defer { watcher.cancel() }
    #expect(unlink(folder.file("two")) == 0)
    #expect(await inbox.next() == [path])
    try TextFile.replace(folder.file("two"), with: "a file now")
    #expect(await inbox.next() == [path])
    try TextFile.replace(folder.file("two"), with: "and another")
    #expect(await inbox.next() == [path])
  }

  @Test(arguments: [false, true]) func whatIsWrittenToAnOpenFileIsToldWhereItIsAsked(_ everyWrite: Bool) async throws {
    let open = try folder.write("open", "")
    let other = try folder.write("other", "")
    let (watcher, inbox) = watch([open, other], everyWrite: everyWrite)
    defer { watcher.cancel() }
    // Other programs may have taken all that there are; who only looks cannot tell a write from a save.
    try await eventually("events from the system") { !watcher.isLooking }
    let handle = try #require(FileHandle(forWritingAtPath: open))
    try handle.write(contentsOf: Data("x".utf8))
    if everyWrite {
      #expect(await inbox.next() == [open])
      try handle.truncate(atOffset: 0)
      #expect(await inbox.next() == [open])
    }
    try TextFile.replace(other, with: "saved")
    #expect(await inbox.next() == [other])
    try handle.close()
    #expect(await inbox.next() == [open])
  }

  /// Whether all of these are told, be it at once or one after the other, and no others.
  private func told(_ expected: [String], _ inbox: Inbox<[String]>) async -> Bool {
    var seen: Set<String> = []
    while seen != Set(expected), let next = await inbox.next() {
      seen.formUnion(next)
      guard next == next.sorted(), seen.isSubset(of: expected) else { return false }
    }
    return seen == Set(expected)
  }

  /// A folder stands where a file is expected, and the other way round.
  @Test(arguments: [true, false]) func whatComesInItsPlaceIsTold(_ hasEvents: Bool) async throws {
    try makeFolder("a")
    let path = folder.file("a")
    let below = folder.file("a/b")
    let (watcher, inbox) = watch([below, path], hasEvents: hasEvents)
    defer { watcher.cancel() }
    try TextFile.replace(below, with: "1")
    #expect(await told([below], inbox))
    #expect(unlink(below) == 0)
    #expect(await told([below], inbox))
    #expect(rmdir(path) == 0)
    #expect(await told([path, below], inbox))
    try TextFile.replace(path, with: "a file")
    #expect(await told([path, below], inbox))
    try TextFile.replace(path, with: "and another")
    #expect(await told([path, below], inbox))
  }

  // MARK: Stub files

  private func stubs(_ names: [String], _ when: String = "", body: String? = nil) -> String {
    let list = names.map { name in
      "- name: \(name)\n  when: {\(when)}\n  then: "
        + (body.map { "{ respond: { file: \($0) } }" } ?? "{ fail: offline }") + "\n"
    }
    return "patchbay: 1\nstubs:\n" + list.joined()
  }

  @Test func aReloadSaysWhatIsDoubtfulOfAllFiles() async throws {
    let one = try folder.write("1.yaml", stubs(["a"], "path: '/v1/*'"))
    let two = try folder.write("2.yaml", stubs(["b"], "path: /v2"))
    let inbox = Inbox<StubFileWatch.Reload>()
    let watch = StubFileWatch(try StubFiles.read([one, two])) { inbox.add($0) }
    defer { watch.stop() }
    try TextFile.replace(two, with: stubs(["b"], "path: /v1/x"))
    let new = try StubFile.read(two)
    let doubt = FileMistake(
      path: two, position: SourcePosition(line: 3, column: 9),
      message:
        "the stub `b` can never match: `a` (line 3 in \(one)) comes before it and takes every request that it could"
    )
    #expect(await inbox.next() == .loaded(new, warnings: [doubt]))
    let old = try StubFile.read(one)
    #expect(watch.files.files == [old, new])
    // Only what has changed is told.
    try TextFile.replace(two, with: new.text)
    try TextFile.replace(one, with: stubs(["c"], "path: '/v1/*'"))
    var other = doubt
    other.message = doubt.message.replacing("`a`", with: "`c`")
    let renamed = try StubFile.read(one)
    #expect(await inbox.next() == .loaded(renamed, warnings: [other]))
    #expect(inbox.all.isEmpty)
  }

  @Test func aNameOfAnotherFileBreaksTheReload() async throws {
    let one = try folder.write("1.yaml", stubs(["a"], "path: /a"))
    let two = try folder.write("2.yaml", stubs(["b"], "path: /b"))
    let inbox = Inbox<StubFileWatch.Reload>()
    let watch = StubFileWatch(try StubFiles.read([one, two])) { inbox.add($0) }
    defer { watch.stop() }
    try TextFile.replace(two, with: stubs(["a"]))
    let mistake = FileMistake(
      path: two, position: SourcePosition(line: 3, column: 9),
      message: "the name `a` is taken by a stub of another file (\(one):3)")
    #expect(await inbox.next() == .broken(path: two, [mistake]))
    #expect(watch.files.stubs.map(\.name) == ["a", "b"])
    try TextFile.replace(two, with: stubs(["c"], "path: /c"))
    let now = try StubFile.read(two)
    #expect(await inbox.next() == .loaded(now, warnings: []))
  }

  @Test func bodiesThatAFileNamesAnewAreWatched() async throws {
    try folder.write("one.json", "1")
    try folder.write("two.json", "1")
    let first = try folder.write("1.yaml", stubs(["a"], "path: /a", body: "one.json"))
    let second = try folder.write("2.yaml", stubs(["b"], "path: /b", body: "one.json"))
    let inbox = Inbox<StubFileWatch.Reload>()
    let watch = StubFileWatch(try StubFiles.read([first, second])) { inbox.add($0) }
    defer { watch.stop() }
    try TextFile.replace(folder.file("one.json"), with: "2")
    #expect(await inbox.next() == .bodiesChanged(path: first))
    #expect(await inbox.next() == .bodiesChanged(path: second))
    try TextFile.replace(second, with: stubs(["b"], "path: /b", body: "two.json"))
    let now = try StubFile.read(second)
    #expect(await inbox.next() == .loaded(now, warnings: []))
    try TextFile.replace(folder.file("two.json"), with: "2")
    #expect(await inbox.next() == .bodiesChanged(path: second))
    try TextFile.replace(folder.file("one.json"), with: "3")
    #expect(await inbox.next() == .bodiesChanged(path: first))
    #expect(inbox.all.isEmpty)
  }

  /// As editors do that save all their files, or one whose text is as it was.
  @Test func aBodyThatIsSavedTogetherWithItsFileIsTold() async throws {
    try folder.write("one.json", "1")
    let text = stubs(["a"], "path: /a", body: "one.json")
    let path = try folder.write("1.yaml", text)
    let inbox = Inbox<StubFileWatch.Reload>()
    let watch = StubFileWatch(try StubFiles.read([path])) { inbox.add($0) }
    defer { watch.stop() }
    for round in 2..<6 {
      try folder.write("1.yaml", text)
      try folder.write("one.json", "\(round)")
      #expect(await inbox.next() == .bodiesChanged(path: path))
    }
    // With a mistake the stubs of before answer, whose body is another now.
    try folder.write("1.yaml", "patchbay: 1\nstubs: 3\n")
    try folder.write("one.json", "6")
    guard case .broken(path, _) = await inbox.next() else {
      Issue.record("the mistake was not told")
      return
    }
    #expect(await inbox.next() == .bodiesChanged(path: path))
    #expect(inbox.all.isEmpty)
  }
}
