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

  @Test func saysWhatIsInTheWay() throws {
    let folder = try scratch()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try Data().write(to: URL(fileURLWithPath: folder + "/bin"))
    let error = #expect(throws: LaunchError.self) {
      try Installer(prefix: folder).install([Installer.Item(text: "", to: "bin/x")])
    }
    #expect(error?.description == "\(folder)/bin is not a folder; remove it, or choose another --prefix")
  }
}
