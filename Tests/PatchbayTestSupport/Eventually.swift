import Foundation

/// What a test waited for in vain.
package struct WaitedInVain: Error, CustomStringConvertible {
  package var description: String

  package init(description: String) { self.description = description }
}

/// Waits until `condition` gives a value, and returns it. Looks every few milliseconds: for what nobody announces, such
/// as a file or the end of somebody else's process.
///
/// - Parameter state: what is told when it never comes.
package func eventually<Value>(
  _ what: String, timeout: Duration = Patience.usual, state: @autoclosure () -> String = "",
  _ condition: () throws -> Value?
) async throws -> Value {
  let deadline = ContinuousClock.now + timeout
  while true {
    if let value = try condition() { return value }
    guard ContinuousClock.now < deadline else {
      throw WaitedInVain(description: "waited in vain for \(what). \(state())")
    }
    try await Task.sleep(for: .milliseconds(5))
  }
}

/// Waits until `condition` holds.
package func eventually(
  _ what: String, timeout: Duration = Patience.usual, state: @autoclosure () -> String = "",
  _ condition: () throws -> Bool
) async throws {
  let _: Bool = try await eventually(what, timeout: timeout, state: state()) { try condition() ? true : nil }
}
