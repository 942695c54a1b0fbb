import PatchbayTestSupport
import Testing

/// Lets only a few tests of whole programs run at a time, so that each has a share of the machine.
struct Crowd: SuiteTrait, TestTrait, TestScoping {
  private static let seats = Seats(Seats.tests.count - 1)

  var isRecursive: Bool { true }

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    // One that runs alone needs none of these, and would keep it from others while it waits.
    guard testCase != nil, !test.traits.contains(where: { $0 is Alone }) else { return try await function() }
    await Self.seats.take(for: test)
    defer { Self.seats.give() }
    try await function()
  }
}

extension Trait where Self == Crowd {
  static var crowd: Self { Crowd() }
}
