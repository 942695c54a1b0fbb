import Foundation
import PatchbayTestSupport
import Testing

@testable import PatchbayLaunch

@Suite(.bounded) struct CommandSearchTests {
  let place: TemporaryFolder

  init() throws {
    place = try TemporaryFolder()
  }

  @Test func theFirstExecutableInPathIsTaken() throws {
    let first = try place.folder("first")
    let second = try place.folder("second")
    _ = try place.file("first/tool", mode: 0o644)
    _ = try place.folder("first/other")
    let tool = try place.file("second/tool", mode: 0o755)
    #expect(try CommandSearch.find("tool", searchPath: "\(first):\(second)") == tool)
  }

  @Test(arguments: ["no-such-command-anywhere", "./nothing/here", "/nowhere/tool", ""])
  func whatIsNotThereEndsWith127(_ command: String) {
    let error = #expect(throws: LaunchError.self) { try CommandSearch.find(command, searchPath: "/bin") }
    #expect(error?.exitStatus == 127)
  }

  @Test func whatIsNoFileEndsWith126AndHoldsNobodyUp() throws {
    let pipe = place.path + "/pipe"
    mkfifo(pipe, 0o755)
    for path in [pipe, "/dev/null"] {
      let error = #expect(throws: LaunchError.self) { try CommandSearch.find(path, searchPath: nil) }
      #expect(error?.exitStatus == 126)
      #expect(error?.description.contains(path) == true)
    }
    #expect(ElfFile(path: pipe) == nil)
  }

  @Test func whatCannotBeExecutedEndsWith126() throws {
    let plain = try place.file("plain", "text", mode: 0o644)
    let error = #expect(throws: LaunchError.self) { try CommandSearch.find(plain, searchPath: nil) }
    #expect(error?.exitStatus == 126)
    #expect(error?.description.contains("chmod +x") == true)
    let inPath = #expect(throws: LaunchError.self) { try CommandSearch.find("plain", searchPath: place.path) }
    #expect(inPath?.exitStatus == 126)
    let folder = #expect(throws: LaunchError.self) { try CommandSearch.find(place.path, searchPath: nil) }
    #expect(folder?.exitStatus == 126)
    #expect(folder?.description.contains("is a folder") == true)
  }

  @Test func aFileTakenForAFolderEndsWith126() throws {
    let plain = try place.file("plain", "text", mode: 0o755)
    let error = #expect(throws: LaunchError.self) { try CommandSearch.find(plain + "/tool", searchPath: nil) }
    #expect(error?.exitStatus == 126)
  }

  @Test func withoutAPathTheSystemsFoldersAreSearched() throws {
    #expect(try CommandSearch.find("sh", searchPath: nil) == "/bin/sh")
  }

  @Test func eachRefusalIsASentenceWithTheWayOut() throws {
    let plain = try place.file("plain", "text", mode: 0o644)
    _ = try place.folder("bin/tool")
    let pipe = place.path + "/pipe"
    mkfifo(pipe, 0o755)
    func expect(_ command: String, in path: String? = nil, _ said: String, _ status: Int32, line: Int = #line) {
      let error = #expect(throws: LaunchError.self) { try CommandSearch.find(command, searchPath: path) }
      #expect(error == LaunchError(said, exitStatus: status), "line \(line)")
    }
    expect("", "the command's name is empty; give one after --", 127)
    expect("/no/tool", "there is no file /no/tool; check the path of the command", 127)
    expect(plain + "/x", "there is no file \(plain)/x; check the path of the command", 126)
    expect(place.path, "\(place.path) is a folder; give the program in it", 126)
    expect(pipe, "\(pipe) is a device, a pipe or a socket; give a program", 126)
    expect(plain, "\(plain) may not be executed; chmod +x it, or name its interpreter first", 126)
    // A folder of that name is passed over, and what may not be run is said only if there is no other.
    let none = "there is no command tool in PATH; give its path (./tool) if it is elsewhere"
    expect("tool", in: "\(place.path)/bin", none, 127)
    expect("tool", in: "", none, 127)
    expect(
      "plain", in: "/nowhere:\(place.path):\(place.path)/bin",
      "\(plain) may not be executed; chmod +x it, or name its interpreter first", 126)
    let good = try place.file("bin/plain", "text", mode: 0o755)
    #expect(try CommandSearch.find("plain", searchPath: "\(place.path):\(place.path)/bin") == good)
    let long = "/" + String(repeating: "x", count: 300)
    expect(long, "cannot look at \(long): file name too long", 126)
    expect("a", in: "/nowhere", "there is no command a in PATH; give its path (./a) if it is elsewhere", 127)
  }

  @Test func ofSeveralThatMayNotBeRunTheFirstIsSaid() throws {
    _ = try place.folder("one")
    _ = try place.folder("two")
    let first = try place.file("one/tool", mode: 0o644)
    _ = try place.file("two/tool", mode: 0o644)
    let error = #expect(throws: LaunchError.self) {
      try CommandSearch.find("tool", searchPath: "\(place.path)/one:\(place.path)/two")
    }
    #expect(error?.description.hasPrefix("\(first) may not") == true)
  }

  @Test func aLinkInPathCountsForWhatItLeadsTo() throws {
    let folders = try ["one", "two"].map { try place.folder($0) }
    #expect(symlink(place.path, "\(folders[0])/tool") == 0 && symlink("/nowhere", "\(folders[1])/tool") == 0)
    let none = "there is no command tool in PATH; give its path (./tool) if it is elsewhere"
    #expect(throws: LaunchError(none, exitStatus: 127)) {
      try CommandSearch.find("tool", searchPath: folders.joined(separator: ":"))
    }
    let tool = try place.file("real", mode: 0o755)
    _ = try place.folder("three")
    #expect(symlink(tool, "\(place.path)/three/tool") == 0)
    let path = (folders + ["\(place.path)/three"]).joined(separator: ":")
    #expect(try CommandSearch.find("tool", searchPath: path) == "\(place.path)/three/tool")
  }

  /// An empty entry is the working directory, as it is for the shells.
  @Test func anEmptyEntryIsTheWorkingDirectory() throws {
    let name = URL(fileURLWithPath: FileManager.default.currentDirectoryPath + "/Package.swift")
    try #require(FileManager.default.fileExists(atPath: name.path))
    for path in ["", ":/nowhere", "/nowhere:", "/nowhere::/nowhere"] {
      let error = #expect(throws: LaunchError.self) { try CommandSearch.find("Package.swift", searchPath: path) }
      #expect(error?.description.hasPrefix("./Package.swift may not be executed") == true)
    }
  }
}
