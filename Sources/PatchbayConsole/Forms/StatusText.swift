import Foundation
import PatchbayStubs

/// A status as a person types it: its number, or words of its name.
enum StatusText {
  /// nil where nothing fits.
  static func code(_ text: String) -> Int? {
    let text = text.trimmingCharacters(in: .whitespaces)
    if let code = Int(text) { return (100...599).contains(code) ? code : nil }
    return found(text).first?.code
  }

  /// What is shown behind what was typed: the name of the number, or what the words become.
  static func meaning(of text: String) -> String {
    if let code = Int(text.trimmingCharacters(in: .whitespaces)) { return HTTPStatus.phrase(code) }
    return found(text).first.map { "→ \($0.code) \($0.phrase)" } ?? ""
  }

  /// The others that what was typed may still become, such as `500 Internal Server Error · 501 Not Implemented`.
  static func suggestions(for text: String) -> String {
    let text = text.trimmingCharacters(in: .whitespaces)
    let fitting: [(code: Int, phrase: String)]
    if Int(text) != nil {
      fitting = text.utf8.count < 3 ? HTTPStatus.all.filter { String($0.code).hasPrefix(text) } : []
    } else {
      fitting = Array(found(text).dropFirst())
    }
    return fitting.prefix(3).map { "\($0.code) \($0.phrase)" }.joined(separator: " · ")
  }

  /// Those whose names begin with the words come first, then those that have them.
  private static func found(_ text: String) -> [(code: Int, phrase: String)] {
    let wanted = text.trimmingCharacters(in: .whitespaces).lowercased()
    guard !wanted.isEmpty else { return [] }
    let all = HTTPStatus.all.filter { $0.phrase.lowercased().contains(wanted) }
    return all.filter { $0.phrase.lowercased().hasPrefix(wanted) }
      + all.filter { !$0.phrase.lowercased().hasPrefix(wanted) }
  }
}
