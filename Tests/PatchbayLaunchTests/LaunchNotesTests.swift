import Foundation
import PatchbayTestSupport
import Testing

@testable import PatchbayLaunch

@Suite(.bounded) struct LaunchNotesFileTests {
  @Test func creatingDoesNotFollowALink() throws {
    let place = try TemporaryFolder()
    let target = try place.file("target", "kept")
    try FileManager.default.createSymbolicLink(atPath: "\(place.path)/link", withDestinationPath: target)
    #expect(throws: LaunchError.self) { _ = try LaunchNotes.create("\(place.path)/link") }
    #expect(try String(contentsOfFile: target, encoding: .utf8) == "kept")
  }

  private func folders(_ place: TemporaryFolder) -> PrivateFolders {
    PrivateFolders(environment: { $0 == "XDG_RUNTIME_DIR" ? place.path : nil })
  }

  @Test func notesAreReadLineByLineAndNonsenseIsLeftOut() throws {
    let place = try TemporaryFolder("notes")
    let notes = try LaunchNotes(folders: folders(place))
    #expect(notes.path.hasPrefix("\(place.path)/patchbay/run-\(getpid())-") && notes.path.hasSuffix(".notes"))
    #expect(TemporaryFolder.mode(notes.path) == 0o600 && notes.read() == [])
    let reasons = [
      "different-runtime", "not-loaded", "not-a-hook", "no-hook", "not-taken", "few-descriptors", "cleared-environment",
      "static", "static-runtime",
    ]
    let lines =
      reasons.enumerated().map { "\($0 + 1)\tshop\t\($1)\tdetail \($0)\tand\tmore" } + [
        "", "12", "x\tshop\tno-hook\tdetail", "12\tshop\tnosuch\tdetail", "12\tshop\tno-hook", "7\t\tno-hook\t",
        "8\tcut",
      ]
    try Data(lines.joined(separator: "\n").utf8).write(to: URL(fileURLWithPath: notes.path))
    let read = notes.read()
    #expect(read.map { $0.reason.rawValue } == reasons + ["no-hook"])
    #expect(read.map(\.process) == [1, 2, 3, 4, 5, 6, 7, 8, 9, 7])
    #expect(read.first == .init(process: 1, name: "shop", reason: .differentRuntime, detail: "detail 0\tand\tmore"))
    #expect(read.last == .init(process: 7, name: "", reason: .noHook, detail: ""))
    notes.remove()
    #expect(!FileManager.default.fileExists(atPath: notes.path) && notes.read() == [])
  }

  @Test func notesGoWithTheirConsoleAndEachHasItsOwn() async throws {
    let place = try TemporaryFolder("notes")
    var first: LaunchNotes? = try LaunchNotes(folders: folders(place))
    let second = try LaunchNotes(folders: folders(place))
    let path = try #require(first).path
    #expect(path != second.path)
    // Locked for as long as it is somebody's.
    let descriptor = open(path, O_RDWR | O_CLOEXEC)
    defer { close(descriptor) }
    #expect(flock(descriptor, LOCK_EX | LOCK_NB) != 0)
    first = nil
    #expect(!FileManager.default.fileExists(atPath: path) && FileManager.default.fileExists(atPath: second.path))
    // A child that another test has just forked has it until it becomes its own program.
    try await eventually("the lock") { flock(descriptor, LOCK_EX | LOCK_NB) == 0 }
  }

  @Test func whatIsThereIsEmptiedAndClosedToOthers() throws {
    let place = try TemporaryFolder("notes")
    let path = try place.file("old", "text", mode: 0o666)
    let descriptor = try LaunchNotes.create(path)
    defer { close(descriptor) }
    #expect(TemporaryFolder.mode(path) == 0o600)
    #expect(write(descriptor, "a", 1) == 1 && lseek(descriptor, 0, SEEK_SET) == 0 && write(descriptor, "b", 1) == 1)
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "ab", "what is written stands behind what was")
    #expect(fcntl(descriptor, F_GETFD) & FD_CLOEXEC != 0)
    #expect(throws: LaunchError("cannot write \(place.path)/none/x: no such file or directory")) {
      _ = try LaunchNotes.create("\(place.path)/none/x")
    }
  }
}
