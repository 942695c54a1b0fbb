import PatchbayStubs

/// The ids of a list in the order in which they are shown; the newest at the foot unless sorted otherwise.
///
/// A million ids take 8 MB. Adding at the foot costs the same however long the list is; older ids may come later, in
/// batches, newest first.
struct RowOrder: Sendable {
  /// Falling; all before those of `newer`.
  private var older: [Int64] = []
  /// In shown order.
  private var newer: [Int64] = []
  /// Whether the ids rise; else they stand as a query sorted them.
  private(set) var rises = true

  init() {}

  init(_ ids: [Int64], rising: Bool = true) {
    newer = ids
    rises = rising
  }

  var count: Int { older.count + newer.count }
  var isEmpty: Bool { older.isEmpty && newer.isEmpty }
  var last: Int64? { newer.last ?? older.first }
  var first: Int64? { older.last ?? newer.first }

  subscript(_ index: Int) -> Int64 {
    index < older.count ? older[older.count - 1 - index] : newer[index - older.count]
  }

  /// The place of an id; a binary search where the ids rise.
  func index(of id: Int64) -> Int? {
    guard rises else { return newer.firstIndex(of: id) }
    let place = lowerBound(id)
    return place < count && self[place] == id ? place : nil
  }

  /// The first place whose id is not below `id`; only where the ids rise.
  func lowerBound(_ id: Int64) -> Int { (0..<count).partitioningIndex { self[$0] >= id } }

  /// Puts an id into its place.
  ///
  /// - Returns: the place; nil if it was there.
  @discardableResult
  mutating func insert(_ id: Int64) -> Int? {
    guard let last else {
      newer = [id]
      return 0
    }
    if !rises || id > last {
      newer.append(id)
      return count - 1
    }
    let place = lowerBound(id)
    guard self[place] != id else { return nil }
    if place < older.count {
      older.insert(id, at: older.count - place)
    } else {
      newer.insert(id, at: place - older.count)
    }
    return place
  }

  @discardableResult
  mutating func remove(_ id: Int64) -> Int? {
    guard let place = index(of: id) else { return nil }
    if place < older.count {
      older.remove(at: older.count - 1 - place)
    } else {
      newer.remove(at: place - older.count)
    }
    return place
  }

  /// Removes all below an id, where the ids rise.
  ///
  /// - Returns: how many they were.
  @discardableResult
  mutating func removeBelow(_ id: Int64) -> Int {
    guard rises else { return 0 }
    let count = lowerBound(id)
    let old = min(count, older.count)
    older.removeLast(old)
    newer.removeFirst(count - old)
    return count
  }

  /// Adds ids that fall, as a search finds them.
  mutating func addOlder(_ ids: [Int64]) {
    guard let first else {
      older = ids
      return
    }
    var rest = ids[...]
    while let id = rest.first, id >= first {
      insert(id)
      rest.removeFirst()
    }
    older.append(contentsOf: rest)
  }

  mutating func append(contentsOf ids: [Int64]) {
    newer.append(contentsOf: ids)
  }
}
