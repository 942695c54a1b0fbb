import Foundation
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayInspect

@Suite(.bounded) struct ExportFormatTests {
  private let context = ExportContext(version: "7", stubFile: { "\($0.map(\.stub.name))" })

  private func text(_ format: ExportFormat, _ exchanges: [Exchange]) throws -> String {
    guard case .file(_, let exporter) = format.output else { throw StubError("a folder") }
    return try exporter(context).text(exchanges)
  }

  @Test func eachFormatHasANameAKeyAndAnEndingOfItsOwn() {
    let formats = ExportFormat.allCases
    #expect(Set(formats.map(\.rawValue)).count == formats.count)
    #expect(Set(formats.map(\.key)).count == formats.count)
    #expect(Set(formats.map { "\($0.defaultName)" }).count == formats.count)
    #expect(formats.allSatisfy { ExportFormat(rawValue: $0.rawValue) == $0 })
    #expect(ExportFormat(rawValue: "pdf") == nil)
  }

  @Test func theSentencesOfCommandAndHelpNameEachFormat() {
    #expect(ExportFormat.names == "har, curl, stubs, swift, jsonl, wiremock, or bodies (files of a folder)")
    #expect(ExportFormat.nouns == "HAR, cURL, stubs, Swift tests, JSON Lines, WireMock mappings or raw bodies")
    #expect(ExportFormat.fileLabels == "HAR, cURL, stubs, Swift, JSON Lines")
    #expect([0, 1].map(ExportFormat.har.counted) == ["0 exchanges", "1 exchange"])
    #expect([1, 2].map(ExportFormat.bodies.counted) == ["1 body", "2 bodies"])
    #expect(ExportFormat.har.defaultName == ("patchbay-export", ".har"))
    #expect(ExportFormat.bodies.defaultName == ("patchbay-bodies", ""))
  }

  @Test func aFileIsItsPiecesOneAfterTheOther() throws {
    let exchanges = (1...2).map { RecordedExchange.make(id: $0, "GET", "http://a/\($0)", answer: Data("x".utf8)) }
    #expect(try text(.har, exchanges) == HARWriter.text(exchanges, version: "7"))
    #expect(try text(.swift, exchanges) == SwiftSource.text(exchanges))
    #expect(try text(.curl, exchanges) == exchanges.map { CurlCommand.text($0.request) + "\n\n" }.joined())
    #expect(try text(.jsonl, exchanges) == exchanges.map { JSONLines.line($0) + "\n" }.joined())
    #expect(try text(.stubs, exchanges) == #"["GET /1", "GET /2"]"#)
    #expect(try text(.jsonl, []).isEmpty)
  }

  @Test func bodiesAreThoseThatAreThereAndNotEmpty() throws {
    guard case .folder(_, _, let files) = ExportFormat.bodies.output else { throw StubError("a file") }
    let asked = RecordedExchange.make(id: 3, "POST", "http://a/b", body: Data("hi".utf8), answer: Data())
    #expect(files(asked).map(\.name) == [BodyFileName.request(asked)])
    #expect(files(asked).map(\.data) == [Data("hi".utf8)])
  }

  /// 512 MiB: each exchange counts 1,000 bytes, and both its bodies.
  @Test(arguments: [(0, true), (1, false)])
  func whatIsTooMuchForOneStubFileIsRefused(_ more: Int, _ isTaken: Bool) throws {
    var exporter = StubsExporter(ExportContext(version: "7") { _ in "" })
    let large = RecordedExchange.make(id: 1, "GET", "http://a/", answer: Data(count: 100 << 20))
    for _ in 0..<5 { #expect(try exporter.entry(large).isEmpty) }
    let last = RecordedExchange.make(
      id: 2, "POST", "http://a/", body: Data(count: 6 << 20), answer: Data(count: (6 << 20) - 6_000 + more))
    guard !isTaken else {
      #expect(try exporter.entry(last).isEmpty)
      return
    }
    let error = #expect(throws: FormatError.self) { try exporter.entry(last) }
    #expect(
      error?.description
        == "This is too much for one file (5 exchanges are 512 MiB): narrow it with a filter, --since or --limit.")
  }
}
