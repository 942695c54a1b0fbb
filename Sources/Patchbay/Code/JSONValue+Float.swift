import PatchbayStubs

extension JSONValue: ExpressibleByFloatLiteral {
  /// A number that is none in JSON (infinite) becomes null.
  public init(floatLiteral value: Double) { self = value.isFinite ? .number("\(value)") : .null }
}
