import Foundation

/// Where this build put its executables.
public enum BuiltProduct {
  /// The path of an executable product or target of this package, beside the running test binary.
  public static func path(_ name: String) -> String {
    folder.appendingPathComponent(name).path
  }

  /// The build's folder of products. The test binary lies in it (in a bundle's folder on macOS).
  public static let folder: URL = {
    let running = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    let candidates = [running] + CommandLine.arguments.map { URL(fileURLWithPath: $0).standardizedFileURL }
    for start in candidates {
      var folder = start.deletingLastPathComponent()
      while folder.path != "/" {
        if FileManager.default.fileExists(atPath: folder.appendingPathComponent("patchbay").path),
          FileManager.default.fileExists(atPath: folder.appendingPathComponent("description.json").path)
        {
          return folder
        }
        folder.deleteLastPathComponent()
      }
    }
    return running.deletingLastPathComponent()
  }()
}
