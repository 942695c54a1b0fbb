import Foundation
import PatchbayTestSupport
import Testing

@testable import PatchbayAttach

/// Whether another user's program can read our libraries where they lie.
@Suite(.bounded) struct MeetingPlaceTests {
  private let folder = "/tmp/pb-meeting-\(UUID().uuidString)"

  /// The modes of a folder, of one in it, and of a file in that.
  @Test(
    arguments: [
      (0o755, 0o755, 0o644, true), (0o755, 0o755, 0o604, true), (0o711, 0o711, 0o444, true),
      (0o755, 0o755, 0o640, false), (0o755, 0o755, 0o000, false), (0o755, 0o750, 0o644, false),
      (0o750, 0o755, 0o644, false), (0o755, 0o754, 0o644, false),
    ] as [(Int, Int, Int, Bool)])
  func isReadByAnybody(_ upper: Int, _ lower: Int, _ file: Int, _ isOpen: Bool) throws {
    let inner = folder + "/inner"
    let path = inner + "/lib.so"
    try FileManager.default.createDirectory(atPath: inner, withIntermediateDirectories: true)
    defer {
      for folder in [folder, inner] { chmod(folder, 0o700) }
      try? FileManager.default.removeItem(atPath: folder)
    }
    #expect(FileManager.default.createFile(atPath: path, contents: nil))
    let link = "/tmp/pb-meeting-link-\(UUID().uuidString)"
    #expect(symlink(path, link) == 0)
    defer { unlink(link) }
    chmod(path, mode_t(file))
    chmod(inner, mode_t(lower))
    chmod(folder, mode_t(upper))
    #expect(MeetingPlace.isOpenToAll(path) == isOpen)
    // What counts is where it leads.
    #expect(MeetingPlace.isOpenToAll(link) == isOpen)
    #expect(!MeetingPlace.isOpenToAll(path + "x"))
  }

  @Test func theFoldersUpToTheRootAreAsked() {
    #expect(MeetingPlace.isOpenToAll("/etc/passwd"))
    #expect(!MeetingPlace.isOpenToAll("/nowhere/at/all"))
  }
}
