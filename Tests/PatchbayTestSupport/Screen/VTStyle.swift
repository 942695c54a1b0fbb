/// A colour as the terminal was told it.
public enum VTColor: Hashable, Sendable {
  case `default`
  case palette(Int)
  case rgb(Int, Int, Int)
}

/// How a cell of the emulated terminal is drawn.
public struct VTStyle: Hashable, Sendable {
  public var foreground = VTColor.default
  public var background = VTColor.default
  public var bold = false
  public var dim = false
  public var italic = false
  public var underline = false
  public var reverse = false

  public init() {}

  /// Applies the parameters of an SGR sequence; each with its sub-parameters after colons.
  mutating func apply(_ parameters: [[Int]]) {
    var rest = parameters.isEmpty ? [[0]] : parameters
    while !rest.isEmpty {
      let parameter = rest.removeFirst()
      switch parameter[0] {
      case 0: self = VTStyle()
      case 1: bold = true
      case 2: dim = true
      case 3: italic = true
      case 4: underline = parameter.count < 2 || parameter[1] != 0
      case 7: reverse = true
      case 22: (bold, dim) = (false, false)
      case 23: italic = false
      case 24: underline = false
      case 27: reverse = false
      case 30...37: foreground = .palette(parameter[0] - 30)
      case 38: foreground = Self.extended(parameter, &rest) ?? foreground
      case 39: foreground = .default
      case 40...47: background = .palette(parameter[0] - 40)
      case 48: background = Self.extended(parameter, &rest) ?? background
      case 49: background = .default
      case 90...97: foreground = .palette(parameter[0] - 82)
      case 100...107: background = .palette(parameter[0] - 92)
      default: break
      }
    }
  }

  /// `38;5;n`, `38;2;r;g;b`, `38:5:n`, `38:2:r:g:b` and `38:2::r:g:b`.
  private static func extended(_ parameter: [Int], _ rest: inout [[Int]]) -> VTColor? {
    var numbers = Array(parameter.dropFirst())
    if numbers.isEmpty {
      let count = rest.first?.first == 5 ? 2 : 4
      numbers = rest.prefix(count).map { $0[0] }
      rest.removeFirst(min(count, rest.count))
    } else if numbers.first == 2, numbers.count >= 5 {
      numbers.remove(at: 1)
    }
    switch (numbers.first, numbers.count) {
    case (5, 2...): return .palette(numbers[1])
    case (2, 4...): return .rgb(numbers[1], numbers[2], numbers[3])
    default: return nil
    }
  }
}
