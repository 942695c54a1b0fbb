import Foundation
import Synchronization

/// What the tests leave behind: counted when their process ends, which fails when anything is left.
///
/// The tests' folders count where nobody has removed them. One that is there again, made by a program that was being ended
/// with its test, is removed once more when all programs have gone, and counts where that cannot be done. Of the folder for
/// temporary files, which the tests and all that they start have to themselves, what is ours counts (Foundation leaves the
/// files of downloads there, natively too), and of the package's folder what was not there before;
/// processes, when they were started by this one, or by one of its children, or live in a test's folder, and still run.
/// Descriptors of inotify count too where there are many: the system has 128 for all programs of a user, and who gets none
/// looks at his files once a second instead.
package enum Leftovers {
  /// Each test's folder, and whether it was removed.
  private static let folders = Mutex<[String: Bool]>([:])
  /// In the environment of all that they start: the process of the tests.
  static let mark = "PATCHBAY_TEST_RUN"
  private static let own = ["patchbay", "pb-"]
  /// The folder in which the tests began, and what was in it of ours.
  private static let package = FileManager.default.currentDirectoryPath
  private static let before = files(in: package)

  /// Gives the tests a folder for temporary files and counts at the end. To be called once, before the first test.
  static func watch() {
    var name = Array("/tmp/pb-tests-XXXXXX".utf8CString)
    guard mkdtemp(&name) != nil else { return }
    setenv("TMPDIR", String(decoding: name.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self), 1)
    setenv(mark, "\(getpid())", 1)
    _ = before
    atexit { Leftovers.count() }
  }

  /// A test has made a folder for itself.
  package static func made(_ folder: String) { folders.withLock { $0[folder] = false } }

  /// Removes a test's folder, again where a program that was killed a moment ago has just made a file in it.
  package static func remove(_ folder: String) {
    folders.withLock { $0[folder] = true }
    for attempt in 0..<20 {
      if attempt > 0 { usleep(10_000) }
      try? FileManager.default.removeItem(atPath: folder)
      if !FileManager.default.fileExists(atPath: folder) { return }
    }
  }

  private static func count() {
    let temporary = NSTemporaryDirectory()
    var left = files(in: temporary).map { temporary + $0 }
    left += files(in: package).subtracting(before).map { "\(package)/\($0)" }
    // What was killed a moment ago is given the time to be gone.
    var running: [pid_t] = []
    for _ in 0..<50 {
      running = processes()
      guard !running.isEmpty else { break }
      usleep(100_000)
    }
    let tests = folders.withLock { $0 }.filter { FileManager.default.fileExists(atPath: $0.key) }
    for (folder, wasRemoved) in tests where wasRemoved { remove(folder) }
    left += tests.filter { !$0.value || FileManager.default.fileExists(atPath: $0.key) }.map(\.key).sorted()
    left += running.map { "process \($0): \(Processes.arguments(of: $0).joined(separator: " "))" }
    if let watches = watches() { left.append(watches) }
    try? FileManager.default.removeItem(atPath: temporary)
    guard !left.isEmpty else { return }
    FileHandle.standardError.write(Data("✘ The tests left behind:\n\(left.joined(separator: "\n"))\n".utf8))
    _exit(1)
  }

  /// More than tests that are still ending can have; nil where it is fewer.
  private static func watches() -> String? {
    let own = "/proc/self/fd"
    for _ in 0..<50 {
      let count = (try? FileManager.default.contentsOfDirectory(atPath: own))?
        .count { (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(own)/\($0)")) == "anon_inode:inotify" }
      guard let count, count > 8 else { return nil }
      usleep(100_000)
    }
    return "inotify descriptors, more than 8"
  }

  private static func files(in folder: String) -> Set<String> {
    let files = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return Set(files.filter { file in own.contains { file.hasPrefix($0) } })
  }

  private static func processes() -> [pid_t] {
    let mark = Data("\(mark)=\(getpid())".utf8)
    // What writes a crash's backtrace has a few of our variables only.
    let homes = folders.withLock { Set($0.keys.map { Data("HOME=\($0)".utf8) }) }
    let marked = Processes.all.filter { pid in
      guard pid != getpid(), Processes.isRunning(pid) else { return false }
      return Processes.environment(of: pid).contains { $0 == mark || homes.contains($0) }
    }
    // A sanitizer starts one for what it tells, and keeps it.
    return Set(marked + Processes.descendants(of: getpid()))
      .filter { Processes.arguments(of: $0).first?.hasSuffix("llvm-symbolizer") != true }.sorted()
  }
}
