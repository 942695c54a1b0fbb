import PatchbayConsole
import PatchbayFiles
import PatchbayStubs

extension ConfigFile {
  /// The key table with those of the person's keys in it that can be used, and what is wrong with the others, with
  /// their places in the file of that path.
  func keyMap(path: String) -> (map: KeyMap, mistakes: [FileMistake]) {
    let (map, problems) = KeyMap.lenient(overriding: keys)
    let mistakes = problems.map { FileMistake(path: path, position: keyPositions[$0.name], message: "\($0.error)") }
    return (map, mistakes)
  }
}
