/// The general categories of Unicode by their names in `\p{…}`.
enum RegexCategories {
  static func test(_ name: String) -> (@Sendable (Unicode.GeneralCategory) -> Bool)? {
    let found: Set<Unicode.GeneralCategory>
    switch name {
    case "L", "Letter", "Alphabetic", "Alpha":
      found = [.uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter]
    case "Lu", "Uppercase": found = [.uppercaseLetter]
    case "Ll", "Lowercase": found = [.lowercaseLetter]
    case "Lt": found = [.titlecaseLetter]
    case "Lm": found = [.modifierLetter]
    case "Lo": found = [.otherLetter]
    case "M", "Mark": found = [.nonspacingMark, .spacingMark, .enclosingMark]
    case "N", "Number": found = [.decimalNumber, .letterNumber, .otherNumber]
    case "Nd", "Digit": found = [.decimalNumber]
    case "P", "Punctuation":
      found = [
        .connectorPunctuation, .dashPunctuation, .openPunctuation, .closePunctuation, .initialPunctuation,
        .finalPunctuation, .otherPunctuation,
      ]
    case "S", "Symbol": found = [.mathSymbol, .currencySymbol, .modifierSymbol, .otherSymbol]
    case "Sc": found = [.currencySymbol]
    case "Z", "Separator": found = [.spaceSeparator, .lineSeparator, .paragraphSeparator]
    case "C", "Other": found = [.control, .format, .surrogate, .privateUse, .unassigned]
    case "Cc": found = [.control]
    default: return nil
    }
    return { found.contains($0) }
  }
}
