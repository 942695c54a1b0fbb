import Foundation
import PatchbayInspect
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayRuntime
@testable import PatchbayServer

/// The readable lines of a console without a screen.
@Suite(.bounded) struct LinePrinterTests {
  private func process(_ pid: Int32) -> HarnessProcess { HarnessProcess(name: "demo", pid: pid) }

  private func exchange(
    _ url: String = "http://a.example/x", pid: Int32 = 7, _ change: (inout Exchange) -> Void = { _ in }
  ) -> Exchange {
    var exchange = Exchange(
      id: 1, process: process(pid), startedAt: Timestamp(microseconds: 1_700_000_000_000_000),
      request: RecordedRequest(method: "GET", url: url))
    exchange.phase = .ended
    exchange.outcome = .responded
    exchange.response = RecordedResponse(status: 200)
    change(&exchange)
    return exchange
  }

  private func link(_ pid: Int32, shed: Shed = Shed(), cut: Shed = Shed()) -> LinkInfo {
    let hello = Hello(
      process: process(pid), executable: "/bin/demo", parent: 1, entry: .attach, instance: UInt64(pid),
      startedAt: Timestamp(microseconds: 1))
    var info = LinkInfo(
      id: LinkID(UInt64(pid)), hello: hello, at: Timestamp(microseconds: 2), settings: HookSettings())
    (info.shed, info.cut) = (shed, cut)
    return info
  }

  private func printer(_ filter: String? = nil, color: Bool = false, secrets: Bool = false) throws -> LinePrinter {
    LinePrinter(filter: try FilterArgument.parse(filter), usesColor: color, withSecrets: secrets)
  }

  /// Each line without its time of day.
  private func lines(_ printer: LinePrinter, _ exchanges: [Exchange]) -> [String] {
    let text = printer.text(.exchanges(exchanges))
    #expect(text.isEmpty || text.hasSuffix("\n"))
    return text.split(separator: "\n").map { String($0.dropFirst(14)) }
  }

  @Test func aLineBeginsWithTheTimeOfDayWhereThePersonIs() throws {
    let exchange = exchange()
    let offset = TimeZone.current.secondsFromGMT(for: Date(timeIntervalSince1970: 1_700_000_000))
    let time = Moment.timeOfDay(exchange.startedAt, utcOffset: offset)
    #expect(
      try printer().text(.exchanges([exchange])) == "\(time)  GET     200  http://a.example/x  0 B  —  network\n")
  }

  @Test func onlyWhatHasEndedAndFitsIsPrinted() throws {
    let exchanges =
      Exchange.Phase.allCases.map { phase in exchange("http://a.example/\(phase)") { $0.phase = phase } }
      + [exchange("http://b.example/")]
    let all = [
      "GET     200  http://a.example/ended  0 B  —  network", "GET     200  http://b.example/  0 B  —  network",
    ]
    #expect(try lines(printer(), exchanges) == all)
    #expect(try lines(printer("host:b"), exchanges) == [all[1]])
    #expect(try printer("host:c").text(.exchanges(exchanges)).isEmpty)
  }

  @Test func theProcessStandsBehindAsSoonAsThereAreTwo() throws {
    let printer = try printer()
    let alone = "GET     200  http://a.example/x  0 B  —  network"
    #expect(printer.text(.linked(link(7))) == "")
    #expect(lines(printer, [exchange()]) == [alone])
    #expect(printer.text(.linked(link(7))) == "")
    #expect(lines(printer, [exchange()]) == [alone], "the same one again")
    #expect(printer.text(.linked(link(8))) == "")
    #expect(lines(printer, [exchange(), exchange(pid: 8)]) == [alone + "  demo 7", alone + "  demo 8"])
  }

  @Test func whatWentOnBeforeItsStubsIsSaid() throws {
    let early = exchange { $0.revision = Exchange.revisionBeforeStubs }
    #expect(
      try lines(printer(), [early])
        == ["GET     200  http://a.example/x  0 B  —  network (its stubs were not there yet)"])
  }

  @Test func secretsAreMaskedUnlessTheyAreWanted() throws {
    let exchange = exchange("http://a.example/?token=s3cret")
    #expect(try lines(printer(), [exchange])[0].contains("?token=***  "))
    #expect(try lines(printer(secrets: true), [exchange])[0].contains("?token=s3cret  "))
  }

  @Test func textOfTheNetworkDoesNothingToTheTerminal() throws {
    let line = try printer().text(.exchanges([exchange("http://a.example/\u{1B}[2J\n\u{9B}")]))
    #expect(line.split(separator: "\n", omittingEmptySubsequences: false).count == 2)
    #expect(!line.contains("\u{1B}") && !line.contains("\u{9B}"))
  }

  @Test(
    arguments: [
      (200, .responded, .network, "0"), (399, .responded, .network, "0"), (400, .responded, .network, "33"),
      (499, .responded, .network, "33"), (500, .responded, .network, "31"), (599, .responded, .network, "31"),
      (200, .responded, .stub, "36"), (399, .responded, .cache, "36"), (404, .responded, .stub, "33"),
      (503, .responded, .stub, "31"), (nil, .responded, .network, "0"), (nil, .responded, .person, "36"),
      (nil, .failed, .network, "31"), (200, .failed, .stub, "31"), (200, .abandoned, .network, "31"),
      (200, .cancelled, .network, "90"), (503, .cancelled, .network, "90"), (200, nil, .network, "0"),
    ] as [(Int?, Exchange.Outcome?, Exchange.Answerer, String)])
  func coloursAreByResult(
    _ status: Int?, _ outcome: Exchange.Outcome?, _ by: Exchange.Answerer, _ color: String
  ) throws {
    let exchange = exchange {
      $0.response = status.map { RecordedResponse(status: $0) }
      ($0.outcome, $0.by) = (outcome, by)
    }
    let plain = try printer().text(.exchanges([exchange])).dropLast()
    #expect(try printer(color: true).text(.exchanges([exchange])) == "\u{1B}[\(color)m\(plain)\u{1B}[0m\n")
  }

  @Test(arguments: [
    (Shed(), Shed(), ""),
    (
      Shed(bodies: 1), Shed(),
      "patchbay: demo 7: Left out of the record: 1 body, which came faster than they were read.\n"
    ),
    (
      Shed(exchanges: 1_200, bodies: 2), Shed(exchanges: 1),
      """
      patchbay: demo 7: Left out of the record: 1,200 requests and 2 bodies, which came faster than they were read.
      patchbay: demo 7: Left out of the record: 1 request, which took too much memory.

      """
    ),
  ])
  func whatAProgramsReportsLackIsSaidAtItsEnd(_ shed: Shed, _ cut: Shed, _ said: String) throws {
    let printer = try printer()
    #expect(printer.text(.unlinked(link(7, shed: shed, cut: cut))) == said)
    #expect(printer.text(.linkChanged(link(7, shed: shed, cut: cut))) == "")
  }

  @Test func noticesNameTheirProcess() throws {
    #expect(try printer().text(.notice(nil, "a sentence\u{7}")) == "patchbay: a sentence␇\n")
    #expect(try printer().text(.notice(process(7), "a sentence")) == "patchbay: demo 7: a sentence\n")
  }

  // MARK: Times

  @Test(
    arguments: [
      ("UTC", 1_700_000_000_123_456, "22:13:20.123", "2023-11-14 22:13:20"),
      ("Asia/Kolkata", 1_700_000_000_123_456, "03:43:20.123", "2023-11-15 03:43:20"),
      ("America/New_York", 1_700_000_000_123_456, "17:13:20.123", "2023-11-14 17:13:20"),
      // Half a year earlier there is an hour between.
      ("America/New_York", 1_684_000_000_000_000, "13:46:40.000", "2023-05-13 13:46:40"),
    ] as [(String, Int64, String, String)])
  func timesAreThoseOfThePlace(_ zone: String, _ moment: Int64, _ time: String, _ date: String) throws {
    let zone = try #require(TimeZone(identifier: zone))
    let moment = Timestamp(microseconds: moment)
    #expect(LocalTime.withDate(moment, in: zone) == date)
    #expect(LocalTime.short(moment, now: moment, in: zone) == time)
    #expect(
      LocalTime.short(moment, now: Timestamp(microseconds: moment.microseconds + 86_400_000_000), in: zone) == date)
    #expect(
      LocalTime.short(moment, now: Timestamp(microseconds: moment.microseconds - 86_400_000_000), in: zone) == date)
  }

  @Test func aDayEndsAtMidnightWhereThePersonIs() throws {
    let zone = try #require(TimeZone(identifier: "Asia/Kolkata"))
    // 18:30 UTC is midnight there.
    let midnight = Timestamp(microseconds: 1_700_073_000_000_000)
    let before = Timestamp(microseconds: midnight.microseconds - 1)
    #expect(LocalTime.short(midnight, now: midnight, in: zone) == "00:00:00.000")
    #expect(LocalTime.short(before, now: midnight, in: zone) == "2023-11-15 23:59:59")
    #expect(
      LocalTime.short(before, now: Timestamp(microseconds: before.microseconds - 3_600_000_000), in: zone)
        == "23:59:59.999")
  }
}
