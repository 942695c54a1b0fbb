import Foundation
import PatchbayTestSupport
import Testing

@testable import PatchbayLaunch

/// Which build of Swift a program has, with libraries that are made here.
@Suite(.bounded) struct SwiftRuntimeTests {
  let place: TemporaryFolder

  init() throws {
    place = try TemporaryFolder("runtime")
  }

  /// A toolchain's folder with the libraries whose build ids are given.
  private func toolchain(_ name: String, core: [UInt8]?, networking: [UInt8]? = nil) throws -> String {
    let libraries = try place.folder("\(name)/lib/swift/linux")
    let bin = try place.folder("\(name)/bin")
    for (library, id) in [("libswiftCore.so", core), ("libFoundationNetworking.so", networking)] {
      guard let id else { continue }
      let elf = MadeElf(notes: id.isEmpty ? [] : [.init(value: id)])
      try Data(elf.bytes).write(to: URL(fileURLWithPath: "\(libraries)/\(library)"))
    }
    return "\(bin)/swiftc"
  }

  @Test func aToolchainsIsFoundByItsCompiler() throws {
    let compiler = try toolchain("one", core: [1, 2], networking: [0xab])
    let runtime = SwiftRuntime(compiler: compiler)
    let folder = "\(place.path)/one/lib/swift/linux"
    #expect(runtime.place == folder)
    #expect(
      runtime.libraries == [
        .init(name: "libswiftCore.so", path: "\(folder)/libswiftCore.so", buildID: "0102"),
        .init(name: "libFoundationNetworking.so", path: "\(folder)/libFoundationNetworking.so", buildID: "ab"),
      ])
    #expect(runtime.environmentValue == "libswiftCore.so=0102,libFoundationNetworking.so=ab")
    #expect(runtime.buildIDs == ["libswiftCore.so": "0102", "libFoundationNetworking.so": "ab"])
    // A compiler is often a link to where it lies.
    let link = "\(place.path)/swiftc"
    _ = try place.file("one/bin/swiftc", mode: 0o755)
    #expect(symlink(compiler, link) == 0)
    #expect(SwiftRuntime(compiler: link) == runtime)
    let none = SwiftRuntime(compiler: "/nowhere/bin/swiftc")
    #expect(none.libraries == [] && none.place == nil && none.environmentValue == "" && none.buildIDs == [:])
  }

  @Test func twoAreToldApartByWhatBothHave() throws {
    func runtime(_ name: String, _ core: [UInt8]?, _ networking: [UInt8]? = nil) throws -> SwiftRuntime {
      SwiftRuntime(compiler: try toolchain(name, core: core, networking: networking))
    }
    let one = try runtime("one", [1], [2])
    func expect(_ other: SwiftRuntime, _ library: String?, line: Int = #line) {
      #expect(one.difference(from: other)?.ours.name == library, "line \(line)")
      #expect(one.differs(from: other) == (library != nil) && other.differs(from: one) == (library != nil))
      if let library {
        #expect(one.difference(from: other)?.theirs == other.library(library), "line \(line)")
        #expect(one.difference(from: other)?.ours == one.library(library), "line \(line)")
      }
    }
    expect(one, nil)
    expect(try runtime("same", [1], [2]), nil)
    expect(try runtime("core", [9], [2]), "libswiftCore.so")
    expect(try runtime("networking", [1], [9]), "libFoundationNetworking.so")
    expect(try runtime("both", [9], [9]), "libswiftCore.so")
    expect(try runtime("less", [1]), nil)
    expect(try runtime("none", nil), nil)
    // One of them was linked without a build id, so nothing can be said.
    expect(try runtime("unknown", [], [2]), nil)
    expect(try runtime("unknown core", [], [9]), "libFoundationNetworking.so")
    #expect(try runtime("unknown", [], [2]).environmentValue == "libFoundationNetworking.so=02")
  }

  @Test func aProgramsIsWhatItWouldLoad() throws {
    _ = try toolchain("one", core: [1], networking: [2])
    let folder = "\(place.path)/one/lib/swift/linux"
    var search = LibrarySearch(libraryPath: folder)
    (search.systemFolders, search.cache) = ([], LinkerCache(path: "/nowhere"))
    func runtime(_ needed: String...) throws -> SwiftRuntime {
      let path = "\(place.path)/program"
      try Data(MadeElf(dynamic: needed.map { (.needed, $0) }).bytes).write(to: URL(fileURLWithPath: path))
      return SwiftRuntime(loadedBy: path, search)
    }
    #expect(
      try runtime("libFoundationNetworking.so", "libswiftCore.so").environmentValue
        == "libswiftCore.so=01,libFoundationNetworking.so=02")
    #expect(try runtime("libswiftCore.so").libraries.map(\.path) == ["\(folder)/libswiftCore.so"])
    #expect(try runtime("libc.so.6").libraries == [])
    #expect(try runtime("libFoundationNetworking.so").place == nil)
  }
}
