/// Texts for a POSIX shell, in which nothing of them is ever run.
enum ShellText {
  /// One word, whatever is in it but NUL, which no word can hold.
  static func word(_ text: String) -> String {
    guard needsEscapes(text) else { return "'" + text.replacing("'", with: #"'\''"#) + "'" }
    // Line ends at the end would be lost by the substitution.
    let ends = text.unicodeScalars.reversed().prefix { $0 == "\n" }.count
    let end = ends == 0 ? "" : "'" + String(repeating: "\n", count: ends) + "'"
    return "\"$(printf \(format(String(text.unicodeScalars.dropLast(ends)))))\"" + end
  }

  /// The text as the quoted format of `printf`, which writes exactly that.
  static func format(_ text: String) -> String {
    var result = "'"
    for (index, scalar) in text.unicodeScalars.enumerated() {
      switch scalar {
      case "\0": break
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      case "%": result += "%%"
      // An interactive shell would put its history in the place of `!`; a dash at the beginning is an option.
      case "'", "\\", "!": result += octal(scalar)
      case "-" where index == 0: result += octal(scalar)
      case _ where isSpecial(scalar): result += octal(scalar)
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "'"
  }

  /// Whether plain single quotes would not do: a terminal would take some of it as commands, or show it as what it is
  /// not.
  static func needsEscapes(_ text: String) -> Bool { text.unicodeScalars.contains(where: isSpecial) }

  private static func isSpecial(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control: scalar != "\n"
    case .format, .lineSeparator, .paragraphSeparator: true
    default: false
    }
  }

  private static func octal(_ scalar: Unicode.Scalar) -> String {
    String(scalar).utf8.map { byte in
      let digits = String(byte, radix: 8)
      return "\\" + String(repeating: "0", count: 3 - digits.utf8.count) + digits
    }.joined()
  }
}
