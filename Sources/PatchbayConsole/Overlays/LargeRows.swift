import Foundation

/// Bodies of megabytes side by side: how long they are, and where they first differ.
enum LargeRows {
  /// Bytes that are shown from there on.
  private static let excerpt = 240

  static func rows(_ left: Data, _ right: Data) -> [ComparePage.Row] {
    let sizes = (Wording.size(Int64(left.count)), Wording.size(Int64(right.count)))
    guard let place = firstDifference(left, right) else {
      return [.init(label: "the same", left: sizes.0, right: sizes.1)]
    }
    let before = left.prefix(place)
    let line = before.count { $0 == 0x0A } + 1
    return [
      .init(label: "different", left: sizes.0, right: sizes.1),
      .init(label: "from byte \(place + 1)", left: text(left, place), right: text(right, place)),
      .init(label: "in line", left: "\(line)", right: "\(line)"),
    ]
  }

  /// Offset of the first byte that is not the same in both; nil where all are.
  private static func firstDifference(_ left: Data, _ right: Data) -> Int? {
    let length = min(left.count, right.count)
    let place = left.withUnsafeBytes { (one: UnsafeRawBufferPointer) in
      right.withUnsafeBytes { (other: UnsafeRawBufferPointer) in
        (0..<length).first { (offset: Int) in one[offset] != other[offset] }
      }
    }
    return place ?? (left.count == right.count ? nil : length)
  }

  /// A little of the body from shortly before a place, in one line.
  private static func text(_ data: Data, _ place: Int) -> String {
    let from = max(0, place - 12)
    guard from < data.count else { return "" }
    let piece = data.dropFirst(from).prefix(excerpt)
    return String(decoding: piece, as: UTF8.self).replacing("\n", with: " ")
  }
}
