import Foundation
import PatchbayTestSupport
import Testing

@Suite("patchbay install", .crowd, .bounded)
final class InstallTests: DeskSuite {
  @Test("the installed copy hooks programs from anywhere, whatever its folder is called; it is replaced while it runs")
  func works() async throws {
    let prefix = desk.folder.file("a b:c")
    // Below the home that the environment names.
    let installing = try await desk.run("install", "--prefix", "~/a b:c")
    #expect(installing.exitStatus == 0, "\(installing.said)")
    #expect(installing.lines.contains("\(prefix)/bin/patchbay"))
    for path in installing.lines { #expect(FileManager.default.fileExists(atPath: path), "\(path)") }
    for place in [
      "share/bash-completion/completions/patchbay", "share/zsh/site-functions/_patchbay",
      "share/fish/vendor_completions.d/patchbay.fish", "share/man/man1/patchbay.1",
      "share/man/man1/patchbay-stubs-list.1", "share/patchbay/themes/light.yaml",
    ] {
      #expect(installing.lines.contains("\(prefix)/\(place)"), "\(place)")
    }
    #expect(installing.errors.contains("put \(prefix)/bin into PATH to find it."), "\(installing.said)")

    let installed = prefix + "/bin/patchbay"
    let run = try desk.start(
      [installed, "run", "--headless", "--", BuiltProduct.path("plain-harness"), "ask"], input: .written)
    let asker = Asker(run)
    #expect(try await asker.ask(server.url("/json")).hasPrefix("200 "))
    try await run.waitFor(errors: "/json")
    #expect(try await desk.run("install", "--prefix", prefix).exitStatus == 0)
    #expect(try await asker.ask(server.url("/json?again")).hasPrefix("200 "))
    try await run.waitFor(errors: "/json?again")
    #expect(try await asker.leave() == 0)

    let doctor = try desk.start([installed, "doctor"])
    try await doctor.end()
    #expect(doctor.output.contains("\(prefix)/lib/patchbay/libPatchbayPreload.so"))
    let themes = try desk.start([installed, "themes", "list"])
    try await themes.end()
    #expect(themes.output.contains("\(prefix)/share/patchbay/themes/dark.yaml"))
  }

  @Test("a prefix that cannot be made is told in one sentence", arguments: ["/proc/nowhere", "/dev/null"])
  func refused(prefix: String) async throws {
    let installing = try await desk.run("install", "--prefix", prefix)
    #expect(installing.exitStatus == 1 && installing.output.isEmpty)
    #expect(installing.errors.contains(prefix) && installing.errors.contains("choose another --prefix"))
    #expect(installing.errors.split(separator: "\n").count == 1)
  }
}
