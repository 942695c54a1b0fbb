import Foundation

/// How much of a body is recorded, in words.
struct RecordedPart {
  private let recorded: Int64?
  private let isCut: Bool
  private let whole: Int64

  /// - Parameter whole: How many bytes there were, as far as is known.
  init(_ body: Data?, isCut: Bool, of whole: Int64) {
    recorded = body.map { Int64($0.count) }
    self.isCut = isCut
    self.whole = whole
  }

  var isMissing: Bool { recorded == nil }
  var isEmpty: Bool { recorded == 0 }
  /// There was one, and nothing was recorded of it.
  var isNotRecorded: Bool { isCut && recorded ?? 0 == 0 }

  /// Its size, and the whole where that is more.
  var size: String {
    let size = Wording.size(recorded ?? 0)
    return isPart ? "\(size) of \(Wording.size(whole))" : size
  }

  /// What is said above a body that is not all there.
  var note: String? {
    guard isCut else { return nil }
    let nothing = "Nothing of the body was recorded."
    if isNotRecorded { return isPart ? "\(nothing) It had \(Wording.size(whole))." : nothing }
    return isPart ? "Only \(size) was recorded." : "Only a part of the body was recorded."
  }

  private var isPart: Bool { isCut && whole > recorded ?? 0 }
}
