@_exported import Patchbay
import XCTest

/// A test case of XCTest of which each test has stubs of its own: every session that is made while it runs has them, and
/// no other test sees them.
///
/// ```swift
/// final class UserTests: PatchbayTestCase {
///   func testLoadsAUser() async throws {
///     scope.stub(.get("*/users/7"), respond: .json(["name": "Ann"]))
///     let user = try await APIClient().user(7)
///     XCTAssertEqual(user.name, "Ann")
///     try scope.verify(.get("*/users/7"), count: 1)
///   }
/// }
/// ```
///
/// `URLSession.shared` and sessions from before the test belong to nobody: give the code under test a session, or make one
/// with `scope.session()`.
open class PatchbayTestCase: XCTestCase {
  private var opened: SessionScope?

  /// The stubs of this test. Requests that none of them takes fail, unless `scope.isStrict` is set to false.
  public var scope: SessionScope {
    if let opened { return opened }
    let scope = Patchbay.scope()
    scope.isStrict = true
    opened = scope
    return scope
  }

  /// Runs the test, with what is set up and torn down for it, in its scope.
  open override func invokeTest() {
    let scope = scope
    scope.run { super.invokeTest() }
    scope.close()
    opened = nil
  }
}
