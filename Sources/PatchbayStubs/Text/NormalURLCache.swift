import Synchronization

/// The spellings found last. Programs ask for the same URLs again and again, and what a URL's one spelling is never
/// changes.
final class NormalURLCache: Sendable {
  static let shared = NormalURLCache()

  private static let size = 64
  /// Longer ones are not kept, which bounds the memory.
  private static let longest = 512

  private let entries = Mutex<[(text: String, url: NormalURL)?]>(Array(repeating: nil, count: size))

  func url(_ text: String) -> NormalURL {
    guard text.utf8.count <= Self.longest else { return NormalURL(text) }
    let place = Int(truncatingIfNeeded: UInt(bitPattern: text.hashValue) % UInt(Self.size))
    if let known = entries.withLock({ $0[place] }), known.text.utf8.elementsEqual(text.utf8) {
      return known.url
    }
    let made = NormalURL(text)
    entries.withLock { $0[place] = (text, made) }
    return made
  }
}
