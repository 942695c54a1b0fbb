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
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/true")
    try process.run()
    process.waitUntilExit()
    return process.processIdentifier
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
