import Foundation
import PatchbayHistory
import PatchbayInspect
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@Suite(.bounded) struct SortingTests {
  /// Exchanges that differ in everything that can be sorted by, with many that are equal.
  private static let exchanges: [Exchange] = (1...400).map { id in
    let n = Int(id) * 7919 % 400
    var exchange = Exchange.sample(
      id: Int64(id), method: ["GET", "POST", "PUT"][n % 3],
      url: ["https://b.example/z/\(n)", "http://a.example:8080", "https://日本.example/a?q=\(n % 5)"][n % 3],
      status: n % 5 == 0 ? nil : 200 + n % 4, body: Data(repeating: 65, count: n % 11),
      duration: n % 7 == 0 ? nil : Int64(n % 13) * 1_000)
    exchange.process = HarnessProcess(name: ["demo", "app"][n % 2], pid: Int32(100 + n % 3))
    exchange.startedAt = Timestamp(microseconds: 1_700_000_000_000_000 + Int64(n))
    exchange.by = [.network, .stub, .person][n % 3]
    exchange.stub = exchange.by == .stub ? ["one", "two"][n % 2] : nil
    if n % 10 == 0 { exchange.error = RecordedError(domain: "NSURLErrorDomain", code: -1_001 - n % 3, name: nil) }
    exchange.response?.headers = [HeaderField("Content-Type", ["text/html", "application/json"][n % 2])]
    return exchange
  }

  private static func key(_ order: HistoryOrder, _ summary: ExchangeSummary) -> (String, String, Int64) {
    switch order {
    case .id: ("", "", summary.id)
    case .started: ("", "", summary.startedAt.microseconds)
    case .process: (summary.process.name, "", Int64(summary.process.pid))
    case .method: (summary.method, "", 0)
    case .status: ("", "", Int64(summary.status ?? 1_000 + abs(summary.error?.code ?? 0)))
    case .host: (summary.host, "", 0)
    case .path: (summary.path, "", 0)
    case .type: (summary.responseType ?? "", "", 0)
    case .size: ("", "", summary.size)
    case .duration: ("", "", summary.duration ?? .max)
    case .answerer: (summary.by.rawValue, summary.stub ?? "", 0)
    }
  }

  @Test(arguments: HistoryOrder.allCases, [false, true])
  func agreesWithSortingTheRows(order: HistoryOrder, descending: Bool) async throws {
    let store = try HistoryStore.open(.memory)
    store.record(Self.exchanges)
    try await store.flush()
    let expected = Self.exchanges.map(\.summary).sorted {
      let (left, right) = (Self.key(order, $0), Self.key(order, $1))
      return left == right ? $0.id < $1.id : (left < right) != descending
    }
    let found = try await store.ids(.everything, sortedBy: order, descending: descending)
    #expect(found == expected.map(\.id))
    await store.close()
  }

  @Test func onlyWhatFitsAndIsSeen() async throws {
    let store = try HistoryStore.open(.memory)
    store.record(Self.exchanges)
    _ = try await store.apply(.delete([201, 203]))
    try await store.flush()
    let filter = try Filter(parsing: "method:POST")
    let found = try await store.ids(filter, above: 200, sortedBy: .size)
    let fitting = Self.exchanges.filter { $0.id > 200 && ![201, 203].contains($0.id) && $0.request.method == "POST" }
    #expect(Set(found) == Set(fitting.map(\.id)) && found.count == fitting.count)
    let named = try await store.ids(try Filter(parsing: "header:x | path:/"), sortedBy: .host)
    #expect(named.count == Self.exchanges.count - 2)
    await store.close()
  }
}

/// Values at the ends of what a column holds.
@Suite(.bounded) struct SortingBoundTests {
  private func sorted(
    _ order: HistoryOrder, descending: Bool = false, _ exchanges: [Exchange]
  ) async throws -> [Int64] {
    let store = try HistoryStore.open(.memory)
    store.record(exchanges)
    try await store.flush()
    let ids = try await store.ids(.everything, sortedBy: order, descending: descending)
    await store.close()
    return ids
  }

  private func exchanges<Value>(_ values: [Value], _ set: (inout Exchange, Value) -> Void) -> [Exchange] {
    values.enumerated().map { place, value in
      var exchange = Exchange.sample(id: Int64(place + 1))
      set(&exchange, value)
      return exchange
    }
  }

  @Test func byStatusThenThoseThatWaitThenByTheErrorsCode() async throws {
    let all = exchanges([nil, 500, 7, -1_001, 200, .min, .max, nil, 0, 999, -7] as [Int?]) { exchange, value in
      switch value {
      case nil: (exchange.response, exchange.outcome, exchange.phase) = (nil, nil, .waiting)
      case 200, 500, 999: exchange.response?.status = value ?? 0
      default:
        (exchange.response, exchange.outcome) = (nil, .failed)
        exchange.error = RecordedError(domain: "x", code: value ?? 0)
      }
    }
    #expect(try await sorted(.status, all) == [5, 2, 10, 1, 8, 9, 3, 11, 4, 6, 7])
    #expect(try await sorted(.status, descending: true, all) == [6, 7, 4, 3, 11, 1, 8, 9, 10, 2, 5])
  }

  @Test func byNameThenByNumberOfTheProcess() async throws {
    let processes: [(String, Int32)] = [
      ("b", 1), ("a", .max), ("a", 2), ("ä", 0), ("A", 9), ("a", 0), ("b", 1), ("", 3),
    ]
    let all = exchanges(processes) { $0.process = HarnessProcess(name: $1.0, pid: $1.1) }
    #expect(try await sorted(.process, all) == [8, 5, 6, 3, 2, 1, 7, 4])
  }

  @Test func byWhoAnsweredThenByTheStubsName() async throws {
    let answers: [(Exchange.Answerer, String?)] = [
      (.stub, "b"), (.stub, "a"), (.network, nil), (.person, nil), (.network, "z"), (.stub, nil), (.cache, nil),
    ]
    let all = exchanges(answers) { ($0.by, $0.stub) = $1 }
    let expected = answers.indices.sorted {
      let (left, right) = (answers[$0], answers[$1])
      return (left.0.rawValue, left.1 ?? "", $0) < (right.0.rawValue, right.1 ?? "", $1)
    }
    #expect(try await sorted(.answerer, all) == expected.map { Int64($0 + 1) })
  }

  @Test func pathsByteByByte() async throws {
    let paths = ["/b", "/a?x", "/a", "", "/A", "/a/b", "/ä", "/a%20", "/aa", "/a?"]
    let all = exchanges(paths) { $0.request.url = "https://h.example" + $1 }
    let expected = paths.indices.sorted {
      let (left, right) = (all[$0].summary.path, all[$1].summary.path)
      return left.utf8.lexicographicallyPrecedes(right.utf8) || left == right && $0 < $1
    }
    #expect(try await sorted(.path, all) == expected.map { Int64($0 + 1) })
  }

  @Test func durationsAndSizesUpToTheirEnds() async throws {
    let durations: [Int64?] = [5, nil, 0, .max, 1, nil, 5]
    let timed = exchanges(durations) { $0.timing.end = $1 }
    #expect(try await sorted(.duration, timed).prefix(4) == [3, 5, 1, 7])
    #expect(Set(try await sorted(.duration, timed).suffix(3)) == [2, 4, 6])
    let sized = exchanges([3, 0, .max, 1, 3] as [Int64]) {
      $0.response?.body = nil
      $0.bytesReceived = $1
    }
    #expect(try await sorted(.size, sized) == [2, 4, 1, 5, 3])
    #expect(try await sorted(.size, descending: true, sized) == [3, 1, 5, 4, 2])
  }

  /// What stands behind the authority; no more than so many bytes of it.
  @Test func pathsOfAnyURL() async throws {
    let long = String(repeating: "p", count: 1_023)
    let urls = [
      "http://z/\(long)b", "http://a/\(long)a", "http://h/\(long)", "http://h?b", "http://h#a", "/m", "//h/c", "",
      "x:/d",
      "http://u@h/e?x=/a", "h://", "no",
    ]
    let places = [
      "/\(long)", "/\(long)", "/\(long)", "?b", "#a", "/m", "//h/c", "", "/d", "/e?x=/a", "", "",
    ]
    let all = exchanges(urls) { $0.request.url = $1 }
    let expected = urls.indices.sorted {
      places[$0] == places[$1] ? $0 < $1 : places[$0].utf8.lexicographicallyPrecedes(places[$1].utf8)
    }
    #expect(try await sorted(.path, all) == expected.map { Int64($0 + 1) })
    let turned = urls.indices.sorted {
      places[$0] == places[$1] ? $0 < $1 : places[$1].utf8.lexicographicallyPrecedes(places[$0].utf8)
    }
    #expect(try await sorted(.path, descending: true, all) == turned.map { Int64($0 + 1) })
  }

  /// The last byte that counts is the 1,024th.
  @Test func longPathsAreToldApartByTheirBeginnings() async throws {
    let stem = "/" + String(repeating: "p", count: 1_022)
    let all = exchanges([stem + "b", stem + "az", stem + "ab", stem, stem + "a"]) { $0.request.url = "http://h" + $1 }
    #expect(try await sorted(.path, all) == [4, 2, 3, 5, 1])
    #expect(try await sorted(.path, descending: true, all) == [1, 2, 3, 5, 4])
  }

  /// So many that they are read in several parts.
  @Test(arguments: [HistoryOrder.path, .host, .size]) func manyAreSortedTogether(_ order: HistoryOrder) async throws {
    let numbers = (0..<3_500).map { $0 * 7_919 % 3_500 }
    let all = exchanges(numbers) { exchange, number in
      exchange.request.url = "http://h\(number % 40).example/\(number % 900)"
      exchange.bytesReceived = Int64(1_000 + number % 50)
    }
    let keys = numbers.map { number in
      switch order {
      case .path: "/\(number % 900)"
      case .host: "h\(number % 40).example"
      default: "\(1_000 + number % 50)"
      }
    }
    let expected = numbers.indices.sorted { keys[$0] == keys[$1] ? $0 < $1 : keys[$0] < keys[$1] }
    #expect(try await sorted(order, all) == expected.map { Int64($0 + 1) })
  }
}
