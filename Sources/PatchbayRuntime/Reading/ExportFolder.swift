import Foundation
import PatchbayInspect

/// A folder that is filled with files of an export, such as `17-response-books.json`.
struct ExportFolder {
  let path: String
  private(set) var count = 0
  /// It was not there before.
  private let isNew: Bool

  /// Makes the folder, mode 0700, where it is missing.
  init(_ path: String) throws {
    self.path = path
    var isFolder: ObjCBool = false
    if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) {
      guard isFolder.boolValue else {
        throw RuntimeError("\(path) is a file: name a folder for the bodies with -o DIR.")
      }
      isNew = false
      return
    }
    isNew = true
    do {
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw RuntimeError("The folder \(path) cannot be made: choose another with -o DIR.")
    }
  }

  /// Removes the folder, with what was written to it, unless it was there before.
  func discard() {
    if isNew { try? FileManager.default.removeItem(atPath: path) }
  }

  mutating func write(_ exported: ExportedFile) throws {
    let file = path + "/" + exported.name
    let descriptor = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else {
      throw RuntimeError("\(file) cannot be written (\(String(cString: strerror(errno)))): choose another folder.")
    }
    do {
      try FileHandle(fileDescriptor: descriptor, closeOnDealloc: true).write(contentsOf: exported.data)
    } catch {
      unlink(file)
      guard let reason = SystemCause.reason(error) else { throw error }
      throw RuntimeError("\(file) cannot be written (\(reason)): free some space, or choose another folder.")
    }
    count += 1
  }
}
