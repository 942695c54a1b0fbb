import Foundation
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayHistory

/// What only an exchange's detail shows, packed into one row.
@Suite(.bounded) struct DetailBlobTests {
  private static let redirected: Exchange = {
    var exchange = StoreTests.everything
    exchange.redirects = [
      RedirectHop(status: 301, url: "http://a/1", headers: [], at: 0),
      RedirectHop(status: 302, url: "http://a/2", headers: [HeaderField("L", "/3")], target: "/3"),
      RedirectHop(status: -7, url: "", headers: [HeaderField("", "")], at: 1 << 40, target: "http://b/"),
    ]
    return exchange
  }()

  private static let samples: [Exchange] = {
    var bare = Exchange.sample(id: 1)
    bare.request.headers = []
    bare.response?.headers = []
    var failed = Exchange.sample(id: 2, status: nil)
    failed.error = RecordedError(domain: "d", code: 1, message: "no")
    var rewritten = Exchange.sample(id: 3)
    rewritten.sent = RecordedRequest(method: "PUT", url: "http://b/", headers: [HeaderField("A", "b")])
    var many = rewritten
    many.revision = .max
    many.task = Exchange.TaskKind.allCases.last ?? .unknown
    many.sent?.body = Data(repeating: 9, count: 300)
    var aimed = Exchange.sample(id: 4)
    aimed.redirects = [RedirectHop(status: 307, url: "/x", target: "/y")]
    return [bare, failed, rewritten, many, aimed, redirected, StoreTests.everything]
  }()

  private static func encoded(_ exchange: Exchange) -> [UInt8] {
    var bytes: [UInt8] = [7, 7]
    DetailBlob.encode(exchange, into: &bytes)
    return bytes
  }

  /// The exchange without what the detail knows; nil where it is refused.
  private static func decoded(_ bytes: [UInt8], of exchange: Exchange) -> Exchange? {
    var found = exchange
    found.request.headers = [HeaderField("wrong", "")]
    found.response?.headers = [HeaderField("wrong", "")]
    found.redirects = [RedirectHop(status: 1, url: "wrong")]
    found.error?.message = nil
    found.revision = 99
    found.task = .unknown
    found.sent = nil
    return DetailBlob.decode(Data(bytes), into: &found) ? found : nil
  }

  @Test(arguments: samples) func whatIsPackedComesBack(_ exchange: Exchange) {
    #expect(Self.decoded(Self.encoded(exchange), of: exchange) == exchange)
  }

  @Test func theBytesAreThoseOfTheFormat() {
    var exchange = Exchange.sample(id: 1)
    exchange.request.headers = [HeaderField("Ab", "c")]
    exchange.response?.headers = []
    exchange.redirects = [RedirectHop(status: 302, url: "/x", headers: [], at: 5, target: "y")]
    exchange.error = RecordedError(domain: "d", code: 1, message: "no")
    exchange.revision = 200
    exchange.task = Exchange.TaskKind.allCases[1]
    exchange.sent = RecordedRequest(method: "G", url: "u", headers: [], body: Data([8, 9]), truncated: true)
    let requestFields: [UInt8] = [1, 2, 5] + Array("Ab: c".utf8)
    let hop: [UInt8] = [0xAE, 2, 2] + Array("/x".utf8) + [0]
    let message: [UInt8] = [1, 2] + Array("no".utf8)
    let sent: [UInt8] = [1, 71, 1, 117, 0, 3, 2, 8, 9]
    #expect(
      Self.encoded(exchange)
        == [1] + requestFields + [0] + [1] + hop + message + [0xC8, 1, 1] + [5] + sent + [1] + Array("y".utf8))
    exchange.redirects[0].at = nil
    exchange.redirects[0].target = nil
    exchange.sent = nil
    let never: [UInt8] = [UInt8](repeating: 0xFF, count: 9) + [1]
    #expect(
      Self.encoded(exchange) == [1] + requestFields + [0] + [1] + hop + message + [0xC8, 1, 1] + never)
  }

  /// Every truncation is an error, or what was written before the fields at the end were thought of.
  @Test(arguments: samples) func whatIsCutOffIsRefusedOrLacksItsEnd(_ exchange: Exchange) throws {
    let bytes = Self.encoded(exchange)
    for length in 0..<bytes.count {
      guard let found = Self.decoded(Array(bytes[..<length]), of: exchange) else { continue }
      var expected = exchange
      expected.sent = found.sent
      #expect(found.sent == nil || found.sent == exchange.sent)
      #expect(found.redirects.count == exchange.redirects.count)
      for (place, hop) in found.redirects.enumerated() {
        #expect(hop.at == nil || hop.at == exchange.redirects[place].at)
        #expect(hop.target == nil || hop.target == exchange.redirects[place].target)
        (expected.redirects[place].at, expected.redirects[place].target) = (hop.at, hop.target)
      }
      #expect(found == expected, "\(length) of \(bytes.count) bytes")
    }
    #expect(Self.decoded([], of: exchange) == nil && Self.decoded([1], of: exchange) == nil)
    #expect(Self.decoded([2] + bytes.dropFirst(), of: exchange) == nil, "another version")
  }

  /// Never a crash: an error or a value, whose numbers are within their limits.
  @Test(arguments: samples) func damageIsRefusedOrReadAsAValue(_ exchange: Exchange) {
    let bytes = Self.encoded(exchange)
    var pieces: [[UInt8]] = [0, 1, 0x7F, 0x80, 0xFF].map { [$0] }
    pieces += [-1, .min, .max, 1 << 20, 1 << 40].map(Self.number)
    for place in bytes.indices {
      for piece in pieces + [[bytes[place] ^ 1], [bytes[place] &+ 1], []] {
        let damaged = bytes[..<place] + piece + bytes[(place + 1)...]
        let found = Self.decoded(Array(damaged), of: exchange)
        for hop in found?.redirects ?? [] {
          #expect((hop.at ?? 0) >= 0 && (hop.at ?? 0) <= 1 << 53 && abs(hop.status) <= 1 << 53)
        }
        Array(damaged).withUnsafeBufferPointer { _ = DetailBlob.anyHeader(in: $0) { $0.count < 0 } }
      }
    }
  }

  /// No headers, and then so many redirects; or so many headers.
  @Test(arguments: [-1, .min, .max, -2, 1 << 32, 9] as [Int]) func countsThatCannotBeAreRefused(_ count: Int) {
    let exchange = Exchange.sample(id: 1)
    let rest: [UInt8] = [0, 0, 0]
    #expect(Self.decoded([1, 0, 0] + Self.number(count) + rest, of: exchange) == nil)
    #expect(Self.decoded([1, 0] + Self.number(count) + rest, of: exchange) == nil)
    #expect(Self.decoded([1] + Self.number(count) + rest, of: exchange) == nil)
    #expect(Self.decoded([1, 0, 0] + Self.number(0) + rest, of: exchange) != nil)
    // A name of that length in a line of 2 bytes.
    #expect(Self.decoded([1, 1] + Self.number(count) + [2, 58, 32, 0, 0, 0, 0, 0], of: exchange) == nil)
    #expect(Self.decoded([1, 1, 0, 2, 58, 32, 0, 0, 0, 0, 0], of: exchange) != nil)
    #expect(Self.decoded([1, 1, 1, 2, 58, 32, 0, 0, 0, 0, 0], of: exchange) == nil)
  }

  @Test func aNumberIsReadUpTo64BitsAndNotBeyond() {
    let exchange = Exchange.sample(id: 1)
    func revision(_ number: [UInt8]) -> UInt64? {
      Self.decoded([1, 0, 0, 0, 0] + number + [0], of: exchange)?.revision
    }
    #expect(revision([UInt8](repeating: 0xFF, count: 9) + [1]) == .max)
    #expect(revision([UInt8](repeating: 0x80, count: 9) + [1]) == 1 << 63)
    #expect(revision([0x80, 0x80, 1]) == 1 << 14 && revision([0x7F]) == 127)
    #expect(revision([UInt8](repeating: 0x80, count: 10) + [1]) == nil)
  }

  @Test func kindsOfTasksThatAreNotKnownAreUnknown() {
    let exchange = Exchange.sample(id: 1)
    func task(_ number: Int) -> Exchange.TaskKind? {
      Self.decoded([1, 0, 0, 0, 0, 0] + Self.number(number), of: exchange)?.task
    }
    for (place, kind) in Exchange.TaskKind.allCases.enumerated() { #expect(task(place) == kind) }
    #expect(task(Exchange.TaskKind.allCases.count) == .unknown && task(-1) == .unknown && task(.max) == .unknown)
  }

  @Test func headersOfBothSidesAreSearchedAndNoOthers() {
    func lines(_ bytes: [UInt8], until stop: String? = nil) -> (found: [String], holds: Bool) {
      var found: [String] = []
      let holds = bytes.withUnsafeBufferPointer {
        DetailBlob.anyHeader(in: $0) {
          found.append(String(decoding: $0, as: UTF8.self))
          return found.last == stop
        }
      }
      return (found, holds)
    }
    let bytes = Self.encoded(StoreTests.everything)
    let all = [
      "Accept: */*", "X-Id: 7", ": ", "X-Ünï: ただいま: \u{0}", "Content-Type: application/json", "Set-Cookie: a=1",
    ]
    #expect(lines(bytes) == (all, false))
    #expect(lines(bytes, until: all[4]) == (Array(all[...4]), true))
    #expect(lines([2] + bytes.dropFirst()) == ([], false) && lines([]) == ([], false) && lines([1]) == ([], false))
    #expect(lines([1] + Self.number(-1) + [1, 0, 2, 58, 32]) == ([": "], false), "as if the request had none")
    #expect(lines([1, 2, 0, 2, 58, 32]) == ([": "], false))
  }

  private static func number(_ number: Int) -> [UInt8] {
    var rest = UInt64(bitPattern: Int64(number))
    var bytes: [UInt8] = []
    while rest >= 0x80 {
      bytes.append(UInt8(rest & 0x7F) | 0x80)
      rest >>= 7
    }
    return bytes + [UInt8(rest)]
  }
}
