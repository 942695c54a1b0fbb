import Foundation

/// A lock that the thread sanitizer sees, which `Mutex` is not: what one thread leaves in it and another takes out is
/// then known to be in order.
public final class SeenLock<Value>: @unchecked Sendable {  // `value` is guarded by `lock`.
  private let lock = NSLock()
  private var value: Value

  public init(_ value: Value) { self.value = value }

  public func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
    try lock.withLock { try body(&value) }
  }
}
