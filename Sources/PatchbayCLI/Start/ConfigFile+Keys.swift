import PatchbayConsole
import PatchbayFiles
import PatchbayStubs

extension ConfigFile {
  /// The key table with the person's keys in it.
  ///
  /// - Throws: `FilesError` with the place of the mistake in the file of that path.
  func keyMap(path: String) throws -> KeyMap {
    do throws(KeyMapError) {
      return try KeyMap(overriding: keys)
    } catch {
      throw FilesError([FileMistake(path: path, position: place(of: error), message: error.description)])
    }
  }

  private func place(of error: KeyMapError) -> SourcePosition? {
    switch error {
    case .unknownCommand(let name, _), .unknownKey(_, let name): keyPositions[name]
    case .clash(_, let command, _, _):
      keyPositions.first { $0.key == command.rawValue || $0.key.hasSuffix(".\(command.rawValue)") }?.value
    }
  }
}
