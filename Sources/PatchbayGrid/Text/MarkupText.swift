extension StringProtocol {
  /// As text, or as an attribute in double quotes, of XML 1.0, which HTML and SVG read too. In an attribute line end and
  /// tab are references, which a reader would make spaces of (§3.3.3).
  package func escapedForMarkup(attribute: Bool = false) -> String {
    unicodeScalars.reduce(into: "") { result, scalar in
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"" where attribute: result += "&quot;"
      case "\n" where attribute: result += "&#10;"
      case "\t" where attribute: result += "&#9;"
      default: result.unicodeScalars.append(scalar)
      }
    }
  }
}
