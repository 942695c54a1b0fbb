/// How many colours a terminal has.
public enum ColorDepth: Int, Comparable, Sendable, CaseIterable {
  case none = 0
  case ansi8 = 8
  case ansi16 = 16
  case palette256 = 256
  case trueColor = 0x100_0000

  public static func < (left: ColorDepth, right: ColorDepth) -> Bool { left.rawValue < right.rawValue }
}
