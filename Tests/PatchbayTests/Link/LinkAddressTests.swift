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

  @Test("only our own console and root's are taken, wherever the path is from, unless another is trusted")
  func users() {
    for path in ["/a/b.sock", ""] {
      func address(_ trust: String?) -> LinkAddress {
        LinkAddress.resolve { ["PATCHBAY_SOCKET": path, "PATCHBAY_TRUST_PEER": trust][$0] ?? nil }
      }
      for trust in [nil, "", "0"] as [String?] {
        #expect(address(trust).takes(getuid()) && address(trust).takes(0))
        #expect(!address(trust).takes(getuid() + 1_234) && !address(trust).takes(nil))
      }
      #expect(address("1").takes(getuid() + 1_234) && address("1").takes(nil))
    }
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

  @Test(.enabled(if: geteuid() == 0, "only root may give a folder away"))
  func aFolderOfAnotherUsersIsNeitherTakenNorTrusted() throws {
    let console = FakeConsole()
    let address = LinkAddress(path: console.path, isExplicit: false)
    #expect(address.isTrusted)
    let runtime: (String) -> String? = { $0 == "XDG_RUNTIME_DIR" ? address.folder : nil }
    #expect(LinkAddress.resolve(runtime).path == address.folder + "/patchbay/default.sock")
    #expect(chown(address.folder, 65_534, 65_534) == 0)
    #expect(!address.isTrusted)
    #expect(LinkAddress.resolve(runtime).path == "/tmp/patchbay-\(geteuid())/default.sock")
    #expect(LinkAddress(path: address.path, isExplicit: true).isTrusted, "who is named is meant")
  }

  /// The folder is ours and nobody else's, but who listens there is another: that is told from the socket itself.
  @Test(
    .enabled(
      if: geteuid() == 0 && access("/usr/bin/perl", X_OK) == 0, "only root has a program listen as somebody else"))
  func aConsoleOfAnotherUsersIsUsedOnlyWhereItIsTrusted() throws {
    let path = FakeConsole.freshPath()
    chmod(LinkAddress(path: path, isExplicit: false).folder, 0o700)
    let program = try TestProgram([
      "/usr/bin/perl", "-MSocket", "-e",
      """
      socket(S, AF_UNIX, SOCK_STREAM, 0); bind(S, pack_sockaddr_un($ARGV[0])) or die; $> = 65534; listen(S, 5) or die;
      $| = 1; print ".\n"; sleep 60
      """, path,
    ])
    defer { program.signal(SIGKILL) }
    #expect(try program.line() == ".")
    for isExplicit in [false, true] {
      #expect {
        try LinkSocket.connect(to: LinkAddress(path: path, isExplicit: isExplicit))
      } throws: { error in
        guard case .unfit(let sentence)? = error as? LinkSocket.Failure else { return false }
        return sentence.contains("another user (uid 65534)") && sentence.contains("PATCHBAY_TRUST_PEER")
      }
    }
    try LinkSocket.connect(to: LinkAddress(path: path, isExplicit: true, trustsPeer: true)).close()
  }
}
