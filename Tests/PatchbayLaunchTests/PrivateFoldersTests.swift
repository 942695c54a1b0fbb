import Foundation
import PatchbayTestSupport
import Testing

@testable import PatchbayLaunch

@Suite(.bounded) struct PrivateFoldersTests {
  let place: TemporaryFolder

  init() throws {
    place = try TemporaryFolder("pb")
  }

  private func folders(_ environment: [String: String], user: uid_t = geteuid()) -> PrivateFolders {
    PrivateFolders(environment: { environment[$0] }, temporary: place.path, user: user)
  }

  @Test func theRuntimeFolderIsMadeForUsAlone() throws {
    let home = try place.folder("run")
    let folders = folders(["XDG_RUNTIME_DIR": home + "/"])
    #expect(try folders.runtime() == "\(home)/patchbay")
    #expect(TemporaryFolder.mode("\(home)/patchbay") == 0o700)
    #expect(try folders.defaultSocket() == "\(home)/patchbay/default.sock")
    #expect(try folders.privateSocket(for: "demo", process: 42) == "\(home)/patchbay/demo-42.sock")
  }

  @Test(arguments: [nil, "relative/path", "", "/nowhere/at/all"])
  func withoutARuntimeFolderOneUnderTmpTakesItsPlace(_ value: String?) throws {
    let folder = try folders(value.map { ["XDG_RUNTIME_DIR": $0] } ?? [:]).runtime()
    #expect(folder == "\(place.path)/patchbay-\(geteuid())")
    #expect(TemporaryFolder.mode(folder) == 0o700)
  }

  @Test func anOpenFolderOfOursIsClosedToOthers() throws {
    let folder = try place.folder("patchbay-\(geteuid())", mode: 0o777)
    #expect(try folders([:]).runtime() == folder)
    #expect(TemporaryFolder.mode(folder) == 0o700)
  }

  @Test func aLinkInTheFoldersPlaceIsRefused() throws {
    let elsewhere = try place.folder("elsewhere")
    let link = "\(place.path)/patchbay-\(geteuid())"
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: elsewhere)
    let error = #expect(throws: LaunchError.self) { try folders([:]).runtime() }
    #expect(error?.description.contains("\(link) is not a folder") == true)
  }

  @Test func anotherUsersFolderIsRefused() throws {
    let stranger = geteuid() + 1
    let folder = try place.folder("patchbay-\(stranger)", mode: 0o700)
    let error = #expect(throws: LaunchError.self) { try folders([:], user: stranger).runtime() }
    #expect(error?.description.contains("\(folder) belongs to user \(geteuid()), not to us (\(stranger))") == true)
  }

  @Test func anotherUsersRuntimeHomeIsLeftAlone() throws {
    let home = try place.folder("run")
    let stranger = geteuid() + 1
    #expect(throws: LaunchError.self) { _ = try folders(["XDG_RUNTIME_DIR": home], user: stranger).runtime() }
    #expect(!FileManager.default.fileExists(atPath: "\(home)/patchbay"))
  }

  @Test func stateIsMadeAndConfigurationIsNot() throws {
    let folders = folders(["HOME": place.path, "XDG_STATE_HOME": "not absolute"])
    #expect(try folders.state() == "\(place.path)/.local/state/patchbay")
    #expect(try folders.history() == "\(place.path)/.local/state/patchbay/history.sqlite")
    #expect(TemporaryFolder.mode("\(place.path)/.local/state") == 0o700)
    #expect(folders.config == "\(place.path)/.config/patchbay")
    #expect(!FileManager.default.fileExists(atPath: folders.config))
  }

  @Test func aFileInTheStateFoldersPlaceIsNamed() throws {
    let file = try place.file("state")
    let error = #expect(throws: LaunchError.self) { try folders(["XDG_STATE_HOME": file]).state() }
    #expect(error?.description.contains(file) == true)
  }
}

@Suite(.bounded) struct SocketPathTests {
  @Test func theLongestPathIsTheOneWhoseControlSocketStillFits() throws {
    let longest = "/" + String(repeating: "a", count: SocketPath.limit - SocketPath.controlSuffix.utf8.count - 1)
    #expect(try SocketPath.checked(longest) == longest)
    let error = #expect(throws: LaunchError.self) { try SocketPath.checked(longest + "b") }
    #expect(error?.description.contains(".control") == true)
  }

  @Test func bytesCountAndNotCharacters() {
    let path = "/" + String(repeating: "日", count: 36)
    let error = #expect(throws: LaunchError.self) { try SocketPath.checked(path) }
    #expect(error?.description.contains("109 bytes") == true)
    #expect(error?.description.contains("--socket") == true)
  }

  @Test func anEmptyPathIsRefused() {
    #expect(throws: LaunchError.self) { try SocketPath.checked("") }
  }
}

@Suite(.bounded) struct LaunchNotesFileTests {
  @Test func creatingDoesNotFollowALink() throws {
    let place = try TemporaryFolder()
    let target = try place.file("target", "kept")
    try FileManager.default.createSymbolicLink(atPath: "\(place.path)/link", withDestinationPath: target)
    #expect(throws: LaunchError.self) { _ = try LaunchNotes.create("\(place.path)/link") }
    #expect(try String(contentsOfFile: target, encoding: .utf8) == "kept")
  }
}
