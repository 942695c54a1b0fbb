import Foundation
import PatchbayGrid
import PatchbayTestSupport
import Testing

@testable import PatchbayTerminal

@Suite("Pictures on the terminal", .bounded)
struct TerminalPicturesTests {
  private static let bytes: [UInt8] = (0..<10_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
  private static let cell = Size(width: 10, height: 20)

  private func placed(_ format: Picture.Format = .png, x: Int = 4) throws -> PlacedPicture {
    PlacedPicture(
      try #require(Picture(format, Self.bytes, size: Size(width: 200, height: 100))),
      in: Rect(x: x, y: 2, width: 30, height: 3))
  }

  @Test(
    "terminals that are known, those that are asked, and those that are left alone",
    arguments: [
      (["TERM": "xterm-kitty"], nil, true), (["TERM": "xterm-256color"], nil, true), (["TERM": "foot"], nil, true),
      (["TERM": "xterm-256color", "TERM_PROGRAM": "iTerm.app"], .iTerm, false),
      (["TERM": "xterm-256color", "TERM_PROGRAM": "WezTerm"], .iTerm, false),
      (["TERM": "xterm-256color", "LC_TERMINAL": "iTerm2"], .iTerm, false),
      (["TERM": "xterm-256color", "TERM_PROGRAM": "Apple_Terminal"], nil, false),
      // What tmux and screen run in is still in the environment; beyond ssh only the type tells of them.
      (["TERM": "tmux-256color", "TMUX": "/tmp/x", "LC_TERMINAL": "iTerm2"], nil, false),
      (["TERM": "xterm-kitty", "TMUX": "/tmp/x"], nil, false), (["TERM": "xterm", "STY": "1.x"], nil, false),
      (["TERM": "screen-256color", "LC_TERMINAL": "iTerm2"], nil, false), (["TERM": "tmux-256color"], nil, false),
      (["TERM": "linux"], nil, false), (["TERM": "vt220"], nil, false), (["TERM": "dumb"], nil, false),
      (["TERM": "linux-16color"], nil, false), (["TERM": "ansi-m"], nil, false), (["TERM": "vt100-am"], nil, false),
      ([:], nil, false),
    ] as [([String: String], PictureProtocol?, Bool)])
  func kinds(environment: [String: String], known: PictureProtocol?, isAsked: Bool) {
    #expect(PictureProtocol.named(in: environment) == known)
    var pictures = TerminalPictures()
    #expect((pictures.learn(from: environment) == TerminalAnswer.question) == isAsked)
    #expect(pictures.isAnswerDue == isAsked)
    #expect(pictures.formats == (known == nil ? [] : [.png, .jpeg]))
    pictures.answered(.done)
    #expect(!pictures.isAnswerDue)
  }

  @Test("kitty's: in pieces of 4,096 bytes at its place, and nothing of the picture but base64")
  func kitty() throws {
    let text = PictureProtocol.kitty.show(try placed(), cell: Self.cell)
    #expect(text.hasPrefix("\u{1B}7\u{1B}[3;5H\u{1B}_Ga=T,f=100,i=32,p=1,c=12,r=3,C=1,z=-1,q=2,m=1;"))
    #expect(text.hasSuffix("\u{1B}\\\u{1B}8"))
    let pieces = text.components(separatedBy: "\u{1B}_G").dropFirst().map { $0.components(separatedBy: "\u{1B}\\")[0] }
    #expect(pieces.count == 4)
    #expect(pieces.dropLast().allSatisfy { $0.contains("m=1;") } && pieces.last?.hasPrefix("q=2,m=0;") == true)
    let data = pieces.map { $0.components(separatedBy: ";")[1] }
    #expect(data.allSatisfy { $0.utf8.count <= 4_096 })
    #expect(Data(base64Encoded: data.joined()).map(Array.init) == Self.bytes)
  }

  @Test("iTerm2's: one string, its sides in cells")
  func iTerm() throws {
    let text = PictureProtocol.iTerm.show(try placed(.jpeg), cell: Self.cell)
    let head =
      "\u{1B}7\u{1B}[3;5H\u{1B}]1337;File=inline=1;size=10000;width=12;height=3;preserveAspectRatio=1;doNotMoveCursor=1:"
    #expect(text.hasPrefix(head) && text.hasSuffix("\u{7}\u{1B}8"))
    #expect(Data(base64Encoded: String(text.dropFirst(head.count).dropLast(3))).map(Array.init) == Self.bytes)
  }

  @Test("is sent once while it is wanted, taken away when another is, and sent again after it was taken away")
  func once() throws {
    var pictures = TerminalPictures()
    _ = pictures.learn(from: ["TERM": "xterm-kitty"])
    let first = try placed()
    // Before the answer nothing is sent.
    #expect(pictures.want(first) { _ in true } == nil)
    #expect(pictures.due == nil && pictures.show(cell: Self.cell) == nil)
    pictures.answered(.showsPictures)
    #expect(pictures.want(first) { _ in true } == nil)
    #expect(pictures.due == first)
    #expect(pictures.show(cell: Self.cell) != nil)
    for _ in 0..<3 {
      #expect(pictures.want(first) { _ in true } == nil)
      #expect(pictures.due == nil && pictures.show(cell: Self.cell) == nil)
    }
    let removal = TerminalPictures.Removal.send("\u{1B}_Ga=d,d=I,i=32,q=2\u{1B}\\")
    #expect(pictures.want(try placed(x: 6)) { _ in false } == removal)
    #expect(pictures.show(cell: Self.cell) != nil)
    #expect(pictures.remove() == removal)
    #expect(pictures.remove() == nil)
    #expect(pictures.show(cell: Self.cell) != nil)
    #expect(pictures.want(nil) { _ in false } == removal)
    #expect(pictures.due == nil && pictures.show(cell: Self.cell) == nil)
    // It does not take JPEG.
    #expect(pictures.want(try placed(.jpeg)) { _ in false } == nil)
    #expect(pictures.due == nil)
  }

  @Test("an answer that was given up is not waited for, and a terminal that is known stays what it is")
  func givenUp() {
    var pictures = TerminalPictures()
    _ = pictures.learn(from: ["TERM": "xterm"])
    #expect(pictures.isAnswerDue && pictures.formats == [])
    pictures.noLongerDue()
    #expect(!pictures.isAnswerDue)
    pictures.answered(.showsPictures)
    #expect(pictures.formats == [.png])
    _ = pictures.learn(from: ["TERM": "xterm", "TERM_PROGRAM": "WezTerm"])
    pictures.answered(.showsPictures)
    #expect(pictures.formats == [.png, .jpeg])
  }

  @Test("where a picture stands in the cells, cells that are drawn there take it with them, and it is sent again")
  func inCells() throws {
    var pictures = TerminalPictures()
    _ = pictures.learn(from: ["TERM": "xterm", "TERM_PROGRAM": "WezTerm"])
    let first = try placed(.jpeg)
    #expect(pictures.want(first) { _ in true } == nil)
    #expect(pictures.show(cell: Self.cell) != nil)
    #expect(pictures.want(first) { _ in false } == nil)
    #expect(pictures.due == nil)
    #expect(pictures.want(first) { $0 == first.area } == .redraw)
    #expect(pictures.due == first)
  }
}
