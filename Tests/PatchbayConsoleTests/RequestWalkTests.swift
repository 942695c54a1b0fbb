import Foundation
import PatchbayGrid
import PatchbayInspect
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayConsole

/// Walks through the list and the opened request, as `WalkTests`: runs, signs, columns, what is said at the right of the
/// filter, the pane beside the list.
@Suite(.bounded) struct RequestWalkTests {
  @Test(arguments: walks.keys.sorted())
  func walk(_ name: String) throws {
    try expectRecorded(try #require(Self.walks[name]).record(), "Walks/\(name).txt")
  }

  private static let walks: [String: Walk] = [
    "list-runs": Walk(
      Size(width: 100, height: 16),
      [
        "g j j j j pgdn G k k k k k k", .click(10, 3), .click(10, 4), .click(10, 6), .wheel(20, 6, .wheelUp),
        .wheel(20, 6, .wheelDown), "O O ctrl-d", .colours, .resize(60, 12), "g G", "z u p",
        .act("one more") { $0.add([of(40, run: 3)]) }, "p G enter", .resize(100, 30), "k k k k",
      ],
      start: { size in
        var driver = ConsoleDriver(width: size.width, height: size.height)
        let start: Int64 = 1_699_900_000_000_000
        driver.send(
          .runs(
            (1...3).map { number in
              RunRow(
                number: number, startedAt: Timestamp(microseconds: start + number * 40_000_000_000),
                process: number == 2 ? nil : HarnessProcess(name: "app", pid: Int32(number)), first: number * 10,
                count: number == 3 ? nil : 10)
            }))
        driver.add((10...34).map { of($0, run: $0 / 10) })
        return driver
      }),
    "list-signs": Walk(
      [
        .colours, "k k k k",
        .act("used up") { driver in
          driver.send(.progress(HarnessProcess(name: "demo", pid: 4121), [StubProgress(name: "time out", hits: 10)]))
        }, "h esc k h", .colours, "esc ! enter esc", "0 0", "t a enter", .colours,
      ]),
    "list-columns": Walk(
      Size(width: 120, height: 24),
      [
        "C j j space j space > > > < G space k space", .colours, "esc o 8", .resize(70, 24), .resize(120, 24),
        "C del esc",
        .drag(9, 2, 12, 2), .drag(40, 2, 70, 2), .drag(60, 2, 20, 2), .click(110, 2), .click(5, 2), .click(119, 2),
        .resize(60, 24), "C", .resize(200, 24), "G < esc",
      ]),
    "list-status": Walk(
      Size(width: 120, height: 14),
      [
        .event("work", .work(token: 1, title: "Exporting", share: 0.4)), "g m m", .resize(80, 14), .resize(60, 14),
        .resize(50, 14), .resize(40, 14), .resize(120, 14), "/", .type("status:200"), "enter p",
        .act("one comes") { $0.add([.make(2_000)]) }, "p G k O", .act("one comes") { $0.add([.make(2_001)]) },
        .resize(60, 14), "o 7 o 7 F F ' z", .resize(120, 14), .act("one comes") { $0.add([.make(2_002)]) }, "g",
        .event("ended", .workEnded(token: 1)), "u \\",
      ]),
    "list-moves": Walk(
      Size(width: 80, height: 12),
      [
        "G enter k k", .act("one comes") { $0.add([.make(50)]) }, "j j j", .act("one comes") { $0.add([.make(51)]) },
        "G", .act("one comes") { $0.add([.make(52)]) }, "esc k enter esc", .act("one comes") { $0.add([.make(53)]) },
        "G enter esc", .act("one comes") { $0.add([.make(54)]) }, "F", .act("one comes") { $0.add([.make(55)]) }, "F G",
        "enter G", .wheel(10, 4, .wheelUp), .wheel(10, 4, .wheelDown), .wheel(10, 4, .wheelDown), "p esc",
        .click(10, 4),
        .click(10, 4), "p g enter tab", .click(10, 5), "/", .type("users"), .click(10, 5), "esc d d u",
        "O enter esc O",
      ],
      start: { size in
        var driver = ConsoleDriver(width: size.width, height: size.height)
        driver.add((1...40).map { .make($0) })
        return driver
      }),
    "detail-beside": Walk(
      Size(width: 170, height: 24),
      [
        "enter", .colours, .drag(85, 10, 60, 10), .click(120, 6), .click(120, 6), .click(120, 6), .click(100, 2),
        .click(110, 2), .click(120, 2), .click(88, 2), .wheel(120, 10, .wheelDown), .wheel(120, 10, .wheelUp),
        .wheel(20, 10, .wheelUp), "tab w # L", .type("3"), "enter L", .type("x"), "enter L", .type("0"), "enter L",
        .type("1,0"), "enter b b /", .type("name"), "enter n n N N esc n", .resize(170, 40), "G g - - + = v v",
        .colours,
        .click(120, 39), "< > left left left left right", .resize(100, 20), "esc esc",
      ],
      start: { size in
        var driver = ConsoleDriver(width: size.width, height: size.height)
        let items = (1...9).map { #"{"id":\#($0),"name":"the name of number \#($0)","in":[\#($0),{"a":null}]}"# }
        driver.add((1...3).map { .make($0, body: "{\"items\":[\(items.joined(separator: ","))],\"end\":true}") })
        return driver
      }),
    "detail-comes": Walk(
      Size(width: 100, height: 24),
      [
        "enter", .event("of another", .exchange(9, .make(9))), .act("it is there") { $0.send(.exchange(2, .make(2))) },
        "tab G k", .act("a line less") { $0.send(.exchange(2, .make(2, body: "{}"))) },
        .act("another body") { $0.send(.exchange(2, .make(2, body: #"{"a":[1,2,3],"b":{"c":4}}"#))) },
        "G k k k space",
        .act("it is the same") { $0.send(.exchange(2, .make(2, body: #"{"a":[1,2,3],"b":{"c":4}}"#))) },
        .act("it has no body") { $0.send(.exchange(2, .make(2, body: nil))) },
        .act("it has gone") { $0.send(.exchange(2, nil)) }, "k", .act("it is not there") { $0.send(.exchange(1, nil)) },
        "right right", .event("retries of another", .retries(9, [])), "j",
        .event("retries", .retries(2, [Exchange.make(1).summary, Exchange.make(2).summary])),
        .act("the same comes again") {
          $0.send(.exchanges([ExchangeChange(Exchange.make(3).summary)], query: $0.query.token))
        },
        .act("another comes") {
          $0.send(.exchanges([ExchangeChange(Exchange.make(4, "PUT").summary)], query: $0.query.token))
        }, "d d d d",
      ],
      start: { size in
        var driver = ConsoleDriver(width: size.width, height: size.height)
        // What is watched is told by the walk.
        driver.send(.exchanges((1...2).map { ExchangeChange(Exchange.make($0).summary) }, query: driver.query.token))
        return driver
      }),
  ]

  private static func of(_ id: Int64, run: Int64) -> Exchange {
    var exchange = Exchange.make(id, status: id % 7 == 0 ? 500 : 200)
    exchange.run = run
    exchange.startedAt = Timestamp(microseconds: 1_699_900_000_000_000 + run * 40_000_000_000 + id * 1_000_000)
    return exchange
  }
}
