import Foundation
import PatchbayInspect
import PatchbayTestSupport
import Testing

@testable import PatchbayConsole
@testable import PatchbayWire

/// Any program may link and tell any number: none may end the console, nor be recorded so that a later start ends.
@Suite(.bounded) struct LyingNumbersTests {
  /// The fields of a message, written by hand: the writer of the hook tells no lies.
  private indirect enum Field {
    case number(UInt64, UInt64)
    case text(UInt64, String)
    case record(UInt64, [Field])

    var bytes: [UInt8] {
      switch self {
      case .number(let tag, let value): Self.framed(tag, Self.varint(value))
      case .text(let tag, let text): Self.framed(tag, Array(text.utf8))
      case .record(let tag, let fields): Self.framed(tag, fields.flatMap(\.bytes))
      }
    }

    private static func framed(_ tag: UInt64, _ value: [UInt8]) -> [UInt8] {
      varint(tag) + varint(UInt64(value.count)) + value
    }

    private static func varint(_ value: UInt64) -> [UInt8] {
      var (rest, bytes) = (value, [UInt8]())
      while rest >= 0x80 {
        bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
        rest >>= 7
      }
      return bytes + [UInt8(rest)]
    }

    /// These fields once for each number in them, with that number replaced.
    static func lies(_ fields: [Field], _ lie: UInt64) -> [[Field]] {
      fields.indices.flatMap { place -> [[Field]] in
        let changed: [Field] =
          switch fields[place] {
          case .number(let tag, _): [.number(tag, lie)]
          case .text: []
          case .record(let tag, let inner): lies(inner, lie).map { .record(tag, $0) }
          }
        return changed.map { Array(fields[..<place]) + [$0] + Array(fields[(place + 1)...]) }
      }
    }
  }

  /// As they stand in the bytes: each value as a number, and as a signed one.
  private static let values: [UInt64] = {
    let signed: [Int64] = [
      0, 1, -1, 1 << 31, (1 << 32) - 1, 1 << 53, 1 << 62, .min, .min + 1, .max, -(1 << 53), 1_700_000_000_000_000,
    ]
    let plain = signed.map { UInt64(bitPattern: $0) } + [.max]
    return Array(Set(plain + signed.map { UInt64(bitPattern: ($0 << 1) ^ ($0 >> 63)) })).sorted()
  }()

  private static func zigzag(_ value: Int64) -> UInt64 { UInt64(bitPattern: (value << 1) ^ (value >> 63)) }

  private static let start = zigzag(1_700_000_000_000_000)

  /// One with everything, one that is open, one that is held.
  private static let exchanges: [[Field]] = {
    let request: [Field] = [.text(1, "GET"), .text(2, "http://a.example/x"), .number(5, 0)]
    let begin: [Field] = [
      .number(1, 1),
      .record(2, [.number(1, start), .record(2, request), .number(3, 1), .number(4, 7), .number(5, 9)]),
      .record(3, [.number(1, 1), .text(2, "a stub"), .record(3, request)]),
      .record(4, [.number(1, zigzag(302)), .text(2, "http://a.example/"), .number(4, zigzag(400))]),
    ]
    let head: [Field] = [.record(6, [.number(1, zigzag(500)), .number(2, zigzag(200))]), .text(7, "body")]
    let error: [Field] = [.text(1, "NSURLErrorDomain"), .number(2, zigzag(-1001)), .text(3, "timedOut")]
    func end(_ outcome: UInt64, _ error: [Field]) -> Field {
      .record(
        8,
        [.number(1, zigzag(900)), .number(2, outcome)] + error
          + (4...6).map { .number($0, zigzag(5)) } + (7...9).map { .number($0, 1) })
    }
    return [
      begin + head + [end(1, [])], begin + [end(2, [.record(3, error)])], begin + [.number(5, 1)],
      begin + head + [.number(5, 2)], begin + head,
    ]
  }()

  private static let others: [(kind: UInt16, fields: [Field])] = [
    (
      MessageKind.hello,
      [
        .number(1, UInt64(Wire.version)), .text(2, "demo"), .number(3, 8), .text(4, "/demo"), .number(5, 2),
        .number(6, 2), .number(7, 5), .number(8, start),
      ]
    ),
    (MessageKind.applied, [.number(1, 3)]),
    (MessageKind.progress, [.record(1, [.text(1, "flaky search"), .number(2, 3), .number(3, 1)])]),
    (MessageKind.shed, [.number(1, 1), .number(2, 2), .number(3, 3)]),
  ]

  /// nil where the message breaks the link.
  private static func message(_ kind: UInt16, _ fields: [Field]) -> HookMessage? {
    fields.flatMap(\.bytes).withUnsafeBytes { bytes in
      do { return try HookMessage.read(kind: kind, payload: bytes) } catch { return nil }
    }
  }

  /// What was told, and the same when its process has gone.
  private static func exchanges(_ message: HookMessage, id: Int64) -> [Exchange] {
    guard case .exchange(let update) = message, let start = update.start else { return [] }
    var builder = ExchangeBuilder(id: id, process: HarnessProcess(name: "demo", pid: 4), start: start)
    builder.apply(update)
    builder.updateBody()
    let told = builder.exchange
    builder.exchange.id += 1
    builder.abandon(now: Timestamp(microseconds: 1_700_000_001_000_000))
    return told.phase == .ended ? [told] : [told, builder.exchange]
  }

  @Test(arguments: 0..<5) func noNumberOfAnExchangeEndsTheConsole(_ shape: Int) throws {
    var all: [Exchange] = []
    for value in Self.values {
      for fields in Field.lies(Self.exchanges[shape], value) {
        guard let message = Self.message(MessageKind.exchange, fields) else { continue }
        all += Self.exchanges(message, id: Int64(all.count) + 1)
      }
    }
    #expect(all.count > 300)
    var table = TrafficTable(span: .init(from: Timestamp(microseconds: 0), to: .now, parts: 8))
    for exchange in all {
      let summary = exchange.summary
      let moment = Moment.rfc3339(exchange.startedAt)
      #expect(moment.utf8.count == 24 && moment.hasSuffix("Z"), "\(moment)")
      for number in [summary.size, summary.bytesSent, summary.held, summary.duration ?? 0, summary.head ?? 0] {
        #expect((0...1 << 53).contains(number))
      }
      _ = OneLine.text(summary, utcOffset: -43_200)
      let line = JSONLines.line(exchange)
      _ = try JSONLines.exchange(Data(line.utf8))
      table.add(summary)
      _ = DetailPages.timing(of: exchange, Sample.driver(80, 24).state.context)
    }
    _ = DetailPages.retries(all.map(\.summary), of: 1, 0)
    #expect(!HARWriter.text(all).isEmpty)
    let report = TrafficReport(endpoints: table.endpoints, hosts: table.hosts)
    for (width, height) in [(80, 24), (200, 60)] {
      // As many at once as a screen has rows, so that each is drawn in the list.
      for first in stride(from: 0, to: all.count, by: height - 8) {
        var driver = ConsoleDriver(width: width, height: height)
        driver.add(Array(all[first..<min(all.count, first + height - 8)]))
        driver.send(.tick)
        #expect(driver.shows("GET"))
        driver.press("enter right right")
        _ = driver.screen
        driver.press("esc 3")
        driver.send(.traffic(token: driver.state.traffic.awaited ?? 0, report))
        _ = driver.screen
      }
    }
  }

  @Test func noNumberOfAnotherMessageEndsTheConsole() {
    let process = HarnessProcess(name: "demo", pid: 4)
    var driver = Sample.driver(200, 60)
    var count = 0
    for (kind, fields) in Self.others {
      for value in Self.values {
        for lie in Field.lies(fields, value) {
          guard let message = Self.message(kind, lie) else { continue }
          count += 1
          var row = LinkRow(
            instance: 1, process: process, executable: "/demo", entry: .attach, since: driver.now, revision: 4,
            exchanges: 1)
          switch message {
          case .hello(let hello):
            (row.since, row.process, row.instance) = (hello.startedAt, hello.process, hello.instance)
          case .applied(let revision): row.revision = revision
          case .progress(let progress):
            for pid: Int32 in 1...3 { driver.send(.progress(HarnessProcess(name: "demo", pid: pid), progress)) }
          case .shed(let shed): row.shed = shed
          default: Issue.record("\(message)")
          }
          driver.send(.links([row]))
          for tab in ["2", "4"] {
            driver.press(tab)
            _ = driver.screen
          }
        }
      }
    }
    #expect(count > 150)
  }
}
