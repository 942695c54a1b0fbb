import Foundation
import Testing

/// Compares a text with the one that lies in a file beside the test, as a whole, and says where they differ first. With
/// `PATCHBAY_WRITE_SCREENS` set the file is written anew; read the difference before it is committed.
///
/// - Parameters:
///   - path: of the file, from the folder of the test's source. Lines that begin with `== ` are headings in it.
package func expectRecorded(
  _ seen: String, _ path: String, beside source: String = #filePath, sourceLocation: SourceLocation = #_sourceLocation
) throws {
  let file = URL(fileURLWithPath: source).deletingLastPathComponent().appendingPathComponent(path)
  if ProcessInfo.processInfo.environment["PATCHBAY_WRITE_SCREENS"] != nil { try Data(seen.utf8).write(to: file) }
  let expected = try String(contentsOf: file, encoding: .utf8)
  guard seen != expected else { return }
  let (left, right) = (expected.components(separatedBy: "\n"), seen.components(separatedBy: "\n"))
  let place = zip(left, right).prefix { $0 == $1 }.count
  let heading = right.prefix(place + 1).last { $0.hasPrefix("== ") }.map { ", in “\($0.dropFirst(3))”" } ?? ""
  Issue.record(
    """
    \(path), line \(place + 1)\(heading):
    expected \(place < left.count ? left[place] : "the end")
    seen     \(place < right.count ? right[place] : "the end")
    """, sourceLocation: sourceLocation)
}
