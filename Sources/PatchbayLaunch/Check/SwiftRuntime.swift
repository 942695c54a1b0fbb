import PatchbaySystem

/// Which build of the Swift runtime: Swift has no stable binary interface on Linux, so a hook can live in a program only
/// if both were built for the same one.
public struct SwiftRuntime: Sendable, Equatable {
  static let core = "libswiftCore.so"
  static let networking = "libFoundationNetworking.so"

  struct Library: Sendable, Equatable {
    let name: String
    let path: String
    /// nil in a library that was linked without one.
    let buildID: String?
  }

  let libraries: [Library]

  /// The runtime that the file at `path` would load; without libraries if it is not a Swift one.
  init(loadedBy path: String, _ search: LibrarySearch) {
    let images = search.images([Self.core, Self.networking], loadedBy: path)
    libraries = [Self.core, Self.networking].compactMap { name in
      images[name].map { Library(name: name, path: $0.path, buildID: $0.file.buildID) }
    }
  }

  func library(_ name: String) -> Library? { libraries.first { $0.name == name } }

  /// The value of `PATCHBAY_RUNTIME`, by which the preload library sees for itself: `NAME=HEX,NAME=HEX`.
  var environmentValue: String {
    libraries.compactMap { library in library.buildID.map { "\(library.name)=\($0)" } }.joined(separator: ",")
  }

  /// The first library that both have, but not the same build of it.
  func difference(from other: SwiftRuntime) -> (ours: Library, theirs: Library)? {
    for ours in libraries {
      guard let theirs = other.library(ours.name), let mine = ours.buildID, let its = theirs.buildID, mine != its else {
        continue
      }
      return (ours, theirs)
    }
    return nil
  }
}

extension SwiftRuntime {
  /// The runtime of a toolchain, whose programs load it: found by its compiler.
  public init(compiler: String) {
    let usr = Path.folder(of: Path.folder(of: Path.resolved(compiler) ?? compiler))
    libraries = [Self.core, Self.networking].compactMap { name in
      let path = Path.join(usr, "lib/swift/linux/\(name)")
      return ElfFile(path: path).map { Library(name: name, path: path, buildID: $0.buildID) }
    }
  }

  /// Where its core library lies; nil where there is none.
  public var place: String? { library(Self.core).map { Path.folder(of: $0.path) } }

  /// Whether both are known and are not the same build.
  public func differs(from other: SwiftRuntime) -> Bool { difference(from: other) != nil }
}
