import Foundation
import PatchbayTestSupport
import Testing

@testable import Patchbay

@Suite("Where the console is", .bounded)
struct LinkAddressTests {
  @Test(arguments: [
    (["PATCHBAY_SOCKET": "/a/b.sock", "XDG_RUNTIME_DIR": "/run/user/1"], "/a/b.sock", true),
    (["PATCHBAY_SOCKET": "", "XDG_RUNTIME_DIR": "/nowhere"], "/tmp/patchbay-\(getuid())/default.sock", false),
    (["XDG_RUNTIME_DIR": "relative"], "/tmp/patchbay-\(getuid())/default.sock", false),
    ([:], "/tmp/patchbay-\(getuid())/default.sock", false),
  ])
  func resolved(environment: [String: String], path: String, isExplicit: Bool) {
    #expect(LinkAddress.resolve { environment[$0] } == LinkAddress(path: path, isExplicit: isExplicit))
  }

  @Test func aRuntimeFolderOfOnesOwnIsTaken() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("pb-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    for given in [folder, folder + "/"] {
      #expect(LinkAddress.resolve { $0 == "XDG_RUNTIME_DIR" ? given : nil }.path == folder + "/patchbay/default.sock")
    }
  }

  @Test(arguments: [("/a/b.sock", "/a"), ("/b.sock", "/"), ("b.sock", "."), ("/a/b/c", "/a/b")])
  func folder(path: String, folder: String) {
    #expect(LinkAddress(path: path, isExplicit: true).folder == folder)
  }

  @Test(arguments: [(0o700, true), (0o755, false), (0o770, false), (0o777, false)])
  func onlyAFolderOfOnesOwnIsTrusted(mode: Int, isTrusted: Bool) throws {
    let console = FakeConsole()
    let folder = LinkAddress(path: console.path, isExplicit: false).folder
    #expect(chmod(folder, mode_t(mode)) == 0)
    let address = LinkAddress(path: console.path, isExplicit: false)
    #expect(address.isTrusted == isTrusted)
    #expect(LinkAddress(path: console.path, isExplicit: true).isTrusted)
    do throws(LinkSocket.Failure) {
      try LinkSocket.connect(to: address).close()
      #expect(isTrusted)
    } catch {
      guard case .unfit(let sentence) = error else {
        Issue.record("\(error)")
        return
      }
      #expect(!isTrusted && sentence.contains(folder) && sentence.contains("chmod 700"))
    }
  }

  @Test func aLinkToAFolderIsNotTrusted() {
    let console = FakeConsole()
    let folder = LinkAddress(path: console.path, isExplicit: false).folder
    #expect(symlink(folder, folder + ".link") == 0)
    #expect(!LinkAddress(path: folder + ".link/a.sock", isExplicit: false).isTrusted)
  }

  @Test func whatCannotBeConnectedToIsToldApart() throws {
    let long = FakeConsole.freshPath() + String(repeating: "x", count: 120)
    #expect(throws: LinkSocket.Failure.absent) {
      try LinkSocket.connect(to: LinkAddress(path: long, isExplicit: true))
    }
    try Data().write(to: URL(fileURLWithPath: long))
    #expect {
      try LinkSocket.connect(to: LinkAddress(path: long, isExplicit: true))
    } throws: { error in
      if case .unfit(let sentence)? = error as? LinkSocket.Failure { sentence.contains("107") } else { false }
    }
    let file = FakeConsole.freshPath()
    try Data().write(to: URL(fileURLWithPath: file))
    #expect(throws: LinkSocket.Failure.absent) {
      try LinkSocket.connect(to: LinkAddress(path: file, isExplicit: true))
    }
  }
}
