import Foundation
import PatchbayStubs
import PatchbayTestSupport
import Synchronization
import Testing

@testable import PatchbayFiles

/// What a watcher told, for tests that wait for it.
final class Inbox<Value: Sendable>: Sendable {
  private let values = Mutex<[Value]>([])
  private let arrived = DispatchSemaphore(value: 0)

  func add(_ value: Value) {
    values.withLock { $0.append(value) }
    arrived.signal()
  }

  var all: [Value] { values.withLock { $0 } }

  /// The next value; nil when none comes in time.
  func next() async -> Value? {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread { [self] in
        let came = arrived.wait(timeout: .now() + Patience.seconds) == .success
        continuation.resume(returning: came ? values.withLock { $0.isEmpty ? nil : $0.removeFirst() } : nil)
      }
    }
  }
}

private func text(_ name: String) -> String { "patchbay: 1\nstubs:\n- name: \(name)\n  then: {fail: offline}\n" }

@Suite(.bounded) struct WatchTests {
  /// A watch on a new file, with what it tells.
  private func watching(_ folder: TemporaryFolder, _ path: String) throws -> (
    StubFileWatch, Inbox<StubFileWatch.Reload>
  ) {
    let inbox = Inbox<StubFileWatch.Reload>()
    let watch = StubFileWatch(try StubFiles.read([path])) { inbox.add($0) }
    return (watch, inbox)
  }

  private func names(_ reload: StubFileWatch.Reload?) -> [String]? {
    guard case .loaded(let file, _)? = reload else { return nil }
    return file.stubs.map(\.name)
  }

  @Test func seesEveryWayOfSaving() async throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("s.yaml", text("first"))
    let (watch, inbox) = try watching(folder, path)
    defer { watch.stop() }
    // In place.
    let handle = try #require(FileHandle(forWritingAtPath: path))
    try handle.truncate(atOffset: 0)
    try handle.write(contentsOf: Data(text("in place").utf8))
    try handle.close()
    #expect(names(await inbox.next()) == ["in place"])
    // By renaming a new file over it.
    try TextFile.replace(path, with: text("renamed"))
    #expect(names(await inbox.next()) == ["renamed"])
    // Away and back.
    try FileManager.default.moveItem(atPath: path, toPath: path + "~")
    guard case .broken(let broken, let mistakes)? = await inbox.next() else {
      Issue.record("a missing file was not told")
      return
    }
    #expect(broken == path)
    #expect(mistakes[0].message.hasPrefix("cannot be read"))
    #expect(watch.files.stubs.map(\.name) == ["renamed"])
    try folder.write("s.yaml", text("back"))
    #expect(names(await inbox.next()) == ["back"])
  }

  @Test func brokenSavesKeepTheLastGoodSet() async throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("s.yaml", text("good"))
    let (watch, inbox) = try watching(folder, path)
    defer { watch.stop() }
    try folder.write("s.yaml", text("bad").replacingOccurrences(of: "then", with: "than"))
    guard case .broken(_, let mistakes)? = await inbox.next() else {
      Issue.record("not told")
      return
    }
    #expect(mistakes[0].description.hasPrefix("\(path):4:3: unknown key `than` in a stub; did you mean `then`?"))
    #expect(watch.files.stubs.map(\.name) == ["good"])
    // Mended by going back to what it was: that is told too.
    try folder.write("s.yaml", text("good"))
    #expect(names(await inbox.next()) == ["good"])
    try folder.write("s.yaml", text("good again"))
    #expect(names(await inbox.next()) == ["good again"])
  }

  /// As when an editor saves, formats, and saves again.
  @Test func whatIsSavedBeforeItIsWatchedIsTold() async throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("s.yaml", text("read"))
    let files = try StubFiles.read([path])
    try folder.write("s.yaml", text("saved"))
    let inbox = Inbox<StubFileWatch.Reload>()
    let watch = StubFileWatch(files) { inbox.add($0) }
    defer { watch.stop() }
    #expect(names(await inbox.next()) == ["saved"])
  }

  @Test func bodiesThatAreSavedBeforeTheyAreWatchedAreTold() async throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("s.yaml", "patchbay: 1\nstubs:\n- name: a\n  then: {respond: {file: b.json}}\n")
    try folder.write("b.json", "1")
    let files = try StubFiles.read([path])
    let marks = StubFileWatch.marks(of: files)
    try folder.write("b.json", "22")
    let inbox = Inbox<StubFileWatch.Reload>()
    let watch = StubFileWatch(files, since: marks) { inbox.add($0) }
    #expect(await inbox.next() == .bodiesChanged(path: path))
    watch.stop()
    let again = StubFileWatch(files, since: StubFileWatch.marks(of: files)) { inbox.add($0) }
    defer { again.stop() }
    try folder.write("s.yaml", text("other"))
    #expect(names(await inbox.next()) == ["other"], "nothing was told of bodies that are as they were")
  }

  /// While a save is being told, the next one comes: its bodies are others, so that another watcher takes over.
  @Test func whatIsSavedWhileTheWatcherChangesIsTold() async throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("s.yaml", text("first"))
    for name in ["b0.json", "b1.json"] { try folder.write(name, "1") }
    let inbox = Inbox<StubFileWatch.Reload>()
    let watch = StubFileWatch(try StubFiles.read([path])) { reload in
      // The watcher is on its way to what the file says next.
      if case .loaded(let file, _) = reload, let name = file.stubs.first?.name, name.hasPrefix("body") {
        _ = try? folder.write("s.yaml", text("after \(name)"))
      }
      inbox.add(reload)
    }
    defer { watch.stop() }
    for round in 0...1 {
      try folder.write(
        "s.yaml", "patchbay: 1\nstubs:\n- name: body \(round)\n  then: {respond: {file: b\(round).json}}\n")
      #expect(names(await inbox.next()) == ["body \(round)"])
      #expect(names(await inbox.next()) == ["after body \(round)"])
    }
  }

  @Test func aBodyThatComesAfterItsStubMendsTheSave() async throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("s.yaml", text("first"))
    let (watch, inbox) = try watching(folder, path)
    defer { watch.stop() }
    try folder.write("s.yaml", "patchbay: 1\nstubs:\n- name: late\n  then: {respond: {file: late.json}}\n")
    guard case .broken? = await inbox.next() else {
      Issue.record("a missing body was not told")
      return
    }
    try folder.write("late.json", "{}")
    #expect(names(await inbox.next()) == ["late"])
    try folder.write("late.json", "[]")
    #expect(await inbox.next() == .bodiesChanged(path: path))
  }

  /// While the mistakes are being told, before the body's place is watched.
  @Test func aBodyThatComesWithTheMistakesMendsTheSave() async throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("s.yaml", text("first"))
    let inbox = Inbox<StubFileWatch.Reload>()
    let watch = StubFileWatch(try StubFiles.read([path])) { reload in
      if case .broken = reload { _ = try? folder.write("late.json", "{}") }
      inbox.add(reload)
    }
    defer { watch.stop() }
    try folder.write("s.yaml", "patchbay: 1\nstubs:\n- name: late\n  then: {respond: {file: late.json}}\n")
    guard case .broken? = await inbox.next() else {
      Issue.record("a missing body was not told")
      return
    }
    #expect(names(await inbox.next()) == ["late"])
  }

  @Test func linksAndBodiesAreWatchedToo() async throws {
    let folder = try TemporaryFolder()
    let real = try TemporaryFolder()
    try real.write("real.yaml", "patchbay: 1\nstubs:\n- name: a\n  then: {respond: {file: \(real.path)/b.json}}\n")
    try real.write("b.json", "1")
    let path = folder.file("link.yaml")
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: real.file("real.yaml"))
    let (watch, inbox) = try watching(folder, path)
    defer { watch.stop() }
    try real.write("b.json", "2")
    #expect(await inbox.next() == .bodiesChanged(path: path))
    try real.write("real.yaml", text("linked"))
    #expect(names(await inbox.next()) == ["linked"])
  }

  /// As `git checkout` and build scripts do it.
  @Test func aFolderThatIsRemovedAndMadeAnewIsWatchedAgain() async throws {
    let folder = try TemporaryFolder()
    let stubs = folder.file("stubs")
    let path = stubs + "/deep/s.yaml"
    func make(_ name: String) throws {
      try FileManager.default.createDirectory(atPath: stubs + "/deep", withIntermediateDirectories: true)
      try Data(text(name).utf8).write(to: URL(fileURLWithPath: path))
    }
    try make("first")
    let (watch, inbox) = try watching(folder, path)
    defer { watch.stop() }
    for round in 0..<3 {
      try FileManager.default.removeItem(atPath: stubs)
      guard case .broken? = await inbox.next() else {
        Issue.record("not told that it is gone")
        return
      }
      try make("round \(round)")
      var found = names(await inbox.next())
      // The folder can be seen before the file is in it.
      while found == nil { found = names(await inbox.next()) }
      #expect(found == ["round \(round)"])
      try Data(text("saved \(round)").utf8).write(to: URL(fileURLWithPath: path))
      #expect(names(await inbox.next()) == ["saved \(round)"])
    }
    // Another folder takes its place in one step.
    let other = folder.file("other/deep")
    try FileManager.default.createDirectory(atPath: other, withIntermediateDirectories: true)
    try Data(text("other").utf8).write(to: URL(fileURLWithPath: other + "/s.yaml"))
    try FileManager.default.moveItem(atPath: stubs, toPath: folder.file("old"))
    try FileManager.default.moveItem(atPath: folder.file("other"), toPath: stubs)
    var found = names(await inbox.next())
    while found == nil { found = names(await inbox.next()) }
    #expect(found == ["other"])
  }

  /// A file behind a link to a folder that is exchanged, as Kubernetes mounts its configuration.
  @Test func linksThatAreExchangedAreFollowed() async throws {
    let folder = try TemporaryFolder()
    let files = FileManager.default
    for number in 1...3 {
      try files.createDirectory(atPath: folder.file("..\(number)"), withIntermediateDirectories: false)
      try folder.write("..\(number)/s.yaml", text("data \(number)"))
    }
    try files.createSymbolicLink(atPath: folder.file("..data"), withDestinationPath: "..1")
    let path = folder.file("s.yaml")
    try files.createSymbolicLink(atPath: path, withDestinationPath: "..data/s.yaml")
    let (watch, inbox) = try watching(folder, path)
    defer { watch.stop() }
    for number in 2...3 {
      try files.createSymbolicLink(atPath: folder.file("..tmp"), withDestinationPath: "..\(number)")
      #expect(rename(folder.file("..tmp"), folder.file("..data")) == 0)
      #expect(names(await inbox.next()) == ["data \(number)"])
    }
    try folder.write("..3/s.yaml", text("in place"))
    #expect(names(await inbox.next()) == ["in place"])
  }

  @Test func aFileThatIsNotThereYetIsToldWhenItComes() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("a/b/c.yaml")
    let inbox = Inbox<[String]>()
    let watcher = FileWatcher([path]) { inbox.add($0) }
    defer { watcher.cancel() }
    try FileManager.default.createDirectory(atPath: folder.file("a/b"), withIntermediateDirectories: true)
    #expect(await inbox.next() == [path])
    try Data("x".utf8).write(to: URL(fileURLWithPath: path))
    #expect(await inbox.next() == [path])
  }

  /// Where other programs have taken all that the system gives.
  @Test func withoutEventsItLooksUntilThereAreSome() async throws {
    let folder = try TemporaryFolder()
    let paths = try ["a", "b"].map { try folder.write($0, "first") } + [folder.file("c/d")]
    let inbox = Inbox<[String]>()
    let hasEvents = Mutex(false)
    let watcher = FileWatcher(paths, hasEvents: { hasEvents.withLock { $0 } }, handler: { inbox.add($0) })
    defer { watcher.cancel() }
    try Data("other".utf8).write(to: URL(fileURLWithPath: paths[0]))
    #expect(await inbox.next() == [paths[0]])
    try FileManager.default.createDirectory(atPath: folder.file("c"), withIntermediateDirectories: false)
    try folder.write("c/d", "new")
    #expect(await inbox.next() == [paths[2]])
    try FileManager.default.removeItem(atPath: paths[1])
    #expect(await inbox.next() == [paths[1]])
    hasEvents.withLock { $0 = true }
    for number in 0..<3 {
      try TextFile.replace(paths[0], with: "save \(number)")
      #expect(await inbox.next() == [paths[0]])
    }
    #expect(inbox.all.isEmpty)
  }

  @Test func withoutEventsNothingIsToldOnceItIsStopped() async throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("a", "first")
    let (inbox, later) = (Inbox<[String]>(), Inbox<[String]>())
    let watcher = FileWatcher([path], hasEvents: { false }, handler: { inbox.add($0) })
    watcher.cancel()
    let other = FileWatcher([path], hasEvents: { false }, handler: { later.add($0) })
    defer { other.cancel() }
    try Data("other".utf8).write(to: URL(fileURLWithPath: path))
    #expect(await later.next() == [path])
    #expect(inbox.all.isEmpty)
  }

  #if os(Linux)
    /// By how the kernel names the folder among what an inotify descriptor listens to; nil where all descriptors of that
    /// kind are taken, as by other tests.
    private func listeners(to folder: String) throws -> Int? {
      let own = inotify_init1(Int32(IN_CLOEXEC))
      guard own >= 0 else { return nil }
      defer { close(own) }
      #expect(inotify_add_watch(own, folder, UInt32(IN_MODIFY)) >= 0)
      func told(_ descriptor: String) -> [Substring] {
        let text = (try? String(contentsOfFile: "/proc/self/fdinfo/\(descriptor)", encoding: .utf8)) ?? ""
        return text.split(separator: "\n").filter { $0.hasPrefix("inotify ") }.map {
          $0.split(separator: " ").filter { $0.hasPrefix("ino:") || $0.hasPrefix("sdev:") }.joined(separator: " ")[...]
        }
      }
      let name = try #require(told("\(own)").first)
      return try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count { told($0).contains(name) } - 1
    }

    /// Its descriptors are its thread's, too: where they are closed that has ended.
    @Test func whatIsStoppedNoLongerListens() async throws {
      let folder = try TemporaryFolder()
      let path = try folder.write("a", "first")
      let inbox = Inbox<[String]>()
      let watcher = FileWatcher([path]) { inbox.add($0) }
      try await eventually("that it listens") { try listeners(to: folder.path) == 1 }
      watcher.cancel()
      try await eventually("the end of its thread") { try listeners(to: folder.path) == 0 }
      watcher.cancel()
      // One that nobody has any more is stopped.
      var other: FileWatcher? = FileWatcher([path]) { inbox.add($0) }
      try await eventually("that it listens") { try listeners(to: folder.path) == 1 }
      #expect(other != nil)
      other = nil
      try await eventually("the end of its thread") { try listeners(to: folder.path) == 0 }
    }
  #endif

  /// From the end of the save to the call, at most a second; half of the saves may meet a machine that is busy.
  @Test(.alone) func aSaveIsToldWithinASecond() async throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("s.yaml", text("first"))
    let (watch, inbox) = try watching(folder, path)
    defer { watch.stop() }
    var times: [Duration] = []
    for number in 0..<11 {
      try TextFile.replace(path, with: text("save \(number)"))
      let saved = ContinuousClock.now
      #expect(names(await inbox.next()) == ["save \(number)"])
      times.append(.now - saved)
    }
    #expect(times.sorted()[5] < .seconds(1), "\(times)")
  }

  /// Also where it is stopped by its own handler, between two files that were saved at once.
  @Test func nothingIsToldOnceItIsStopped() async throws {
    let folder = try TemporaryFolder()
    let paths = try ["s.yaml", "t.yaml"].map { try folder.write($0, text($0)) }
    for name in ["one.json", "two.json"] { try folder.write(name, "1") }
    func body(_ name: String, _ file: String) -> String {
      "patchbay: 1\nstubs:\n- name: \(name)\n  then: {respond: {file: \(file)}}\n"
    }
    let (inbox, later) = (Inbox<StubFileWatch.Reload>(), Inbox<StubFileWatch.Reload>())
    let holder = Mutex<StubFileWatch?>(nil)
    let watch = StubFileWatch(try StubFiles.read(paths)) { reload in
      holder.withLock { $0 }?.stop()
      inbox.add(reload)
    }
    holder.withLock { $0 = watch }
    for (path, name) in zip(paths, ["one", "two"]) {
      try Data(body(name, "\(name).json").utf8).write(to: URL(fileURLWithPath: path))
    }
    _ = await inbox.next()
    let other = StubFileWatch(try StubFiles.read(paths)) { later.add($0) }
    defer { other.stop() }
    // Those that were saved together with the first may still be told.
    var told = 0
    for name in ["three", "four"] {
      try Data(text(name).utf8).write(to: URL(fileURLWithPath: paths[0]))
      var seen = names(await later.next())
      while seen != nil, seen != [name] { seen = names(await later.next()) }
      #expect(seen == [name])
      told += inbox.all.count { [["three"], ["four"]].contains(names($0)) }
    }
    #expect(told == 0)
    holder.withLock { $0 = nil }
  }
}
