/// A key of the keyboard with its modifiers.
///
/// It has a name (`ctrl-r`, `space`, `J`, `alt-x`, `f1`, `shift-tab`, `pgdn`), for bindings are data in a file:
/// `Key(parsing:)` reads it and `description` writes it.
public struct Key: Hashable, Sendable {
  public enum Code: Hashable, Sendable {
    /// What the key typed; capitals are characters of their own, without `.shift`.
    case character(Character)
    case enter, escape, tab, backspace, delete, insert
    case up, down, left, right, home, end, pageUp, pageDown
    /// F1 to F35.
    case function(Int)
  }

  public var code: Code
  public var modifiers: KeyModifiers

  public init(_ code: Code, _ modifiers: KeyModifiers = []) {
    self.code = code
    self.modifiers = modifiers
    normalize()
  }

  public init(_ character: Character, _ modifiers: KeyModifiers = []) {
    self.init(.character(character), modifiers)
  }

  public static let enter = Key(.enter)
  public static let escape = Key(.escape)
  public static let tab = Key(.tab)
  public static let backspace = Key(.backspace)
  public static let space = Key(" ")
  public static let up = Key(.up)
  public static let down = Key(.down)
  public static let left = Key(.left)
  public static let right = Key(.right)
  public static func control(_ character: Character) -> Key { Key(character, .control) }
  public static func alt(_ character: Character) -> Key { Key(character, .alt) }

  /// The text that the key types in a field: nil for keys with ctrl, alt or super, and for keys without a character.
  public var typed: Character? {
    guard case .character(let character) = code, modifiers.isDisjoint(with: [.control, .alt, .super]) else {
      return nil
    }
    return character
  }

  /// Terminals cannot tell ctrl-R from ctrl-r; shift with a letter is its capital.
  private mutating func normalize() {
    guard case .character(let character) = code else { return }
    if modifiers.contains(.shift), !modifiers.contains(.control), character.isCased {
      let upper = character.uppercased()
      if upper.count == 1, let capital = upper.first {
        code = .character(capital)
        modifiers.remove(.shift)
      }
    } else if modifiers.contains(.control), character.isASCII {
      code = .character(Character(character.lowercased()))
    }
  }
}
