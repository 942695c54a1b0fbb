import PatchbayTestSupport
import Testing

@Suite("The shells' completions", .crowd, .bounded)
struct CompletionTests {
  @Test("files, names and words are offered", arguments: ["bash", "zsh", "fish"])
  func offers(_ shell: String) async throws {
    let script = try await Desk().run("--generate-completion-script", shell)
    #expect(script.exitStatus == 0, "\(script.said)")
    for word in ["timedOut", "emptyResponse", "patchbay stubs list", "patchbay themes list", "until-idle"] {
      #expect(script.output.contains(word), "\(word)")
    }
    let files = ["bash": "__patchbay_add_completions -f", "zsh": "_files", "fish": "-F"]
    #expect(script.output.contains(files[shell] ?? "?"), "files are offered")
  }
}
