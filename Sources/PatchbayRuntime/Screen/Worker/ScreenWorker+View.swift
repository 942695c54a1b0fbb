import Foundation
import PatchbayConsole
import PatchbayGrid
import PatchbayLaunch

extension ScreenWorker {
  func useTheme(_ name: String, _ runtime: ScreenRuntime) {
    show(Result { try themes.load(name) }, runtime)
    watchTheme(name, runtime)
  }

  /// Reads all themes; those with mistakes are left out.
  func loadSwatches(_ runtime: ScreenRuntime) {
    let themes = themes
    let depth = runtime.terminal.colorDepth
    Task { [weak runtime] in
      let found = await Task.detached {
        let pairs = themes.names.compactMap { name in
          (try? themes.load(name)).map { (name, $0.reduced(to: depth)) }
        }
        return Dictionary(pairs, uniquingKeysWith: { first, _ in first })
      }.value
      runtime?.send(.swatches(found))
    }
  }

  /// The theme in force is read again whenever its file is saved.
  func watchTheme(_ name: String, _ runtime: ScreenRuntime) {
    themes.watch(name) { result in
      Task { @MainActor [weak self, weak runtime] in
        guard let self, let runtime else { return }
        show(result, runtime)
      }
    }
  }

  private func show(_ result: Result<Theme, any Error>, _ runtime: ScreenRuntime) {
    switch result {
    case .success(let theme): runtime.send(.theme(theme.reduced(to: runtime.terminal.colorDepth)))
    case .failure(let error): runtime.send(.notice(Notice(.error, ThemeCatalog.sentence(about: error))))
    }
  }

  /// The screen as text and SVG in the working directory, beside those that were saved there before.
  func saveScreen(_ runtime: ScreenRuntime) {
    let grid = runtime.state.draw().grid
    attempt(runtime) {
      let stem = FreeName.stem("patchbay-screen", endings: [".txt", ".svg"])
      try PrivateFile.write(Data((grid.text + "\n").utf8), to: stem + ".txt")
      try PrivateFile.write(Data(grid.svg().utf8), to: stem + ".svg")
      runtime.send(.notice(Notice(.good, "Saved the screen to \(stem).txt and \(stem).svg.")))
    }
  }
}
