import Foundation
import PatchbayDemo
import PatchbayLaunch
import PatchbayRuntime

/// The demo's stub file, in the runtime folder for as long as the demo runs.
struct DemoStubFile {
  let path: String

  init(folders: PrivateFolders) throws {
    path = try folders.runtime() + "/demo-\(getpid()).yaml"
    let isMade = FileManager.default.createFile(
      atPath: path, contents: Data(DemoStubs.yaml.utf8), attributes: [.posixPermissions: 0o600])
    guard isMade else { throw RuntimeError("\(path) cannot be written: look whether the disk is full.") }
  }

  func remove() { try? FileManager.default.removeItem(atPath: path) }
}
