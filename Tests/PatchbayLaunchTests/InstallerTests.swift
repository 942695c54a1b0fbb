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
