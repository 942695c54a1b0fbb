import PatchbayGrid
import PatchbayTestSupport
import Testing

@Suite("Our width table and the system's", .bounded)
struct WidthAgreementTests {
  @Test("every scalar that takes cells takes as many in the terminal")
  func agreement() {
    var wrong: [String] = []
    var compared = 0
    for value in UInt32(0x20)...0x10FFFF {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let text = String(Character(scalar))
      var grid = Grid(width: 4, height: 1)
      grid.put(text, at: .zero)
      guard let cell = grid[.zero], cell.scalar == scalar, grid.text != "" else { continue }
      compared += 1
      // A newer C library knows more and may have changed its mind about single ones; a wrong table differs in hundreds.
      if cell.width != systemWidth(of: scalar) { wrong.append(String(value, radix: 16)) }
    }
    #expect(compared > 240_000)
    #expect(wrong.count < 100, "\(wrong)")
  }
}
