import Foundation
import PatchbayConsole
import PatchbayGrid
import PatchbayTestSupport
import Testing

@testable import PatchbayRuntime

/// What a command that was run has printed, and its end.
@Suite(.bounded) struct CommandOutputTests {
  private let output = CommandOutput(feed: LiveFeed())

  /// What is told of its end.
  private func ends(_ events: [ConsoleEvent]) -> [String] {
    events.compactMap { if case .commandEnded(let sentence) = $0 { sentence } else { nil } }
  }

  private func texts(_ event: ConsoleEvent?) -> [String]? {
    guard case .output(let lines, _)? = event else { return nil }
    return lines.map(\.text)
  }

  @Test(
    arguments: [
      (0, "app ended with status 0."), (1, "app ended with status 1."), (127, "app ended with status 127."),
      (128, "app ended with status 128."), (129, "app was ended by signal 1."), (137, "app was ended by signal 9."),
      (143, "app was ended by signal 15."),
    ] as [(Int32, String)])
  func howItEndedIsSaidOnce(_ status: Int32, _ sentence: String) {
    output.received(.ended(status: status), name: "app")
    let events = output.drain()
    #expect(ends(events) == [sentence] && events.count == 1)
    #expect(output.drain().isEmpty)
  }

  @Test(arguments: [
    ("/home/me/a/long/way/to/.build/x86_64-unknown-linux-gnu/debug/app", "app"), ("./app", "app"), ("bin/", "bin"),
    ("/", "/"), ("the command", "the command"),
  ])
  func aNoticeHasNoRoomForAPath(_ command: String, _ name: String) {
    output.received(.ended(status: 0), name: command)
    #expect(ends(output.drain()) == ["\(name) ended with status 0."])
  }

  @Test func itsLastLineIsWholeAtItsEnd() {
    output.received(.output(Array("one\ntwo".utf8)), name: "app")
    var events = output.drain()
    #expect(events.count == 1 && texts(events.first) == ["one", "two"])
    output.received(.ended(status: 0), name: "app")
    events = output.drain()
    #expect(events.count == 2 && texts(events.first) == ["two"])
    guard case .output(let lines, 0)? = events.first else { return #expect(Bool(false)) }
    #expect(lines.map(\.isOpen) == [false])
    #expect(ends(events) == ["app ended with status 0."])
  }

  @Test func withoutACommandNothingIsTaken() {
    #expect(!output.send(Data([1])))
    #expect(!output.pass(signal: SIGINT))
    output.interrupt()
    output.resize(Size(width: 80, height: 24))
    #expect(output.drain().isEmpty && output.lastLines == [])
  }

  @Test(arguments: [0, 1, 19, 20, 21, 79, 80, 81, 82, 500])
  func theLastTwentyLinesStayForTheShell(_ count: Int) {
    let lines = (0..<count).map { "line \($0)" }
    output.received(.output(Array(lines.map { $0 + "\r\n" }.joined().utf8)), name: "app")
    _ = output.drain()
    #expect(output.lastLines == Array(lines.suffix(20)))
  }

  @Test func colourIsNotOfTheLastLines() {
    output.received(.output(Array("\u{1B}[31mred\u{1B}[0m\nopen".utf8)), name: "app")
    #expect(output.lastLines == ["red"])
    output.received(.ended(status: 0), name: "app")
    #expect(output.lastLines == ["red", "open"])
  }

  // MARK: Bounds of lines

  @Test(arguments: [(16_383, [16_383]), (16_384, [16_384]), (16_385, [16_384, 1]), (40_000, [16_384, 16_384, 7_232])])
  func aLongLineIsCut(_ length: Int, _ lengths: [Int]) {
    var lines = OutputLines(kept: 20)
    lines.append(repeatElement(UInt8(ascii: "x"), count: length))
    lines.append([0x0A])
    #expect(lines.drain()?.lines.map(\.text.utf8.count) == lengths)
  }

  /// A letter is not cut in two, nor the line end from what it ends.
  @Test(arguments: [0, 1, 2, 3]) func aLongLineIsCutBetweenLetters(_ shift: Int) {
    var lines = OutputLines(kept: 20)
    let text = String(repeating: "x", count: shift) + String(repeating: "あ", count: 9_000)
    lines.append((text + "\r\n").utf8)
    let found = lines.drain()?.lines.map(\.text) ?? []
    #expect(found.joined() == text && found.count == 2)
    lines.append((String(repeating: "x", count: 16_384) + "\r\n").utf8)
    #expect(lines.drain()?.lines.count == 1)
    lines.append(repeatElement(UInt8(0x80), count: 40_000))
    lines.finish()
    #expect(lines.drain()?.lines.count == 3, "what is no text is cut all the same")
  }

  @Test(arguments: [(11_999, 0), (12_000, 0), (12_001, 6_001), (18_000, 6_001), (18_001, 6_001), (18_002, 12_002)])
  func whereMoreThanTwelveThousandWaitHalfOfThemStay(_ count: Int, _ skipped: Int) {
    var lines = OutputLines(kept: 20)
    for number in 0..<count { lines.append("\(number)\n".utf8) }
    let taken = lines.drain()
    #expect(taken?.skipped == skipped)
    let isRest = taken?.lines.map(\.text) == (skipped..<count).map(String.init)
    #expect(isRest)
    lines.append("next\n".utf8)
    #expect(lines.drain()?.skipped == 0)
  }

  @Test func aCarriageReturnAtTheEndIsNotOfTheLine() {
    var lines = OutputLines(kept: 20)
    lines.append("a\rb\r".utf8)
    #expect(lines.drain()?.lines.map(\.text) == ["a\rb"])
    lines.append("\nc\r\r\n\n".utf8)
    #expect(lines.drain()?.lines.map(\.text) == ["a\rb", "c\r", ""])
    #expect(lines.drain() == nil)
    lines.finish()
    #expect(lines.drain() == nil)
  }

  @Test func bytesThatAreNoTextAreShown() {
    var lines = OutputLines(kept: 20)
    lines.append([0x61, 0xFF, 0x62, 0x0A])
    let line = lines.drain()?.lines.first
    #expect(line?.text == "a\u{FFFD}b" && line?.stream == .output)
  }
}
