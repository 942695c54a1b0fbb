import Foundation
import PatchbayTestSupport

/// A running harness that makes one request after the other, as a test wants them.
final class Asker: Sendable {
  let process: ChildProcess

  init(_ process: ChildProcess) { self.process = process }

  var pid: pid_t { process.pid }

  /// Asks and returns the answer: `STATUS BODY` or `error CODE DOMAIN`.
  @discardableResult
  func ask(_ url: URL, _ method: String = "GET", body: String? = nil) async throws -> String {
    let before = process.lines.count
    begin(url, method, body: body)
    return try await process.waitFor(lines: before + 1)[before]
  }

  /// Asks and does not wait for the answer.
  func begin(_ url: URL, _ method: String = "GET", body: String? = nil) {
    process.send("\(method) \(url.absoluteString)" + (body.map { " \($0)" } ?? ""))
  }

  /// Lets it end by itself.
  func leave() async throws -> Int32 {
    process.endInput()
    return try await process.end()
  }
}
