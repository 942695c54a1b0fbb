import Foundation
import PatchbayTestSupport
import Testing

@testable import PatchbayLaunch

@Suite(.bounded) struct ForgottenFilesTests {
  let place: TemporaryFolder

  init() throws {
    place = try TemporaryFolder("pb")
  }

  private var folders: PrivateFolders {
    PrivateFolders(environment: { [home = place.path] in $0 == "XDG_RUNTIME_DIR" ? home : nil })
  }

  private func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folders.runtime()).sorted()
  }

  /// The number of a process that has been.
  private func endedProcess() throws -> pid_t {
    let program = try TestProgram(["/bin/true"])
    try program.end()
    return program.process
  }

  @Test func whatKilledConsolesLeftGoes() throws {
    let folder = try folders.runtime()
    let left = [
      "run-1-2.notes", "run-77.sock", "run-77.sock.control", "run-77.sock.lock", "demo-78.sock", "demo-78.sock.lock",
      "demo-78.yaml",
    ]
    let others = ["default.sock", "default.sock.lock", "demo-79.yaml", "mine.notes", "run-5.txt"]
    for name in left + others { #expect(FileManager.default.createFile(atPath: "\(folder)/\(name)", contents: nil)) }
    folders.removeForgotten()
    #expect(try names() == others)
  }

  /// Links to what goes in the same sweep, too: they are looked at last.
  @Test func linksThatLeadNowhereGoAndOthersStay() throws {
    let folder = try folders.runtime()
    let left = ["attach-7.sock", "attach-7.sock.control", "attach-7.sock.lock", "attach-7.yaml"]
    let others = ["named-x.sock.control", "named-1.sock", "bodies-1", "at", "attach-8.sock", "run-8.sock"]
    for name in left + others { #expect(FileManager.default.createFile(atPath: "\(folder)/\(name)", contents: nil)) }
    for (name, target) in [
      ("at-1.sock", "\(folder)/attach-7.sock"), ("at-2.sock", "/nowhere"), ("at-3.sock", "\(folder)/attach-8.sock"),
      ("b-link", "/nowhere"),
    ] { #expect(symlink(target, "\(folder)/\(name)") == 0) }
    folders.removeForgotten()
    #expect(try names() == (others + ["at-3.sock", "b-link"]).sorted())
    // Where there is no such folder there is nothing to do.
    PrivateFolders(environment: { _ in nil }, temporary: "/nowhere", user: geteuid()).removeForgotten()
  }

  @Test func aLinkInALocksPlaceIsNotFollowed() throws {
    let folder = try folders.runtime()
    let kept = try place.file("kept")
    #expect(symlink(kept, "\(folder)/run-1-2.notes") == 0 && symlink(kept, "\(folder)/run-3.sock.lock") == 0)
    let before = try names()
    folders.removeForgotten()
    #expect(try names() == before && FileManager.default.fileExists(atPath: kept))
  }

  @Test func linksToTheSocketsOfDeadProcessesGo() throws {
    let folder = try folders.runtime()
    for process in [try endedProcess(), getpid()] {
      #expect(symlink("/nowhere.sock.control", "\(folder)/named-\(process).sock.control") == 0)
    }
    folders.removeForgotten()
    #expect(try names() == ["named-\(getpid()).sock.control"])
  }

  /// Bodies that the system's viewer was shown: secrets that nobody needs any more.
  @Test func bodiesThatWereShownGoWithTheNextConsole() throws {
    let folder = try folders.runtime()
    for process in [try endedProcess(), getpid()] {
      let bodies = try folders.bodies(process: process)
      #expect(try folders.bodies(process: process) == bodies)
      #expect(try FileManager.default.attributesOfItem(atPath: bodies)[.posixPermissions] as? Int == 0o700)
      #expect(FileManager.default.createFile(atPath: "\(bodies)/users.json", contents: Data("{}".utf8)))
    }
    #expect(symlink(place.path, "\(folder)/bodies-x") == 0)
    folders.removeForgotten()
    #expect(try names() == ["bodies-\(getpid())", "bodies-x"])
    #expect(try FileManager.default.contentsOfDirectory(atPath: folders.bodies()) == ["users.json"])
  }

  /// It may lead to a folder that is somebody's.
  @Test func aLinkInThePlaceOfBodiesIsNotFollowed() throws {
    let folder = try folders.runtime()
    let kept = try place.file("kept")
    let name = try "bodies-\(endedProcess())"
    #expect(symlink(place.path, "\(folder)/\(name)") == 0)
    folders.removeForgotten()
    #expect(try names() == [name])
    #expect(FileManager.default.fileExists(atPath: kept))
  }

  @Test func linksOfAProcessThatRunsStayBesideThoseOfOneThatHasEnded() throws {
    let folder = try folders.runtime()
    let ended = try endedProcess()
    let kept = (0..<8).map { "named-\(getpid())-\($0).sock.control" }
    for (number, name) in kept.enumerated() {
      for link in ["named-\(ended)-\(number).sock.control", name] {
        #expect(symlink("/nowhere.sock.control", "\(folder)/\(link)") == 0)
      }
    }
    folders.removeForgotten()
    #expect(try names() == kept)
  }

  /// Somebody who may write there cannot have us write elsewhere.
  @Test func bodiesAreNotWrittenThroughALink() throws {
    let folder = try folders.runtime()
    #expect(symlink(place.path, "\(folder)/bodies-\(getpid())") == 0)
    #expect(throws: LaunchError.self) { try folders.bodies() }
  }

  @Test func whatARunningConsoleHasStays() throws {
    let folder = try folders.runtime()
    let notes = try LaunchNotes(folders: folders)
    let lock = open("\(folder)/run-9.sock.lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    defer { close(lock) }
    #expect(flock(lock, LOCK_EX | LOCK_NB) == 0)
    #expect(FileManager.default.createFile(atPath: "\(folder)/run-9.sock", contents: nil))
    let before = try names()
    #expect(before.count == 3)
    folders.removeForgotten()
    #expect(try names() == before)
    notes.remove()
    #expect(try names() == ["run-9.sock", "run-9.sock.lock"])
  }
}
