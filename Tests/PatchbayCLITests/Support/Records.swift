import Foundation
import PatchbayTestSupport

/// JSON Lines, read back.
enum Records {
  /// The whole lines of a file that may still grow; empty while there is no file.
  static func read(_ path: String) throws -> [[String: Any]] {
    guard let data = FileManager.default.contents(atPath: path) else { return [] }
    return try parse(String(decoding: data, as: UTF8.self))
  }

  static func parse(_ text: String) throws -> [[String: Any]] {
    let whole = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    return try whole.map { line in
      guard let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] else {
        throw WaitedInVain(description: "not an object: \(line)")
      }
      return object
    }
  }
}
