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

  @Test func eachPlaceFollowsItsVariable() throws {
    let home = try place.folder("home")
    let state = "\(place.path)/state"
    let config = "\(place.path)/config"
    let named = folders(["HOME": home, "XDG_STATE_HOME": state + "/", "XDG_CONFIG_HOME": config + "//"])
    #expect(try named.state() == "\(state)/patchbay" && named.config == "\(config)/patchbay")
    for value in [nil, "", "relative"] as [String?] {
      var environment = ["HOME": home + "/"]
      environment["XDG_STATE_HOME"] = value
      environment["XDG_CONFIG_HOME"] = value
      let folders = folders(environment)
      #expect(try folders.state() == "\(home)/.local/state/patchbay" && folders.config == "\(home)/.config/patchbay")
    }
    // Without HOME it is the account's.
    let account = try #require(getpwuid(geteuid()))
    #expect(folders([:]).config == "\(String(cString: account.pointee.pw_dir))/.config/patchbay")
    #expect(folders([:], user: 4_000_123_456).config == "/.config/patchbay")
  }

  @Test func aFolderWithOtherRightsThanOursIsMended() throws {
    let path = try place.folder("patchbay-\(geteuid())")
    for mode in [0o700, 0o701, 0o710, 0o600, 0o500, 0o755, 0o000] as [mode_t] {
      #expect(chmod(path, mode) == 0)
      #expect(try PrivateFolders.own(path, user: geteuid()) == path)
      #expect(TemporaryFolder.mode(path) == 0o700)
    }
  }

  @Test func aFileInTheWayIsSaidWithTheWayOut() throws {
    let file = try place.file("file")
    #expect(throws: LaunchError("\(file) is not a folder; remove it, for the sockets are to lie there")) {
      try PrivateFolders.own(file, user: geteuid())
    }
    let below = "\(file)/below"
    let way = "set XDG_RUNTIME_DIR to a folder of your own in which you may write"
    #expect(throws: LaunchError("cannot make the folder \(below) for the sockets: not a directory; \(way)")) {
      try PrivateFolders.own(below, user: geteuid())
    }
    let stranger = geteuid() + 1
    #expect(
      throws: LaunchError(
        "\(place.path) belongs to user \(geteuid()), not to us (\(stranger)); remove it, or set XDG_RUNTIME_DIR to a folder of "
          + "your own")
    ) { try PrivateFolders.own(place.path, user: stranger) }
    _ = try place.folder("taken")
    let taken = try place.file("taken/patchbay")
    #expect(throws: LaunchError("\(taken) is not a folder; remove it or set XDG_STATE_HOME")) {
      try folders(["XDG_STATE_HOME": "\(place.path)/taken"]).state()
    }
    #expect(
      throws: LaunchError(
        "cannot make the folder \(file)/patchbay: not a directory; set XDG_STATE_HOME to a folder in which you may write"
      )
    ) { try folders(["XDG_STATE_HOME": file]).state() }
    // The second time it is there already.
    let fresh = folders(["XDG_STATE_HOME": "\(place.path)/a/b"])
    #expect(try fresh.state() == "\(place.path)/a/b/patchbay" && fresh.state() == "\(place.path)/a/b/patchbay")
  }

  @Test func aLinkToAFolderOfOursIsAsGoodAsTheFolder() throws {
    let real = try place.folder("real")
    _ = try place.folder("state")
    #expect(symlink(real, "\(place.path)/run") == 0 && symlink(real, "\(place.path)/state/patchbay") == 0)
    #expect(try folders(["XDG_RUNTIME_DIR": "\(place.path)/run"]).runtime() == "\(place.path)/run/patchbay")
    #expect(try folders(["XDG_STATE_HOME": "\(place.path)/state"]).state() == "\(place.path)/state/patchbay")
  }

  @Test func aFolderThatCannotBeMadeOnTheWayIsTheOneThatIsNamed() {
    let way = "set XDG_STATE_HOME to a folder in which you may write"
    #expect(throws: LaunchError("cannot make the folder /proc/none: no such file or directory; \(way)")) {
      try folders(["XDG_STATE_HOME": "/proc/none"]).state()
    }
  }

  @Test func aLinkThatTheLinkerWouldMisreadLiesWhereItDoesNot() throws {
    let home = try place.folder("run")
    let odd = try place.folder("a b")
    #expect(try folders(["XDG_RUNTIME_DIR": home]).plainRuntime() == "\(home)/patchbay")
    #expect(try folders(["XDG_RUNTIME_DIR": odd]).plainRuntime() == "\(place.path)/patchbay-\(geteuid())")
    // A file is no folder to make one in.
    let file = try place.file("plain")
    #expect(try folders(["XDG_RUNTIME_DIR": file]).runtime() == "\(place.path)/patchbay-\(geteuid())")
  }

  @Test func socketsAndBodiesAreNamedAfterTheirProcess() throws {
    let folders = folders([:])
    let runtime = try folders.runtime()
    #expect(try folders.privateSocket() == "\(runtime)/run-\(getpid()).sock")
    #expect(try folders.privateSocket(for: "attach", process: 7) == "\(runtime)/attach-7.sock")
    #expect(try folders.bodies() == "\(runtime)/bodies-\(getpid())")
    #expect(try folders.bodies(process: 8) == "\(runtime)/bodies-8")
    #expect(TemporaryFolder.mode("\(runtime)/bodies-8") == 0o700)
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

  @Test func eachRefusalSaysHowLongItMayBe() {
    let longest = 107 - 8
    func path(_ count: Int) -> String { "/" + String(repeating: "a", count: count - 1) }
    #expect(SocketPath.limit == 107)
    for count in [1, longest] { #expect(throws: Never.self) { try SocketPath.checked(path(count)) } }
    for count in [longest + 1, 107] {
      let said =
        "the socket's path is \(count) bytes long, which leaves no room for .control behind it (99 at most): \(path(count)); "
        + "give a shorter one with --socket PATH"
      #expect(throws: LaunchError(said)) { try SocketPath.checked(path(count)) }
    }
    let said = "the socket's path is 108 bytes long and the system takes 107: \(path(108)); give a shorter one with "
    #expect(throws: LaunchError(said + "--socket PATH")) { try SocketPath.checked(path(108)) }
    #expect(throws: LaunchError("the socket's path is empty; give one with --socket PATH")) {
      try SocketPath.checked("")
    }
  }
}
