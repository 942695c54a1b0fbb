import PatchbaySystem

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// What the preload library leaves behind when the hook could not come into a process: it may not print anything, so it
/// appends a line to a file in the runtime folder.
public final class LaunchNotes: Sendable {
  public struct Note: Sendable, Hashable {
    public enum Reason: String, Sendable {
      case differentRuntime = "different-runtime"
      case notLoaded = "not-loaded"
      case notAHook = "not-a-hook"
      case noHook = "no-hook"
      /// The hook is there, but not in a session of it, whose configuration does not keep its classes.
      case notTaken = "not-taken"
      /// The hook is there, and has no link: the process may open too few files.
      case fewDescriptors = "few-descriptors"
      /// It was started without the variables by which the hook gets into it; the detail is its file.
      case clearedEnvironment = "cleared-environment"
      /// It is a static executable; the detail is its file.
      case staticExecutable = "static"
      /// The Swift runtime is linked into it; the detail is its file.
      case staticRuntime = "static-runtime"
    }

    public let process: Int32
    public let name: String
    public let reason: Reason
    /// The library that differs, or the dynamic linker's words.
    public let detail: String
  }

  public let path: String

  /// Locked as long as this console runs, so that the next one can tell a forgotten file.
  private let file: Int32

  /// Makes the file; `remove` takes it away.
  public init(folders: PrivateFolders) throws(LaunchError) {
    let folder = try folders.runtime()
    while true {
      let path = Path.join(folder, "run-\(getpid())-\(UInt32.random(in: 0...UInt32.max)).notes")
      let file = try Self.create(path)
      var status = stat()
      // Another console may have taken it for forgotten before it was locked.
      if flock(file, LOCK_EX | LOCK_NB) == 0, fstat(file, &status) == 0, status.st_nlink > 0 {
        (self.path, self.file) = (path, file)
        return
      }
      close(file)
      unlink(path)
    }
  }

  /// Makes an empty file that only this user may read, or empties the one there; the descriptor appends to it.
  static func create(_ path: String) throws(LaunchError) -> Int32 {
    let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard file >= 0 else { throw .system("write \(path)", errno) }
    guard fchmod(file, 0o600) == 0 else {
      let code = errno
      close(file)
      throw .system("keep others out of \(path)", code)
    }
    return file
  }

  /// What there is so far; lines that make no sense are left out.
  public func read() -> [Note] {
    (FileBytes.text(path, atMost: 16 << 20) ?? "").split(separator: "\n").compactMap { line in
      let fields = line.split(separator: "\t", maxSplits: 3, omittingEmptySubsequences: false).map(String.init)
      guard fields.count == 4, let process = Int32(fields[0]), let reason = Note.Reason(rawValue: fields[2]) else {
        return nil
      }
      return Note(process: process, name: fields[1], reason: reason, detail: fields[3])
    }
  }

  public func remove() {
    unlink(path)
  }

  deinit {
    unlink(path)
    close(file)
  }
}
