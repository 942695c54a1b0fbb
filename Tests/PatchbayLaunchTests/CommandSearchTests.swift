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
}
