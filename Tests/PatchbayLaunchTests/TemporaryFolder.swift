import Foundation
import PatchbayTestSupport

/// A folder of one test's own, gone when the test is. Its path is short enough for sockets, however long `TMPDIR` is.
final class TemporaryFolder: Sendable {
  let path: String

  init(_ name: String = "patchbay launch") throws {
    path = URL(fileURLWithPath: "/tmp").resolvingSymlinksInPath().path + "/\(name)-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    Leftovers.made(path)
  }

  deinit { Leftovers.remove(path) }

  func file(_ name: String, _ text: String = "", mode: Int = 0o644) throws -> String {
    let file = "\(path)/\(name)"
    try Data(text.utf8).write(to: URL(fileURLWithPath: file))
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file)
    return file
  }

  /// A program. Another process writes it: a descriptor of ours, open for writing, could be with a process that another
  /// test is just starting, and then the file cannot be run ("text file busy").
  func executable(_ name: String, _ text: String) throws -> String {
    try executable(name, writtenBy: "printf %s \"$1\"", text)
  }

  /// The same with the bytes of the file at that path.
  func executable(_ name: String, copying source: String) throws -> String {
    try executable(name, writtenBy: "cat \"$1\"", source)
  }

  private func executable(_ name: String, writtenBy script: String, _ argument: String) throws -> String {
    let file = "\(path)/\(name)"
    _ = try TestProgram.run(["/bin/sh", "-c", "\(script) > \"$2\" && chmod 755 \"$2\"", "sh", argument, file])
    return file
  }

  func folder(_ name: String, mode: Int = 0o755) throws -> String {
    let folder = "\(path)/\(name)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: folder)
    return folder
  }

  static func mode(_ path: String) -> Int? {
    (try? FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]) as? Int
  }
}
