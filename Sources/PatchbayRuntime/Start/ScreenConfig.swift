import Foundation
import PatchbayConsole
import PatchbayFiles
import PatchbayInspect
import PatchbayLaunch
import PatchbayStubs

/// The person's `config.yaml` for a console on screen. It starts although theme, keys, mouse, columns or filter are
/// wrong there: those are as usual then, and `slips` says why. What is intercepted, answered or recorded is not guessed.
package struct ScreenConfig {
  package var config = ConfigFile()
  var keys = KeyMap()
  /// The theme that it names.
  var theme: Theme?
  /// In the order of the file.
  package var slips: [FileMistake] = []

  /// - Throws: all mistakes, where one of them concerns more than the screen.
  package init(folders: PrivateFolders) throws {
    let path = folders.config + "/config.yaml"
    guard FileManager.default.fileExists(atPath: path) else { return }
    (config, slips) = try ConfigFile.readLeniently(path, columns: RequestColumn.allCases.map(\.rawValue))
    let found = config.keyMap(path: path)
    keys = found.map
    slips += found.mistakes
    if let name = config.theme {
      do {
        theme = try ThemeCatalog(folders: folders).load(name)
      } catch {
        note(ThemeCatalog.sentence(about: error), config.positions["theme"], path)
        config.theme = nil
      }
    }
    do {
      _ = try FilterArgument.parse(config.filter, option: "`filter`")
    } catch {
      note("\(error)", config.positions["filter"], path)
      config.filter = nil
    }
    let start = SourcePosition(line: 1, column: 1)
    slips.sort { ($0.position ?? start) < ($1.position ?? start) }
  }

  private mutating func note(_ sentence: String, _ position: SourcePosition?, _ path: String) {
    slips.append(FileMistake(path: path, position: position, message: sentence))
  }

  /// One sentence for the screen, where there is no room for the whole path; nil where all is well.
  var notice: String? {
    guard var first = slips.first else { return nil }
    first.path = (first.path as NSString).lastPathComponent
    let sentence = first.description
    let more = slips.count == 1 ? "" : " And \(slips.count - 1) more: patchbay doctor lists them."
    return sentence + (sentence.hasSuffix(".") || sentence.hasSuffix("?") ? "" : ".") + more
  }
}
