import PatchbayFiles
import PatchbayGrid

extension Style {
  /// As a theme file has it: `{ fg: "#d9e0de", bg: default, bold: true }`.
  var readable: String {
    let attributes: [(TextAttributes, ThemeFile.Attribute)] = [
      (.bold, .bold), (.dim, .dim), (.italic, .italic), (.underline, .underline), (.reverse, .reverse),
    ]
    let members =
      ["fg: \(foreground.readable)", "bg: \(background.readable)"]
      + attributes.filter { self.attributes.contains($0.0) }.map { "\($0.1.rawValue): true" }
    return "{ \(members.joined(separator: ", ")) }"
  }
}

extension Color {
  fileprivate var readable: String {
    switch kind {
    case .terminalDefault: return "default"
    case .palette(let number):
      return ThemeFile.ansiNames.indices.contains(Int(number)) ? ThemeFile.ansiNames[Int(number)] : "\(number)"
    case .rgb(let red, let green, let blue):
      let digits = [red, green, blue].map { byte in
        let text = String(byte, radix: 16)
        return text.count == 1 ? "0" + text : text
      }
      return "\"#\(digits.joined())\""
    }
  }
}
