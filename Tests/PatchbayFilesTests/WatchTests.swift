import Foundation
import PatchbayStubs
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

  /// The next value; nil when none comes in ten seconds.
  func next() async -> Value? {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread { [self] in
        let came = arrived.wait(timeout: .now() + 10) == .success
        continuation.resume(returning: came ? values.withLock { $0.isEmpty ? nil : $0.removeFirst() } : nil)
      }
    }
  }
}

private func text(_ name: String) -> String { "patchbay: 1\nstubs:\n- name: \(name)\n  then: {fail: offline}\n" }

@Suite struct WatchTests {
  /// A watch on a new file, with what it tells.
  private func watching(_ folder: TemporaryFolder, _ path: String) throws -> (
    StubFileWatch, Inbox<StubFileWatch.Reload>
  ) {
    let inbox = Inbox<StubFileWatch.Reload>()
    let watch = try StubFileWatch(StubFiles.read([path])) { inbox.add($0) }
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

  @Test func aMissingFolderIsTold() throws {
    #expect(throws: FilesError.self) { try FileWatcher(["/nonexistent-folder/x.yaml"]) { _ in } }
  }
}
