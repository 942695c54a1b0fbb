import Foundation

/// Namespaces of our own (unshare(1)), which not every machine lets be made.
enum Namespace {
  /// Whether a command can be run so.
  static func isPossible(_ unshare: [String]) -> Bool {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: unshare[0])
    process.arguments = Array(unshare.dropFirst()) + ["/bin/true"]
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return false }
    process.waitUntilExit()
    return process.terminationStatus == 0
  }
}
