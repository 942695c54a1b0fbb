@_exported import Patchbay
import Testing

/// Stubs for one test alone; see ``Testing/Trait/patchbay(stubs:strict:)``.
public struct PatchbayTrait: TestTrait, SuiteTrait, TestScoping {
  private let stubs: [Stub]
  private let isStrict: Bool

  /// Each test of a suite has a scope of its own.
  public var isRecursive: Bool { true }

  fileprivate init(_ stubs: [Stub], isStrict: Bool) {
    self.stubs = stubs
    self.isStrict = isStrict
  }

  /// Runs one test in a scope of its own, or in that of a trait around it, and closes the scope that it opened.
  ///
  /// - Parameters:
  ///   - test: The test.
  ///   - testCase: The test with its arguments.
  ///   - function: Runs it.
  /// - Throws: What the test throws.
  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    // A suite's trait comes first, and its stubs are tried first.
    if let scope = SessionScope.current {
      for stub in stubs { scope.stub(stub) }
      if isStrict { scope.isStrict = true }
      return try await function()
    }
    let scope = Patchbay.scope()
    defer { scope.close() }
    for stub in stubs { scope.stub(stub) }
    scope.isStrict = isStrict
    try await scope.run { try await function() }
  }
}

extension Trait where Self == PatchbayTrait {
  /// Gives a test, or each test of a suite, stubs of its own: every session that is made while it runs has them, and no
  /// other test sees them, so that tests may run in parallel.
  ///
  /// ```swift
  /// @Test(.patchbay(stubs: [Stub(.get("*/users/7"), respond: .json(["name": "Ann"]))]))
  /// func loadsAUser() async throws {
  ///   let user = try await APIClient().user(7)
  ///   #expect(user.name == "Ann")
  ///   try SessionScope.current?.verify(.get("*/users/7"), count: 1)
  /// }
  /// ```
  ///
  /// Sessions are recognised by the task in which they are made. `URLSession.shared` and sessions from before the test
  /// belong to nobody: give the code under test a session, or make one with `SessionScope.current?.session()`.
  ///
  /// - Parameters:
  ///   - stubs: Tried in this order; those of a suite before those of a test.
  ///   - strict: Requests that no stub takes fail, and do not get to the network.
  public static func patchbay(stubs: [Stub] = [], strict: Bool = true) -> Self {
    PatchbayTrait(stubs, isStrict: strict)
  }

  /// Gives a test stubs of its own, one after the other; see ``Testing/Trait/patchbay(stubs:strict:)``.
  ///
  /// - Parameters:
  ///   - stubs: Tried in this order.
  ///   - strict: Requests that no stub takes fail, and do not get to the network.
  public static func patchbay(stubs: Stub..., strict: Bool = true) -> Self {
    PatchbayTrait(stubs, isStrict: strict)
  }
}
