import Dispatch
import Foundation
import PatchbayLaunch
import PatchbayServer
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayRuntime

/// The command of `run`: what it gets, and what is said of it at its end.
@Suite(
  .bounded, .disabled(if: dlsym(nil, "__tsan_init") != nil, "a sanitizer's runtime cannot be preloaded beside ours"))
final class HookedCommandTests {
  private let place: TestFolders

  init() throws { place = try TestFolders() }

  private func command(
    _ words: String..., options: (inout ConsoleOptions) -> Void = { _ in }
  ) throws -> HookedCommand {
    try HookedCommand(words: words, plan: try place.plan(.run, options), folders: place.folders)
  }

  /// Runs it to its end.
  private func run(_ hooked: HookedCommand) async throws -> (status: Int32, output: String) {
    let output = SeenLock("")
    let ended = SeenLock(false)
    let command = try hooked.start(
      streams: .terminal(columns: 200, rows: 24, ownInput: false), queue: DispatchQueue(label: "test.command")
    ) { event in
      switch event {
      case .output(let bytes): output.withLock { $0 += String(decoding: bytes, as: UTF8.self) }
      case .ended: ended.withLock { $0 = true }
      }
    }
    let status = await command.wait()
    try await eventually("its output") { ended.withLock { $0 } }
    return (status, output.withLock { $0 }.replacing("\r\n", with: "\n"))
  }

  private static let variables = "echo \"$PATCHBAY_UNMATCHED|$PATCHBAY_TRUST_PEER|$PATCHBAY_SOCKET\"; exit 5"

  @Test func itIsToldTheSocketAndWhatIsPromised() async throws {
    let socket = try place.plan().socket
    func told(_ options: @escaping (inout ConsoleOptions) -> Void) async throws -> String {
      let hooked = try command("sh", "-c", Self.variables, options: options)
      defer { hooked.forget() }
      let (status, output) = try await run(hooked)
      #expect(status == 5)
      return output
    }
    #expect(try await told { _ in } == "pass||\(socket)\n")
    #expect(try await told { $0.unmatched = .hold } == "hold||\(socket)\n")
    #expect(try await told { $0.trustPeer = true } == "pass|1|\(socket)\n")
    #expect(try await told { $0.observe = true } == "||\(socket)\n", "what is only looked at is not kept waiting")
  }

  @Test func itsArgumentsAreGivenAsTheyAre() async throws {
    let hooked = try command("sh", "-c", "printf '%s,' \"$@\"", "sh", "a b", "", "山田", "'\"")
    #expect(try await run(hooked).output == "a b,,山田,'\",")
    hooked.forget()
  }

  @Test func whatCannotBeFoundOrKeptFromTheNetworkIsNotStarted() throws {
    let none = #expect(throws: LaunchError.self) { try command("/nowhere/program") }
    #expect(none?.exitStatus == 127)
    func refusal(_ words: [String], _ unmatched: StubSet.Unmatched) -> LaunchError? {
      #expect(throws: LaunchError.self) {
        try HookedCommand(
          words: words, plan: try place.plan(.run) { $0.unmatched = unmatched }, folders: place.folders)
      }
    }
    let cleared = refusal(["env", "-i", "sh"], .fail)
    #expect(cleared?.exitStatus == 126)
    #expect(
      cleared?.description
        == "its requests could not be kept from the network, as --unmatched fail wants it: env takes LD_PRELOAD away, by "
        + "which the hook gets into programs; put patchbay run behind it (env … patchbay run -- PROGRAM)")
    #expect(refusal(["env", "-i", "sh"], .hold)?.description.contains("--unmatched hold") == true)
    // Where nothing is to be kept from it, that is only said.
    let open = try command("env", "-i", "sh")
    #expect(open.cautions == [])
    #expect(open.silence?.hasPrefix("Nothing linked: env takes LD_PRELOAD away") == true)
    #expect(open.escaped == nil)
    open.forget()
  }

  @Test func withoutACautionNothingHasBeenTold() throws {
    let script = try command("sh", "-c", "true")
    #expect(script.cautions == [])
    script.cautioned()
    #expect(script.silence == Self.nothing("sh"))
    script.forget()
  }

  @Test func aProgramThatCannotBeHookedIsSaidSoOnce() throws {
    var bytes = try Data(contentsOf: URL(fileURLWithPath: "/bin/sh"))
    // Another processor's: e_machine, of which there is none with this number.
    bytes[18] = 0xF0
    bytes[19] = 0xF0
    let program = place.folder.file("foreign")
    try bytes.write(to: URL(fileURLWithPath: program))
    chmod(program, 0o755)
    let caution = "\(program) is for another processor than patchbay, so it cannot be hooked; build it for this machine"
    let hooked = try command(program)
    #expect(hooked.cautions == [caution])
    #expect(hooked.silence == "Nothing linked: \(caution).")
    hooked.cautioned()
    #expect(hooked.silence == nil)
    hooked.forget()
    let closed = #expect(throws: LaunchError.self) { try command(program) { $0.unmatched = .fail } }
    #expect(closed?.exitStatus == 126)
    #expect(
      closed?.description
        == "its requests could not be kept from the network, as --unmatched fail wants it: \(caution)")
  }

  // MARK: Why nothing linked

  /// What the hook's library says of why it stayed out stands in the notes.
  @Test(
    arguments: [
      (
        "few-descriptors", "20",
        "The hook stayed out of shop (7), because it may open only 20 files: raise that limit (ulimit -n)."
      ),
      (
        "different-runtime", "libswiftCore.so",
        "The hook stayed out of shop (7) because it runs on another Swift runtime (libswiftCore.so): build patchbay and the "
          + "program with the same toolchain."
      ),
      ("not-loaded", "no such file", "The hook could not be loaded into shop (7): no such file."),
      ("not-a-hook", "x", "The hook could not be loaded into shop (7): x."),
      ("no-hook", "x", "The hook could not be loaded into shop (7): x."),
      ("static", "/bin/x", nil), ("static-runtime", "/bin/x", nil), ("cleared-environment", "/bin/x", nil),
      ("not-taken", "x", nil),
    ] as [(String, String, String?)])
  func aNoteSaysWhyNothingLinked(_ reason: String, _ detail: String, _ sentence: String?) async throws {
    let hooked = try command("sh", "-c", "printf '7\\tshop\\t\(reason)\\t\(detail)\\n' >> \"$PATCHBAY_NOTES\"")
    _ = try await run(hooked)
    #expect(hooked.silence == sentence ?? Self.nothing("sh"))
    hooked.forget()
    #expect(hooked.silence == Self.nothing("sh"), "nothing is known of it afterwards")
  }

  private static func nothing(_ name: String) -> String {
    "Nothing linked: \(name) made no URLSession, and nothing that it started made one that could be hooked. "
      + "AsyncHTTPClient, libcurl, programs that are not Swift, static and set-uid ones are invisible to Patchbay, and "
      + "those that a wrapper starts without LD_PRELOAD."
  }

  @Test func aSwiftProgramIsNamedForWhatItIs() throws {
    let hooked = try command(BuiltProduct.path("running-program"))
    #expect(
      hooked.silence == "Nothing linked: \(BuiltProduct.path("running-program")) made no URLSession. AsyncHTTPClient, "
        + "libcurl and other clients are invisible to Patchbay.")
    hooked.forget()
  }

  @Test func nothingIsSaidWhereSomethingLinked() async throws {
    let server = ConsoleServer(configuration: ServerConfiguration(socket: place.folder.file("s.sock")))
    try await server.start()
    let hooked = try command("sh", "-c", "true")
    hooked.watch(server.events)
    #expect(hooked.silence == Self.nothing("sh"))
    let hook = try MadeUpHook(place.folder.file("s.sock"), name: "shop", pid: 7)
    try await eventually("the link") { hooked.silence == nil }
    hook.close()
    await server.stop()
    #expect(hooked.silence == nil)
    hooked.forget()
  }

  @Test func whatItLeftRunningIsNamed() async throws {
    let hooked = try command("sh", "-c", "trap '' HUP; sleep 60 >/dev/null 2>&1 </dev/null & echo $!")
    let pid = try #require(pid_t(try await run(hooked).output.filter(\.isNumber)))
    defer { kill(pid, SIGKILL) }
    let way = "let the command wait for it (sh -c '…; wait'), or leave --headless out"
    try await eventually("it has its name") { hooked.silence?.contains("sleep") == true }
    #expect(
      hooked.silence == "Nothing linked before sh ended, which left sleep (\(pid)) running, unseen from now on: \(way)."
    )
    #expect(hooked.leftBehind(of: [pid]) == "sh ended and left sleep (\(pid)) running, unseen from now on: \(way).")
    #expect(hooked.leftBehind(of: []) == nil && hooked.leftBehind(of: [pid + 1]) == nil)
    kill(pid, SIGKILL)
    try await eventually("nothing is left") { hooked.leftBehind(of: [pid]) == nil }
    hooked.forget()
  }

  // MARK: What may have reached the network

  /// Those that another made, by notes, and those that were found running.
  @Test func whoRanWithoutTheHookIsNamedWhereNothingWasToGetOut() async throws {
    func notes(_ count: Int) -> String {
      "for n in $(seq 1 \(count)); do printf \"$n\\tshop\\tnot-loaded\\tx\\n\" >> \"$PATCHBAY_NOTES\"; done"
    }
    func escaped(_ count: Int, _ unmatched: StubSet.Unmatched) async throws -> String? {
      let hooked = try command("sh", "-c", notes(count)) { $0.unmatched = unmatched }
      defer { hooked.forget() }
      _ = try await run(hooked)
      return hooked.escaped
    }
    func one(_ number: Int) -> String { "shop (\(number)), because the hook could not be loaded (x)" }
    let end = "so that requests which no stub takes may have reached the network: "
    #expect(try await escaped(0, .fail) == nil)
    #expect(try await escaped(1, .pass) == nil)
    #expect(try await escaped(1, .fail) == "1 process ran without the hook, \(end)\(one(1)).")
    #expect(try await escaped(2, .hold) == "2 processes ran without the hook, \(end)\(one(1)); \(one(2)).")
    let twenty = (1...20).map(one).joined(separator: "; ")
    #expect(try await escaped(20, .fail) == "20 processes ran without the hook, \(end)\(twenty).")
    #expect(try await escaped(22, .fail) == "22 processes ran without the hook, \(end)\(twenty); and 2 more.")
  }

  /// A wrapper took the hook's variables away: that is seen while it runs.
  @Test(arguments: [false, true]) func aProgramWithoutTheHookIsSeenWhileItRuns(_ isClosed: Bool) async throws {
    let program = BuiltProduct.path("running-program")
    let hooked = try command("sh", "-c", "unset LD_PRELOAD; '\(program)'; exit 3") {
      $0.unmatched = isClosed ? .fail : .pass
    }
    let told = SeenLock<[String]>([])
    hooked.whenUnreached { sentence in told.withLock { $0.append(sentence) } }
    let command = try hooked.start(
      streams: .terminal(columns: 80, rows: 24, ownInput: true), queue: DispatchQueue(label: "test.command")
    ) { _ in }
    try await eventually("it is seen") { told.withLock { !$0.isEmpty } }
    let found = try #require(Processes.descendants(of: command.processIdentifier).first)
    let sentence =
      "running-program (\(found)) runs without the hook, because LD_PRELOAD did not reach it; start it by patchbay run "
      + "behind the wrapper that clears the environment, or link the library Patchbay into it and call Patchbay.attach()."
    #expect(told.withLock { $0 } == [sentence])
    #expect(hooked.silence == "Nothing linked: \(sentence)")
    #expect(
      hooked.escaped
        == (isClosed
          ? "1 process ran without the hook, so that requests which no stub takes may have reached the network: "
            + "running-program (\(found)), because LD_PRELOAD did not reach it."
          : nil))
    kill(found, SIGKILL)
    #expect(await command.wait() == 3)
    hooked.forget()
  }
}
