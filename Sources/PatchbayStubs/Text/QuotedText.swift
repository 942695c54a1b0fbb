extension String {
  /// In double quotes, as YAML, Swift and their kin write a string: a quote and a backslash behind a backslash, line end,
  /// tab and return as `\n`, `\t`, `\r`.
  ///
  /// - Parameter escape: How the language writes any other character that must not stand as it is; nil leaves it.
  package func doubleQuoted(_ escape: (Unicode.Scalar) -> String?) -> String {
    var result = "\""
    for scalar in unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\t": result += "\\t"
      case "\r": result += "\\r"
      default:
        if let escaped = escape(scalar) { result += escaped } else { result.unicodeScalars.append(scalar) }
      }
    }
    return result + "\""
  }
}
