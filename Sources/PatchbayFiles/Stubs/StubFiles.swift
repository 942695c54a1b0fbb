import Foundation
import PatchbayStubs

/// Several stub files together: earlier ones win, and no name is there twice.
package struct StubFiles: Hashable, Sendable {
  package var files: [StubFile]

  /// Reads them all; the error has the mistakes of all of them.
  package static func read(_ paths: [String]) throws(FilesError) -> StubFiles {
    var files: [StubFile] = []
    var mistakes: [FileMistake] = []
    for path in paths {
      do throws(FilesError) { files.append(try StubFile.read(path)) } catch { mistakes += error.mistakes }
    }
    let all = mistakes + duplicates(files)
    guard all.isEmpty else { throw FilesError(all) }
    return StubFiles(files: files)
  }

  /// Files that were read one by one; the error has the names that are there twice.
  package init(checking files: [StubFile]) throws(FilesError) {
    let mistakes = Self.duplicates(files)
    guard mistakes.isEmpty else { throw FilesError(mistakes) }
    self.files = files
  }

  init(files: [StubFile]) { self.files = files }

  package var stubs: [Stub] { files.flatMap(\.stubs) }

  /// Stubs that can never match because an earlier one takes everything, each with its place.
  package var warnings: [FileMistake] {
    let all = files.flatMap { file in file.located.map { (file.path, $0) } }
    return ShadowCheck.findings(all.map(\.1.stub)).map { finding in
      let (path, located) = all[finding.index]
      let (otherPath, other) = all[finding.by]
      let place = otherPath == path ? "" : " in \(otherPath)"
      let line = (other.namePosition ?? other.node.position).map { " (line \($0.line)\(place))" } ?? place
      return FileMistake(
        path: path, position: located.namePosition ?? located.node.position,
        message:
          "the stub `\(located.stub.name)` can never match: `\(other.stub.name)`\(line) comes before it and takes "
          + "every request that it could")
    }
  }

  private static func duplicates(_ files: [StubFile]) -> [FileMistake] {
    var seen: [String: (path: String, position: SourcePosition?)] = [:]
    var mistakes: [FileMistake] = []
    var paths: Set<String> = []
    for file in files {
      guard paths.insert(URL(fileURLWithPath: file.path).resolvingSymlinksInPath().path).inserted else {
        mistakes.append(FileMistake(path: file.path, position: nil, message: "the file is given twice: name it once"))
        continue
      }
      for located in file.located {
        guard let first = seen[located.stub.name] else {
          seen[located.stub.name] = (file.path, located.namePosition)
          continue
        }
        let place = first.position.map { "\(first.path):\($0.line)" } ?? first.path
        mistakes.append(
          FileMistake(
            path: file.path, position: located.namePosition,
            message: "the name `\(located.stub.name)` is taken by a stub of another file (\(place))"))
      }
    }
    return mistakes
  }
}
