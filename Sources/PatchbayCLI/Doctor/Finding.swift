/// One thing that `patchbay doctor` looked at.
struct Finding {
  enum Grade {
    case good
    /// Good to know; nothing is broken.
    case note
    /// Something does not work until it is mended.
    case broken
  }

  var grade: Grade
  var topic: String
  /// What it is like and, where it is not good, what to do.
  var sentence: String

  static func good(_ topic: String, _ sentence: String) -> Finding {
    Finding(grade: .good, topic: topic, sentence: sentence)
  }

  static func note(_ topic: String, _ sentence: String) -> Finding {
    Finding(grade: .note, topic: topic, sentence: sentence)
  }

  static func broken(_ topic: String, _ sentence: String) -> Finding {
    Finding(grade: .broken, topic: topic, sentence: sentence)
  }

  var sign: String {
    switch grade {
    case .good: "✓"
    case .note: "·"
    case .broken: "✗"
    }
  }
}
