import Foundation
import PatchbayConsole
import PatchbayFiles
import PatchbayTestSupport
import Testing

@testable import PatchbayRuntime

/// What a console on screen takes of a person's `config.yaml`.
@Suite(.bounded) struct ScreenConfigValuesTests {
  private let place: TestFolders

  init() throws { place = try TestFolders() }

  private func screen(_ config: String) throws -> ScreenConfig {
    try FileManager.default.createDirectory(
      atPath: place.folder.file("config/patchbay/themes"), withIntermediateDirectories: true)
    try place.folder.write(config, to: "config/patchbay/config.yaml")
    return try ScreenConfig(folders: place.folders)
  }

  @Test func whatIsRightIsTaken() throws {
    _ = try screen("")
    try place.folder.write(
      "name: mine\ncolors: { back: { rgb: \"#101418\", ansi: 0 } }\nroles: { text: { fg: back, bg: back } }\n",
      to: "config/patchbay/themes/mine.yaml")
    let screen = try screen("theme: mine\nfilter: status:5xx\nkeys:\n  help: ctrl-k\n")
    #expect(screen.theme?.name == "mine" && screen.config.theme == "mine")
    #expect(screen.config.filter == "status:5xx")
    #expect(screen.keys.bindings.filter { $0.command == .global(.help) }.map(\.keyLabel) == ["ctrl-k"])
    #expect(screen.slips.isEmpty && screen.notice == nil)
  }

  @Test func aNoticeEndsAsASentence() throws {
    #expect(
      try screen("mouse: 7\n").notice == "config.yaml:1:8: `mouse` must be true or false, not the number 7.")
    #expect(
      try screen("mouse: 7\nkeys: { nosuch: q }\n").notice
        == "config.yaml:1:8: `mouse` must be true or false, not the number 7. And 1 more: patchbay doctor lists them.")
  }
}
