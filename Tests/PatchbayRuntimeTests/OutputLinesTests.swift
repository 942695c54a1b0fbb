import PatchbayTestSupport
import Testing

@testable import PatchbayRuntime

@Suite("The lines of a command's output", .bounded)
struct OutputLinesTests {
  @Test("lines are the same wherever the pieces are cut")
  func pieces() {
    let bytes = Array("one\r\ntwo 日本\n\nthree".utf8)
    for cut in 0...bytes.count {
      var lines = OutputLines(kept: 20)
      lines.append(bytes[..<cut])
      let first = lines.drain()?.lines.filter { !$0.isOpen } ?? []
      lines.append(bytes[cut...])
      lines.finish()
      let texts = (first + (lines.drain()?.lines ?? [])).map(\.text)
      #expect(texts == ["one", "two 日本", "", "three"])
    }
  }

  @Test("a line without an end is told as far as it goes, and told again when it grows")
  func open() {
    var lines = OutputLines(kept: 20)
    lines.append("Name? ".utf8)
    #expect(lines.drain()?.lines.map(\.isOpen) == [true])
    #expect(lines.drain() == nil)
    lines.append("x".utf8)
    #expect(lines.drain()?.lines.map(\.text) == ["Name? x"])
    lines.append("\n".utf8)
    let whole = lines.drain()?.lines
    #expect(whole?.map(\.text) == ["Name? x"])
    #expect(whole?.map(\.isOpen) == [false])
  }

  @Test("however much comes, few lines wait, and those let go are counted")
  func flood() {
    var lines = OutputLines(kept: 20)
    for number in 0..<50_000 { lines.append("\(number)\n".utf8) }
    lines.append(repeatElement(UInt8(ascii: "x"), count: 100_000))
    lines.finish()
    guard let taken = lines.drain() else { return #expect(Bool(false), "nothing came") }
    #expect(taken.lines.count <= 12_000)
    #expect(taken.lines.allSatisfy { $0.text.utf8.count <= 16_384 })
    #expect(taken.lines.count + taken.skipped == 50_000 + 7)
    #expect(lines.last.count < 100)
  }
}
