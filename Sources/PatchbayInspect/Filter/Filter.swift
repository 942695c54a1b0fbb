import PatchbayWire

/// A filter of the one language that screen, history, export and log share.
///
/// Words joined by space must all hold; `|` is or, `-` or `!` not, `( )` groups, `"two words"` quotes. A bare word
/// looks in the URL, `key:value` in what `FilterKey` says. A value without `*` is a substring, with `*` an anchored
/// glob, `~RE` a regular expression (`\*` is a plain star); letter case counts only if the value has capitals. An empty
/// value (`stub:`) asks only whether there is such a text at all.
public struct Filter: Hashable, Sendable, CustomStringConvertible {
  /// As it was written.
  public let text: String
  public let expression: FilterExpression

  /// Fits every exchange.
  public static let everything = Filter(text: "", expression: .and([]))

  private init(text: String, expression: FilterExpression) {
    self.text = text
    self.expression = expression
  }

  /// - Throws: where and why it cannot be read.
  public init(parsing text: String) throws(FilterError) {
    self.init(text: text, expression: try FilterParser.parse(text))
  }

  public var isEmpty: Bool { expression == .and([]) }
  public var description: String { text }

  /// Whether it looks into bodies, so that a search in the history takes longer.
  public var needsBodies: Bool {
    expression.contains {
      guard case .text(let field, _) = $0 else { return false }
      return field == .body || field == .requestBody || field == .responseBody
    }
  }

  /// Whether it looks at header fields.
  public var needsHeaders: Bool {
    expression.contains {
      guard case .text(.header, _) = $0 else { return false }
      return true
    }
  }

  /// Whether what it says of an exchange changes as time goes on.
  public var dependsOnTime: Bool {
    expression.contains {
      switch $0 {
      case .since(.ago), .until(.ago): true
      default: false
      }
    }
  }
}
