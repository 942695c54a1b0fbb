import Dispatch
import Foundation

// A small program on the terminal for the tests. Its keys: q quits, c crashes, a aborts, i reads out of bounds,
// p reads a bad pointer, o overflows the stack, x calls exit, z suspends, e runs another program, m switches the mouse,
// y copies, b rings, s scrolls, r draws a random frame, 2 opens the terminal again, t gives it titles, E runs a program
// that writes errors, v draws many pairs of colours, h some of 24 bits, l into the last corner, d a picture.
do {
  let fixture = try Fixture()
  fixture.start()
  withExtendedLifetime(fixture) { dispatchMain() }
} catch {
  FileHandle.standardError.write(Data("error: \(error)\n".utf8))
  exit(2)
}
