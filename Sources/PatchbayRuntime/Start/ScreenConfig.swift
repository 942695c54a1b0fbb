import Foundation
import PatchbayConsole
import PatchbayFiles
import PatchbayHistory
import PatchbayInspect
import PatchbayLaunch
import PatchbayStubs
import PatchbayWire

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

/// The person's `config.yaml`.
package enum ConfigLoading {
  /// The config, or an empty one where there is no file.
  ///
  /// - Throws: all mistakes with their places.
  package static func load(folders: PrivateFolders) throws -> ConfigFile {
    let path = folders.config + "/config.yaml"
    guard FileManager.default.fileExists(atPath: path) else { return ConfigFile() }
    return try ConfigFile.read(path)
  }

  /// The file that a command reads or fills: the one that was named, else the one that consoles write.
  package static func history(_ named: String?) throws -> String {
    if let named { return AbsolutePath.of(named) }
    let folders = PrivateFolders()
    return try history(of: try load(folders: folders), folders: folders)
  }

  /// The file that consoles write.
  package static func history(of config: ConfigFile, folders: PrivateFolders) throws -> String {
    guard let path = config.history.path, path != ":memory:" else { return try folders.history() }
    return AbsolutePath.of(path)
  }
}

extension ConfigFile {
  /// The key table with those of the person's keys in it that can be used, and what is wrong with the others, with
  /// their places in the file of that path.
  fileprivate func keyMap(path: String) -> (map: KeyMap, mistakes: [FileMistake]) {
    let (map, problems) = KeyMap.lenient(overriding: keys)
    let mistakes = problems.map { FileMistake(path: path, position: keyPositions[$0.name], message: "\($0.error)") }
    return (map, mistakes)
  }
}

extension ConfigFile {
  /// How much a history keeps: what the person chose, and what is usual where nothing is said.
  package func retention(else usual: Retention) -> Retention {
    Retention(count: history.count ?? usual.count, bytes: history.size.map(Int64.init) ?? usual.bytes)
  }
}

extension ConfigFile {
  /// Degrees by host, as hooks are told them.
  var hostDegrees: [HookSettings.HostDegree] {
    hosts.map { rule in
      HookSettings.HostDegree(host: rule.host, degree: HookSettings.Degree(rawValue: rule.degree.rawValue) ?? .full)
    }
  }
}
