import Foundation
import PatchbayXCTest
import XCTest

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What a user of the base class writes.
final class TestCaseTests: PatchbayTestCase {
  override func setUp() {
    super.setUp()
    scope.stub(.get("*/set-up"), respond: .text("set up"))
  }

  private func text(_ path: String) async throws -> String {
    let session = URLSession(configuration: .ephemeral)
    return String(decoding: try await session.data(from: URL(string: "http://case.invalid\(path)")!).0, as: UTF8.self)
  }

  func testStubsAreThoseOfTheTest() async throws {
    scope.stub(.get("*/own"), respond: .text("own"))
    let setUp = try await text("/set-up")
    let own = try await text("/own")
    XCTAssertEqual([setUp, own], ["set up", "own"])
    try scope.verify(.get("*"), count: 2)
  }

  func testWhatNoStubTakesFails() async throws {
    do {
      _ = try await text("/own")
      XCTFail("the stub of another test is there")
    } catch is PatchbayError {}
    XCTAssertEqual(scope.exchanges.count, 1)
  }
}
