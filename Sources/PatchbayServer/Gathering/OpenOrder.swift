/// The keys of one link's open exchanges in the order of their beginning. Keys that have ended stay in the list until
/// they come to its front or the list is mostly made of them.
struct OpenOrder: Sendable {
  private var keys: [UInt64] = []
  private var first = 0
  /// How many have not ended.
  private(set) var count = 0

  mutating func append(_ key: UInt64) {
    keys.append(key)
    count += 1
  }

  mutating func ended() { count -= 1 }

  mutating func popFirst() -> UInt64? {
    guard first < keys.count else { return nil }
    defer { first += 1 }
    return keys[first]
  }

  var all: ArraySlice<UInt64> { keys[first...] }

  /// Whether it is worth dropping those for which `isOpen` is false.
  var isStale: Bool { keys.count > 1_024 && keys.count > 4 * count }

  mutating func compact(where isOpen: (UInt64) -> Bool) {
    keys = keys[first...].filter(isOpen)
    first = 0
  }
}
