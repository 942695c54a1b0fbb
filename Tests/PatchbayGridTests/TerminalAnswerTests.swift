import PatchbayGrid
import PatchbayTestSupport
import Testing

@Suite("What the terminal answers", .bounded)
struct TerminalAnswerTests {
  private static let yes = "\u{1B}_Gi=31;OK\u{1B}\\"
  private static let attributes = "\u{1B}[?62;4;22c"

  @Test(
    "is told from keys and from what does not concern us",
    arguments: [
      (yes, [TerminalAnswer.showsPictures]), (attributes, [.done]), ("\u{1B}[?6c", [.done]),
      (yes + attributes, [.showsPictures, .done]), ("\u{1B}_Gi=31,p=1;OK\u{1B}\\", [.showsPictures]),
      ("\u{1B}_Gi=31;ENOTSUP:no\u{1B}\\", []), ("\u{1B}_Gi=3;OK\u{1B}\\", []), ("\u{1B}_Gi=313;OK\u{1B}\\", []),
      ("\u{1B}_Xi=31;OK\u{1B}\\", []), ("\u{1B}_G\u{1B}\\", []), ("\u{1B}_\u{1B}\\", []), ("\u{1B}_Gi=31\u{1B}\\", []),
      ("\u{1B}PGi=31;OK\u{1B}\\", []), ("\u{1B}[>0;276;0c", []), ("\u{1B}[200~\(yes)\u{1B}[201~", []),
      ("\u{1B}_Gi=31;OK\u{7}", []), ("\u{1B}_Gi=31;OK\u{1B}x", []),
    ])
  func answers(bytes: String, answers: [TerminalAnswer]) {
    var parser = KeyParser()
    _ = parser.feed(bytes.utf8)
    #expect(parser.takeAnswers() == answers)
    #expect(parser.takeAnswers().isEmpty)
  }

  @Test("is no key, wherever it is split and however long the rest takes")
  func split() {
    let bytes = Array(("j" + Self.yes + Self.attributes + "k").utf8)
    // Two bytes of it may be alt with a key, which nobody can know.
    let ambiguous = ["\u{1B}", "\u{1B}[", "\u{1B}_"].map { Array($0.utf8) }
    for place in bytes.indices {
      var parser = KeyParser()
      var events = parser.feed(bytes[..<place])
      if !ambiguous.contains(where: { bytes[..<place].suffix($0.count).elementsEqual($0) }) { events += parser.flush() }
      events += parser.feed(bytes[place...])
      #expect(events == [.key(Key("j")), .key(Key("k"))], "split at \(place)")
      #expect(parser.takeAnswers() == [.showsPictures, .done], "split at \(place)")
    }
  }

  @Test("a picture keeps its proportions and is not made larger")
  func fitted() throws {
    let cell = Size(width: 8, height: 16)
    let room = Size(width: 40, height: 10)
    func cells(_ width: Int, _ height: Int) throws -> Size {
      try #require(Picture(.png, [1], size: Size(width: width, height: height))).fitted(in: room, cell: cell)
    }
    #expect(try cells(80, 32) == Size(width: 10, height: 2))
    #expect(try cells(640, 320) == room)
    #expect(try cells(640, 640) == Size(width: 20, height: 10))
    #expect(try cells(6_400, 320) == Size(width: 40, height: 1))
    #expect(try cells(1, 1) == Size(width: 1, height: 1))
    #expect(try cells(10, 10_000) == Size(width: 1, height: 10))
  }

  @Test(
    "one that says that it is nothing, or more than a terminal takes, is none",
    arguments: [
      (0, 5), (5, 0), (-1, 5), (10_001, 1), (1, 1 << 31), (1 << 31, 1 << 31), (9_000, 9_000), (Int.max, Int.max),
    ])
  func lies(width: Int, height: Int) {
    #expect(Picture(.png, [1], size: Size(width: width, height: height)) == nil)
    #expect(Picture(.png, [], size: Size(width: 1, height: 1)) == nil)
    let large = [UInt8](repeating: 0, count: Picture.byteLimit + 1)
    #expect(Picture(.jpeg, large, size: Size(width: 1, height: 1)) == nil)
    #expect(Picture(.jpeg, Array(large.dropLast()), size: Size(width: 1, height: 1)) != nil)
  }

  @Test("a grid has it where it was put, as far as that can be drawn on, and is another one with it")
  func placed() throws {
    let picture = try #require(Picture(.png, [1], size: Size(width: 1, height: 1)))
    var grid = Grid(width: 20, height: 10)
    let empty = grid
    grid.within(Rect(x: 5, y: 2, width: 10, height: 5)) {
      $0.setPicture(picture, in: Rect(x: 2, y: 1, width: 40, height: 40))
    }
    #expect(grid.picture == PlacedPicture(picture, in: Rect(x: 7, y: 3, width: 8, height: 4)))
    #expect(grid != empty)
    grid.within(Rect(x: 5, y: 2, width: 10, height: 5)) {
      $0.setPicture(picture, in: Rect(x: 20, y: 1, width: 4, height: 4))
    }
    #expect(grid == empty)
  }
}
