import Foundation

/// A regular expression of a filter.
public struct FilterRegex: Hashable, Sendable {
  private let pattern: String
  private let ignoresCase: Bool
  private let compiled: NSRegularExpression

  /// Why a regular expression cannot be read.
  public struct Problem: Error, Hashable, Sendable {
    public var message: String
  }

  init(_ pattern: String, ignoresCase: Bool) throws(Problem) {
    self.pattern = pattern
    self.ignoresCase = ignoresCase
    do {
      compiled = try NSRegularExpression(pattern: pattern, options: ignoresCase ? [.caseInsensitive] : [])
    } catch {
      throw Problem(message: "the regular expression cannot be read")
    }
  }

  func isFound(in bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    let text = String(decoding: bytes, as: UTF8.self)
    return compiled.firstMatch(in: text, range: NSRange(location: 0, length: text.utf16.count)) != nil
  }
}
