import Foundation
import PatchbayTestSupport
import Testing

@testable import PatchbayLaunch

@Suite(.bounded) struct InstallerTests {
  private func scratch() throws -> String {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("install \(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder.path
  }

  @Test func putsFilesInPlaceAndReplacesThem() throws {
    let folder = try scratch()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let program = folder + "/source"
    try Data("one".utf8).write(to: URL(fileURLWithPath: program))
    let installer = Installer(prefix: folder + "/a/prefix/")
    let items = [
      Installer.Item(copying: program, to: "bin/x", isExecutable: true), Installer.Item(text: "テーマ", to: "share/t"),
    ]
    #expect(try installer.install(items) == [folder + "/a/prefix/bin/x", folder + "/a/prefix/share/t"])
    // Who has the old file open keeps it.
    let old = try #require(FileHandle(forReadingAtPath: folder + "/a/prefix/bin/x"))
    try Data("two".utf8).write(to: URL(fileURLWithPath: program))
    _ = try installer.install(items)
    #expect(try old.readToEnd() == Data("one".utf8))
    #expect(FileManager.default.contents(atPath: folder + "/a/prefix/bin/x") == Data("two".utf8))
    #expect(FileManager.default.isExecutableFile(atPath: folder + "/a/prefix/bin/x"))
    let mode = try FileManager.default.attributesOfItem(atPath: folder + "/a/prefix/share/t")[.posixPermissions] as? Int
    #expect(mode == 0o644)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder + "/a/prefix/bin") == ["x"])
  }

  @Test("uninstall takes what was installed, now and earlier, with the folders made for it, and nothing else")
  func takesAway() throws {
    let folder = try scratch()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let installer = Installer(prefix: folder)
    try FileManager.default.createDirectory(atPath: folder + "/bin", withIntermediateDirectories: true)
    try Data().write(to: URL(fileURLWithPath: folder + "/own"))
    _ = try installer.install([.init(text: "", to: "bin/x"), .init(text: "", to: "share/a/old")])
    _ = try installer.install([.init(text: "", to: "bin/x"), .init(text: "", to: "share/a/new")])
    try Data().write(to: URL(fileURLWithPath: folder + "/share/own"))
    // A receipt that somebody wrote in leads nowhere else.
    let receipt = try #require(FileHandle(forWritingAtPath: folder + "/lib/patchbay/installed"))
    try receipt.seekToEnd()
    try receipt.write(contentsOf: Data("own/../own\n/etc/passwd\n../x\nbin\n".utf8))
    #expect(
      Set(try Installer(prefix: folder + "/").uninstall())
        == Set(["bin/x", "share/a/old", "share/a/new"].map { "\(folder)/\($0)" }))
    #expect(
      Set(try FileManager.default.subpathsOfDirectory(atPath: folder)) == ["bin", "own", "share", "share/own"])
    #expect(try installer.uninstall().isEmpty)
  }

  @Test func aPrefixMayHaveAnyName() throws {
    let folder = try scratch()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let installer = Installer(prefix: folder + "/jürgen-花子/p")
    _ = try installer.install([.init(text: "", to: "bin/x"), .init(text: "", to: "share/a/y")])
    #expect(Set(try installer.uninstall().map { ($0 as NSString).lastPathComponent }) == ["x", "y"])
    #expect(try FileManager.default.subpathsOfDirectory(atPath: folder + "/jürgen-花子/p").isEmpty)
  }

  @Test func saysWhatIsInTheWay() throws {
    let folder = try scratch()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try Data().write(to: URL(fileURLWithPath: folder + "/bin"))
    let error = #expect(throws: LaunchError.self) {
      try Installer(prefix: folder).install([Installer.Item(text: "", to: "bin/x")])
    }
    #expect(error?.description == "\(folder)/bin is not a folder; remove it, or choose another --prefix")
  }

  @Test func eachFileHasItsModeAndTheProgramsPlacesAreKnown() throws {
    let folder = try scratch()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    for (name, text) in [("patchbay", "program"), ("p.so", "preload"), ("h.so", "hook")] {
      try Data(text.utf8).write(to: URL(fileURLWithPath: "\(folder)/\(name)"))
    }
    let items = Installer.program(
      executable: "\(folder)/patchbay",
      libraries: HookLibraries(preload: "\(folder)/p.so", hook: "\(folder)/h.so"))
    let prefix = folder + "/usr"
    let placed = try Installer(prefix: prefix + "//").install(items + [.init(text: "page", to: "share/man/x.1")])
    #expect(
      placed == [
        "\(prefix)/bin/patchbay", "\(prefix)/lib/patchbay/libPatchbayPreload.so",
        "\(prefix)/lib/patchbay/libPatchbayHook.so", "\(prefix)/share/man/x.1",
      ])
    let facts = try placed.map { path in
      let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int ?? 0
      return try "\(String(contentsOfFile: path, encoding: .utf8)) \(String(mode, radix: 8))"
    }
    #expect(facts == ["program 755", "preload 644", "hook 644", "page 644"])
    // What it made itself is written down, in the order in which it was made.
    let receipt = try String(contentsOfFile: "\(prefix)/lib/patchbay/installed", encoding: .utf8)
    #expect(
      receipt == """
        bin/
        lib/
        lib/patchbay/
        share/
        share/man/
        bin/patchbay
        lib/patchbay/libPatchbayPreload.so
        lib/patchbay/libPatchbayHook.so
        share/man/x.1

        """)
    #expect(try Installer(prefix: prefix).uninstall() == placed)
    // The prefix itself is not the installer's, though it had to be made.
    #expect(try FileManager.default.contentsOfDirectory(atPath: prefix) == [])
  }

  /// `patchbay install` may be run by the very program that is installed.
  @Test func aFileThatIsThereAlreadyIsLeftAloneAndStaysWrittenDown() throws {
    let folder = try scratch()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let source = folder + "/source"
    try Data(repeating: 7, count: 600_000).write(to: URL(fileURLWithPath: source))
    let installer = Installer(prefix: folder + "/usr")
    #expect(try installer.install([.init(copying: source, to: "bin/x")]) == ["\(folder)/usr/bin/x"])
    #expect(FileManager.default.contents(atPath: "\(folder)/usr/bin/x") == Data(repeating: 7, count: 600_000))
    let link = folder + "/link"
    #expect(symlink("\(folder)/usr/bin/x", link) == 0)
    #expect(
      try installer.install([.init(copying: link, to: "bin/x"), .init(text: "", to: "y")]) == ["\(folder)/usr/y"])
    #expect(try Set(installer.uninstall()) == ["\(folder)/usr/bin/x", "\(folder)/usr/y"])
  }

  @Test(arguments: [0, 1, 1 << 18, 1 << 18 + 1]) func aFileOfAnySizeIsCopiedWhole(_ size: Int) throws {
    let folder = try scratch()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let bytes = Data(repeating: 7, count: size)
    try bytes.write(to: URL(fileURLWithPath: folder + "/source"))
    _ = try Installer(prefix: folder).install([.init(copying: folder + "/source", to: "x")])
    #expect(FileManager.default.contents(atPath: folder + "/x") == bytes)
  }

  @Test func aFolderMayBeALinkToOne() throws {
    let folder = try scratch()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try FileManager.default.createDirectory(atPath: folder + "/elsewhere", withIntermediateDirectories: true)
    #expect(symlink("elsewhere", folder + "/bin") == 0)
    #expect(try Installer(prefix: folder).install([.init(text: "new", to: "bin/x")]) == [folder + "/bin/x"])
    #expect(try String(contentsOfFile: folder + "/elsewhere/x", encoding: .utf8) == "new")
  }

  @Test func aLinkThatLeadsNowhereGoesFromAFilesPlaceToo() throws {
    let folder = try scratch()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    _ = try Installer(prefix: folder).install([.init(text: "", to: "x")])
    #expect(unlink(folder + "/x") == 0 && symlink("/nowhere", folder + "/x") == 0)
    #expect(try Installer(prefix: folder).uninstall() == [folder + "/x"])
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == [])
  }

  @Test func whatCannotBeDoneIsSaid() throws {
    let folder = try scratch()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let missing = "\(folder)/none"
    #expect(throws: LaunchError("cannot read \(missing): no such file or directory")) {
      try Installer(prefix: folder).install([.init(copying: missing, to: "bin/x")])
    }
    #expect(
      throws: LaunchError(
        "cannot write \(folder)/bin/x: is a directory; make room there, or choose a folder in which you may write")
    ) {
      try Installer(prefix: folder).install([.init(copying: folder, to: "bin/x")])
    }
    try Data().write(to: URL(fileURLWithPath: folder + "/file"))
    #expect(
      throws: LaunchError("cannot make the folder \(folder)/file/usr: not a directory; choose another --prefix")
    ) { try Installer(prefix: folder + "/file/usr").install([.init(text: "", to: "x")]) }
    #expect(
      throws: LaunchError("cannot make the folder /proc/none: no such file or directory; choose another --prefix")
    ) { try Installer(prefix: "/proc/none").install([.init(text: "", to: "x")]) }
  }

  @Test func aLinkInAFilesPlaceIsReplacedAndNotWrittenThrough() throws {
    let folder = try scratch()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let kept = folder + "/kept"
    try Data("kept".utf8).write(to: URL(fileURLWithPath: kept))
    #expect(symlink(kept, folder + "/x") == 0)
    _ = try Installer(prefix: folder).install([.init(text: "new", to: "x")])
    #expect(try String(contentsOfFile: kept, encoding: .utf8) == "kept")
    #expect(try String(contentsOfFile: folder + "/x", encoding: .utf8) == "new")
    // And taken away itself.
    #expect(unlink(folder + "/x") == 0 && symlink(kept, folder + "/x") == 0)
    #expect(try Installer(prefix: folder).uninstall() == [folder + "/x"])
    #expect(try String(contentsOfFile: kept, encoding: .utf8) == "kept")
  }
}
