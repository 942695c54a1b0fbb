import Foundation
import PatchbayTestSupport
import Testing

@Suite("The shells' completions", .crowd, .bounded)
struct CompletionTests {
  @Test("files, names and words are offered", arguments: ["bash", "zsh", "fish"])
  func offers(_ shell: String) async throws {
    let script = try await Desk().run("--generate-completion-script", shell)
    #expect(script.exitStatus == 0, "\(script.said)")
    for word in ["patchbay faults", "templates", "patchbay stubs list", "patchbay themes list", "until-idle"] {
      #expect(script.output.contains(word), "\(word)")
    }
    let files = ["bash": "__patchbay_add_completions -f", "zsh": "_files", "fish": "-F"]
    #expect(script.output.contains(files[shell] ?? "?"), "files are offered")
  }

  @Test("bash offers topics and commands behind help")
  func topics() async throws {
    let desk = try Desk()
    let script = try await desk.run("--generate-completion-script", "bash")
    let path = try desk.folder.write(script.output, to: "completion.bash")
    let asking = """
      source '\(path)'; COMP_WORDS=(patchbay help te); COMP_CWORD=2; COMP_LINE='patchbay help te'; COMP_POINT=16
      _patchbay patchbay te help; printf '%s\\n' "${COMPREPLY[@]}"
      """
    let bash = try desk.start(["/bin/bash", "-c", asking])
    try await bash.end()
    #expect(bash.lines.map { $0.trimmingCharacters(in: .whitespaces) } == ["templates", "tests"], "\(bash.said)")
  }

  @Test("what may be run is offered, and nothing is started")
  func programs() async throws {
    let desk = try Desk()
    let bin = desk.folder.file("bin")
    try FileManager.default.createDirectory(atPath: bin, withIntermediateDirectories: true)
    let tool = try desk.folder.write("#!/bin/sh\n", to: "bin/tool-one")
    chmod(tool, 0o755)
    let offered = try await desk.run("run", "--completing", "patchbay run tool-", environment: ["PATH": bin])
    #expect(offered.exitStatus == 0 && offered.output == "tool-one\n" && offered.errors.isEmpty, "\(offered.said)")
  }

  @Test("fish offers faults behind an id", .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/fish")))
  func behindAnID() async throws {
    let desk = try Desk()
    let script = try await desk.run("--generate-completion-script", "fish")
    let path = try desk.folder.write(script.output, to: "completion.fish")
    let folder = (BuiltProduct.path("patchbay") as NSString).deletingLastPathComponent
    let asking = "set -p PATH '\(folder)'; source '\(path)'; complete -C 'patchbay hold fail 1 timed'"
    let fish = try desk.start(["/usr/bin/fish", "-c", asking])
    try await fish.end()
    #expect(fish.output.hasPrefix("timedOut\tURLError.timedOut"), "\(fish.said)")
  }

  @Test(
    "faults are offered with what they mean, as each shell takes it",
    arguments: [
      (["5.9", ""], "timedOut:URLError.timedOut"), (["", "3.7"], "timedOut\tURLError.timedOut"),
      (["", ""], "timedOut\n"),
    ])
  func meanings(_ shells: [String], _ start: String) async throws {
    let offered = try await Desk().run("faults", "--completing", shells[0], "--completing", shells[1])
    #expect(offered.exitStatus == 0 && offered.output.hasPrefix(start), "\(offered.said)")
  }
}
