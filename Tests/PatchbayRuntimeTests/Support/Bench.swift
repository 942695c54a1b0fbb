import Foundation
import PatchbayFiles
import PatchbayLaunch
import PatchbayTestSupport
import PatchbayWire

@testable import PatchbayRuntime

/// Folders of the person's for one test.
struct TestFolders {
  let folder: TemporaryFolder
  let folders: PrivateFolders

  init() throws {
    folder = try TemporaryFolder()
    let path = folder.path
    try FileManager.default.createDirectory(
      atPath: path + "/run", withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    folders = PrivateFolders { name in
      ["XDG_RUNTIME_DIR": path + "/run", "XDG_STATE_HOME": path + "/state", "XDG_CONFIG_HOME": path + "/config"][name]
    }
  }

  /// A console's plan, with a history in memory unless it is said otherwise.
  func plan(
    _ mode: WorkbenchPlan.Mode = .run, _ change: (inout ConsoleOptions) -> Void = { _ in },
    config: (inout ConfigFile) -> Void = { _ in }
  ) throws -> WorkbenchPlan {
    var options = ConsoleOptions()
    options.history = ":memory:"
    change(&options)
    var file = ConfigFile()
    config(&file)
    return try WorkbenchPlan(mode, options: options, config: file, folders: folders)
  }
}
