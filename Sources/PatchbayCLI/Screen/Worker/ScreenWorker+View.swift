import Foundation
import PatchbayConsole
import PatchbayGrid

extension ScreenWorker {
  func useTheme(_ name: String, _ runtime: ScreenRuntime) {
    do {
      runtime.send(.theme(try themes.load(name)))
    } catch {
      runtime.send(.notice(Notice(.error, "\(error)")))
    }
  }

  /// The screen as text and SVG in the working directory.
  func saveScreen(_ runtime: ScreenRuntime) {
    let grid = runtime.state.draw().grid
    attempt(runtime) {
      let stem = "patchbay-screen"
      try Data((grid.text + "\n").utf8).write(to: URL(fileURLWithPath: stem + ".txt"))
      try Data(grid.svg().utf8).write(to: URL(fileURLWithPath: stem + ".svg"))
      runtime.send(.notice(Notice(.good, "Saved the screen to \(stem).txt and \(stem).svg.")))
    }
  }
}
