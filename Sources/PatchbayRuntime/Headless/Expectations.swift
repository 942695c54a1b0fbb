import PatchbayInspect
import PatchbayServer
import PatchbayWire
import Synchronization

/// `--expect` and `--forbid`: what must and must not happen until the end.
final class Expectations: Sendable {
  private let expected: [Filter]
  private let forbidden: [Filter]
  private let seen: Mutex<Seen>

  private struct Seen {
    var met: Set<Int> = []
    /// The first exchange that broke each forbidden filter, as one line.
    var broken: [Int: String] = [:]
  }

  init(expect: [String], forbid: [String]) throws {
    expected = try expect.map { try FilterArgument.parse($0, option: "--expect") }
    forbidden = try forbid.map { try FilterArgument.parse($0, option: "--forbid") }
    seen = Mutex(Seen())
  }

  func take(_ event: ServerEvent) {
    guard case .exchanges(let exchanges) = event else { return }
    for exchange in exchanges where exchange.phase == .ended {
      for (index, filter) in expected.enumerated() where filter.matches(exchange) {
        seen.withLock { _ = $0.met.insert(index) }
      }
      for (index, filter) in forbidden.enumerated() where filter.matches(exchange) {
        seen.withLock { seen in
          if seen.broken[index] == nil { seen.broken[index] = "\(exchange.request.method) \(exchange.request.url)" }
        }
      }
    }
  }

  /// A sentence for each that was not kept.
  var complaints: [String] {
    let seen = seen.withLock { $0 }
    let missing = expected.indices.filter { !seen.met.contains($0) }.map {
      "no exchange fits --expect '\(expected[$0].text)'."
    }
    let broken = forbidden.indices.compactMap { index in
      seen.broken[index].map { "\($0) fits --forbid '\(forbidden[index].text)'." }
    }
    return missing + broken
  }
}
