import Dispatch
import Foundation

/// Code that only the start needed: of sixty libraries some 30 MB are mapped by then, and little of it runs again.
enum StartUpPages {
  /// Lets go of it once, when the first frame has long been seen. What is needed again comes back from the page cache.
  static func giveBackSoon() {
    DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + 1) { giveBack() }
  }

  /// Only code that was never written to: those pages are the file's own, and nothing can be lost.
  private static func giveBack() {
    let maps = (try? String(contentsOfFile: "/proc/self/smaps", encoding: .utf8)) ?? ""
    var code: (start: UInt, end: UInt)?
    for line in maps.split(separator: "\n") {
      if let range = range(line) {
        code = line.contains(" r-xp ") && line.contains("/") ? range : nil
      } else if line.hasPrefix("Anonymous:"), let found = code {
        code = nil
        guard line.contains(" 0 kB"), let start = UnsafeMutableRawPointer(bitPattern: found.start) else { continue }
        madvise(start, Int(found.end - found.start), MADV_DONTNEED)
      }
    }
  }

  /// The addresses of a mapping's first line, such as `7f00-8f00 r-xp …`.
  private static func range(_ line: Substring) -> (UInt, UInt)? {
    let ends = line.prefix { $0 != " " }.split(separator: "-")
    guard ends.count == 2, let start = UInt(ends[0], radix: 16), let end = UInt(ends[1], radix: 16) else { return nil }
    return (start, end)
  }
}
