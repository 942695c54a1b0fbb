import Foundation
import PatchbayTestSupport
import Testing

@testable import PatchbayAttach

@Suite(.bounded) struct ForgottenPlacesTests {
  private let folder = "/tmp/pb-places-\(UUID().uuidString)"
  /// The kernel gives no number above 2^22.
  private let dead: pid_t = 1 << 29, gone: pid_t = 1 << 28

  private func make(_ name: String, _ files: [String] = []) throws {
    try FileManager.default.createDirectory(atPath: "\(folder)/\(name)", withIntermediateDirectories: true)
    for file in files { #expect(FileManager.default.createFile(atPath: "\(folder)/\(name)/\(file)", contents: nil)) }
  }

  private var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: folder).sorted() }
  }

  @Test func theFoldersOfDeadProcessesGoWithWhatAConsolePutsThere() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try make("patchbay-attach-\(dead)-\(gone)")
    try make(
      "patchbay-attach-\(gone)-\(dead)",
      [
        "console.sock", "console.sock.control", "console.sock.lock", "at-\(dead).sock", "libPatchbayHook.so",
        "libPatchbayPreload.so",
      ])
    let stay = [
      // The program waits in it; the console's number is that of a process which runs.
      "patchbay-attach-\(dead)-\(getpid())", "patchbay-attach-\(getpid())-\(dead)",
      "patchbay-attach-\(dead)", "patchbay-attach-\(dead)-x", "patchbay-attach-0-0", "patchbay-attach-+\(dead)-\(gone)",
      "patchbay-else-\(dead)-\(gone)",
    ]
    for name in stay { try make(name) }
    ForgottenPlaces.remove(in: folder)
    #expect(try names == stay.sorted())
  }

  @Test func whatIsSomebodyElsesStays() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let name = "patchbay-attach-\(dead)-\(gone)"
    try make(name, ["console.sock", "mine"])
    ForgottenPlaces.remove(in: folder)
    #expect(try FileManager.default.contentsOfDirectory(atPath: "\(folder)/\(name)") == ["mine"])
    // A link in its place is not followed.
    try make("other", ["console.sock"])
    let link = "\(folder)/patchbay-attach-\(gone)-\(dead)"
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "\(folder)/other")
    ForgottenPlaces.remove(in: folder)
    #expect(try FileManager.default.contentsOfDirectory(atPath: "\(folder)/other") == ["console.sock"])
  }

  @Test func oneWhoseConsoleHasItLockedStays() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let name = "patchbay-attach-\(dead)-\(gone)"
    try make(name, ["console.sock", "console.sock.lock"])
    let lock = open("\(folder)/\(name)/console.sock.lock", O_RDWR | O_CLOEXEC)
    #expect(flock(lock, LOCK_EX) == 0)
    ForgottenPlaces.remove(in: folder)
    #expect(try FileManager.default.contentsOfDirectory(atPath: "\(folder)/\(name)").count == 2)
    close(lock)
    ForgottenPlaces.remove(in: folder)
    #expect(try names == [])
  }

  /// Only who has all rights can make one that is another user's.
  @Test(.enabled(if: geteuid() == 0)) func rootTakesAwayWhatIsAnybodys() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let name = "patchbay-attach-\(dead)-\(gone)"
    try make(name, ["console.sock"])
    #expect(chown("\(folder)/\(name)", 54_321, 54_322) == 0)
    ForgottenPlaces.remove(in: folder)
    #expect(try names == [])
  }

  #if os(Linux)
    @Test func nothingStaysOpenOfWhatWasLookedInto() throws {
      defer { try? FileManager.default.removeItem(atPath: folder) }
      try make("patchbay-attach-\(dead)-\(gone)", ["console.sock.lock"])
      try make("patchbay-attach-\(gone)-\(dead)", ["console.sock.lock", "mine"])
      ForgottenPlaces.remove(in: folder)
      let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap {
        try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
      }
      #expect(open.filter { $0.hasPrefix(folder) } == [] && open.count > 2)
    }
  #endif

  @Test func aFolderThatWasSweptWhileTheProgramWaitedIsMadeAgain() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try make("")
    let facts = try #require(TargetProcess(getpid()).facts())
    let rendezvous = Rendezvous("\(folder)/patchbay-attach-\(dead)-\(getpid())/at-\(getpid()).sock", of: facts)
    try rendezvous.lead(to: "/tmp/nobody.sock")
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: rendezvous.path) == "/tmp/nobody.sock")
    let made = try FileManager.default.attributesOfItem(atPath: (rendezvous.path as NSString).deletingLastPathComponent)
    #expect(made[.posixPermissions] as? Int == 0o700)
    // What anybody else has put there is not trusted.
    let other = "\(folder)/patchbay-attach-\(gone)-\(getpid())"
    try FileManager.default.createSymbolicLink(atPath: other, withDestinationPath: folder)
    #expect(throws: AttachError.self) { try Rendezvous("\(other)/at-1.sock", of: facts).lead(to: "/tmp/nobody.sock") }
    #expect(!FileManager.default.fileExists(atPath: "\(folder)/at-1.sock"))
  }
}
