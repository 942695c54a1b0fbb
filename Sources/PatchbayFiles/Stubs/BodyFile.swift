import Foundation
import PatchbayStubs

/// The files that `file:` bodies name, relative to the stub file.
package enum BodyFile {
  /// Larger bodies are refused.
  package static let limit = 64 << 20

  /// Where the file lies: beside the stub file, unless the path is absolute or begins with `~/`.
  package static func path(_ path: String, stubFile: String) -> String {
    if path.hasPrefix("/") { return path }
    if path.hasPrefix("~/") { return NSHomeDirectory() + path.dropFirst() }
    let folder = (stubFile as NSString).deletingLastPathComponent
    return folder.isEmpty ? path : folder + "/" + path
  }

  /// The bytes of the files that the action names; the error has all that cannot be read.
  package static func read(_ action: Action, stubFile: String) throws(FilesError) -> [String: Data] {
    var found: [String: Data] = [:]
    var mistakes: [FileMistake] = []
    for name in action.bodyFiles {
      do throws(FilesError) {
        found[name] = try TextFile.bytes(path(name, stubFile: stubFile), limit: limit)
      } catch {
        mistakes += error.mistakes
      }
    }
    guard mistakes.isEmpty else { throw FilesError(mistakes) }
    return found
  }

  static func mistake(_ file: StubSchema.FileReference, stubFile: String) -> StubError? {
    let place = path(file.path, stubFile: stubFile)
    var facts = stat()
    guard stat(place, &facts) == 0 else {
      return StubError("the file of this body, \(place), cannot be read: \(TextFile.reason(errno))", at: file.position)
    }
    guard facts.st_mode & S_IFMT == S_IFREG else {
      return StubError("\(place) is no file", at: file.position)
    }
    guard facts.st_size <= off_t(limit) else {
      return StubError("\(place) is larger than \(limit >> 20) MiB; use `filler` for a huge body", at: file.position)
    }
    return access(place, R_OK) == 0
      ? nil : StubError("the file of this body, \(place), cannot be read: \(TextFile.reason(errno))", at: file.position)
  }
}
