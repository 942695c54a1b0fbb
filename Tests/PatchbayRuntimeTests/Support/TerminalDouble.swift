import Foundation
import PatchbayGrid
import Testing

@testable import PatchbayRuntime
@testable import PatchbayTerminal

/// A terminal that notes what is done with it. Its keyboard is a pipe.
@MainActor final class TerminalDouble: ScreenTerminal {
  let keyboard: Int32
  private var keys: Int32
  var colorDepth = ColorDepth.palette256
  var size = Size(width: 90, height: 24)
  /// As large as it is found to be when it is asked.
  var found = Size(width: 80, height: 20)
  var isAway = false
  var takesClipboard = true
  var pictureFormats: Set<Picture.Format> = []
  var duePicture: PlacedPicture?
  var undo: Terminal.Undo?
  /// What was done, but for frames.
  var done: [String] = []
  var frames: [String] = []

  init() {
    var ends: [Int32] = [0, 0]
    #expect(pipe(&ends) == 0)
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    (keyboard, keys) = (ends[0], ends[1])
  }

  func type(_ text: String) { _ = write(keys, text, text.utf8.count) }

  /// What is noted of signals would do nothing from now on.
  static func forgetSignals() {
    for number in [SIGWINCH, SIGTERM, SIGINT, SIGHUP, SIGTSTP, SIGCONT, SIGQUIT, SIGUSR1, SIGUSR2] {
      signal(number, SIG_DFL)
    }
  }

  func hangUp() {
    if keys >= 0 { Foundation.close(keys) }
    keys = -1
  }

  func takeAway() {
    hangUp()
    Foundation.close(keyboard)
  }

  func present(_ grid: Grid) { frames.append(grid.text) }
  func redrawAll() { done.append("redraw") }
  func updateSize() -> Size {
    done.append("size")
    size = found
    return size
  }
  func setMouse(_ isOn: Bool) { done.append("mouse \(isOn)") }
  func setTitle(_ title: String) { done.append("title \(title)") }
  func copy(_ text: String) { done.append("copy \(text.prefix(20))") }
  func showPicture() {
    done.append("picture \(duePicture?.area.x ?? -1)")
    duePicture = nil
  }
  func answered(_ answer: TerminalAnswer) {
    done.append("answer \(answer)")
    pictureFormats = [.png]
  }
  func suspend() -> Bool {
    done.append("suspend")
    return true
  }
  func continued() { done.append("continued") }
  func sendErrors(to path: String) { done.append("errors \((path as NSString).lastPathComponent)") }
  func reportState(to leash: Int32) { done.append("report \(leash)") }
  func close(ignoring quiet: Set<Int32>) { done.append("close \(quiet.sorted())") }
  func runExternally(_ command: [String], input: TerminalInput?) async throws -> Int32 {
    done.append("run \(command) \(input == nil ? "without" : "with") the keys")
    return 7
  }

  /// What was done since this was asked last, without what each frame does.
  func taken() -> [String] {
    defer { done = [] }
    return done.filter { !$0.hasPrefix("mouse") && !$0.hasPrefix("title") }
  }
}
