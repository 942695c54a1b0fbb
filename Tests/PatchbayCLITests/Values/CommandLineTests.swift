import ArgumentParser
import Foundation
import PatchbayAttach
import PatchbayLaunch
import PatchbayRuntime
import PatchbayStubs
import PatchbayTestSupport
import Testing

@testable import PatchbayCLI

/// How a command line is read, and what is said of one that cannot be.
@Suite(.bounded) struct CommandLineTests {
  /// How a line ends that is only read; nil where nothing is wrong with it.
  private func failure(_ line: [String]) -> Failure? {
    do {
      _ = try PatchbayCommand.command(of: line)
      return nil
    } catch { return Failure(error) }
  }

  // MARK: The order of words

  @Test(arguments: [
    ("run ./app --verbose", "run -- ./app --verbose"), ("run -- ./app", "run -- ./app"),
    ("run --headless ./app --headless", "run --headless -- ./app --headless"),
    ("run --for 3s ./app -h", "run --for 3s -- ./app -h"), ("run --for=3s ./app", "run --for=3s -- ./app"),
    ("run --for 3s", "run --for 3s"), ("run", "run"), ("run - x", "run -- - x"), ("listen run x", "listen run x"),
    ("history -path:/health", "history -- -path:/health"),
    ("history -path:/health --json", "history --json -- -path:/health"),
    ("history --limit -5 -x", "history --limit -5 -x"), ("history --limit -55 -xy", "history --limit -55 -- -xy"),
    ("history --limit --limit -ab", "history --limit --limit -- -ab"),
    ("export har -path:/x", "export har -- -path:/x"),
    ("--experimental-dump-help", "--experimental-dump-help"),
    ("--generate-completion-script bash", "--generate-completion-script bash"),
    ("export har -o out", "export har -o out"), ("export har -o -out", "export har -o -out"),
    ("export har -h", "export har -h"), ("export har -- -path:x -y", "export har -- -path:x -y"),
    ("log -ab -cd", "log -- -ab -cd"), ("log a", "log a"), ("stubs -ab", "stubs -ab"),
    ("", "listen"), ("--headless --for 3s", "listen --headless --for 3s"), ("-- run", "listen -- run"),
    ("--version", "--version"), ("---completion run", "---completion run"), ("demo-harness", "demo-harness"),
  ])
  func eachWordStandsWhereTheParserTakesItAsMeant(_ line: String, _ arranged: String) {
    func words(_ text: String) -> [String] { text.split(separator: " ").map(String.init) }
    #expect(ArgumentOrder.arranged(words(line)) == words(arranged))
  }

  @Test(arguments: [
    ("", nil), ("--headless", nil), ("--for 3s", nil), ("--for", nil), ("--for 3s x", 2), ("x", 0), ("-o y x", 2),
    ("--headless x y", 1), ("-- x", nil), ("--for -- x", 2), ("-", 0), ("-x y", 1),
  ])
  func theFirstWordThatIsNoOption(_ line: String, _ index: Int?) {
    let words = line.split(separator: " ").map(String.init)
    #expect(OptionWords.firstOther(in: words[...]) == index)
    #expect(OptionWords.firstOther(in: (["run"] + words)[1...]) == index.map { $0 + 1 })
  }

  @Test(arguments: [
    ("", true, true), ("--headless", true, true), ("--for", true, false), ("--for 3s", true, true), ("x", true, false),
    ("x", false, true), ("--socket", false, false), ("--socket --socket", false, true), ("x --filter", false, false),
    ("--socket x --json", false, true),
  ])
  func anOptionIsOursBehindTheseWords(_ line: String, _ runs: Bool, _ isOwn: Bool) {
    let words = line.split(separator: " ").map(String.init)
    #expect(OptionWords.isOwn(behind: words[...], runs: runs) == isOwn)
  }

  // MARK: Names of commands

  @Test(arguments: [
    ("histroy", "There is no command `patchbay histroy`; did you mean `history`? See `patchbay --help`."),
    ("stubs lsit", "There is no command `patchbay stubs lsit`; did you mean `list`? See `patchbay stubs --help`."),
    (
      "hold zzzzzz",
      "There is no command `patchbay hold zzzzzz`: choose one of list, continue, drop, respond, fail. "
        + "See `patchbay hold --help`."
    ),
    ("stubs list x", nil), ("help", nil), ("stubs help", nil), ("stubs help list", nil), ("--version", nil), ("", nil),
    ("run x", nil), ("demo-harness", nil), ("stubs --help lsit", nil),
    ("hlep", "There is no command `patchbay hlep`; did you mean `help`? See `patchbay --help`."),
  ])
  func misspeltCommandsAreNamed(_ line: String, _ sentence: String?) {
    let words = line.split(separator: " ").map(String.init)
    var said: String?
    do { try CommandNames.check(words) } catch { said = "\(error)" }
    #expect(said == sentence)
  }

  // MARK: Values

  @Test(
    arguments: [
      ("0ms", .zero), ("300ms", .milliseconds(300)), ("10s", .seconds(10)), ("5m", .seconds(300)),
      ("2h", .seconds(7_200)), ("1d", .seconds(86_400)), ("0.5s", .milliseconds(500)), ("1.5m", .seconds(90)),
      ("0.0005s", .zero), ("1e3s", .seconds(1_000)), ("1ms", .milliseconds(1)),
      ("10000000000s", .seconds(10_000_000_000)),
      ("1000000000000s", .seconds(1_000_000_000_000)), ("1000000000001s", .seconds(1_000_000_000_000)),
      ("1e300d", .seconds(1_000_000_000_000)),
    ] as [(String, Duration)])
  func durations(_ text: String, _ duration: Duration) throws {
    #expect(try DurationArgument(parsing: text).duration == duration)
  }

  @Test(arguments: ["10", "s", "ms", "-1s", "1 s", "1x", "10sec", "infs", "nans", "1w", "s10", "1S"])
  func whatIsNoDuration(_ text: String) {
    let failure = failure(["listen", "--for=\(text)"])
    #expect(failure?.status == 64)
    #expect(
      failure?.text.contains(
        "A duration is a number with ms, s, m, h or d behind it, such as 300ms, 10s or 5m") == true,
      "\(failure?.text ?? "")")
  }

  @Test(arguments: [
    ("K: V", "K", "V"), ("K:V", "K", "V"), ("K:   V ", "K", "V "), ("K:", "K", ""), ("K: a:b", "K", "a:b"),
    ("K:\tV", "K", "\tV"),
  ])
  func headers(_ text: String, _ name: String, _ value: String) throws {
    let header = try #require(HeaderArgument(argument: text))
    #expect(header.field == HeaderField(name, value))
    #expect(header.json == [.string(name), .string(value)])
  }

  @Test(arguments: ["", "K", ":", ": V"]) func whatIsNoHeader(_ text: String) {
    #expect(HeaderArgument(argument: text) == nil)
  }

  // MARK: Options of a console

  @Test func eachOptionOfAConsoleIsTaken() throws {
    let none = try ConsoleArguments.parse([]).options
    let all = try ConsoleArguments.parse([
      "--socket", "/s", "--trust-peer", "--stubs", "a.yaml", "--stubs", "-", "--history", ":memory:", "--unmatched",
      "fail", "--observe", "--keep-stubs", "--redact", "--body-limit", "1MiB", "--timeouts-run-while-held", "--theme",
      "hanabi", "--filter", "-host:a", "--headless", "--for", "3s", "--until-idle", "4s", "--log", "-", "--expect",
      "a", "--expect", "-b", "--forbid", "c", "--expect-stubs-used", "--report", "r.xml", "--record", "r.yaml",
      "--force", "--with-secrets",
    ]).options
    #expect(none.socket == nil && all.socket == "/s")
    #expect(!none.trustPeer && all.trustPeer)
    #expect(none.stubs == [] && all.stubs == ["a.yaml", "/dev/stdin"])
    #expect(none.history == nil && all.history == ":memory:")
    #expect(none.unmatched == nil && all.unmatched == .fail)
    #expect(!none.observe && all.observe)
    #expect(!none.keepStubs && all.keepStubs)
    #expect(!none.redact && all.redact)
    let limit = try BodyLimit(parsing: "1MiB")
    #expect(none.bodyLimit == nil && all.bodyLimit == limit)
    #expect(!none.timeoutsRunWhileHeld && all.timeoutsRunWhileHeld)
    #expect(none.theme == nil && all.theme == "hanabi")
    #expect(none.filter == nil && all.filter == "-host:a")
    #expect(!none.headless && all.headless)
    #expect(none.duration == nil && all.duration == .seconds(3))
    #expect(none.untilIdle == nil && all.untilIdle == .seconds(4))
    #expect(none.log == nil && all.log == "-")
    #expect(none.expect == [] && all.expect == ["a", "-b"])
    #expect(none.forbid == [] && all.forbid == ["c"])
    #expect(!none.expectStubsUsed && all.expectStubsUsed)
    #expect(none.report == nil && all.report == "r.xml")
    #expect(none.record == nil && all.record == "r.yaml")
    #expect(!none.force && all.force)
    #expect(!none.withSecrets && all.withSecrets)
    #expect(!none.hasChecks && all.hasChecks)
    for one in [["--expect", "a"], ["--forbid", "a"], ["--expect-stubs-used"]] {
      #expect(try ConsoleArguments.parse(one).options.hasChecks, "\(one)")
    }
  }

  // MARK: What is said of wrong lines

  @Test func whatIsSaidOfWrongLines() throws {
    let lines: [[String]] = [
      ["run"], ["run", "--headless"], ["run", "--nosuch", "x"], ["listen", "--for"], ["listen", "--for", "3"],
      ["listen", "--until-idle", "x"], ["listen", "--unmatched", "nosuch"], ["listen", "--body-limit", "x"],
      ["listen", "--body-limit", "129MiB"], ["listen", "x"], ["attach"], ["attach", " "], ["attach", "1", "2"],
      ["detach"], ["detach", ""], ["open"], ["open", "a", "b"], ["demo", "x"], ["history", "--limit", "-1"],
      ["history", "--limit", "x"], ["history", "--socket", "a", "--history", "b"], ["export"], ["export", "nosuch"],
      ["import"], ["import", "a", "--limit", "-1"], ["import", "a", "--limit", "0"], ["stubs"], ["stubs", "check"],
      ["stubs", "enable"], ["stubs", "explain"], ["stubs", "explain", "--url", "x"],
      ["stubs", "explain", "--url", "://x"], ["stubs", "explain", "--url", "a://"],
      ["stubs", "explain", "--url", "a://b\nc"], ["stubs", "explain", "--url", "a://b"],
      ["stubs", "explain", "--url", "a://b", "--header", "x"], ["hold"], ["hold", "continue"],
      ["hold", "continue", "x"],
      ["hold", "respond", "1"], ["hold", "respond", "1", "--status", "99"],
      ["hold", "respond", "1", "--status", "100"],
      ["hold", "respond", "1", "--status", "599"], ["hold", "respond", "1", "--status", "600"],
      ["hold", "respond", "1", "--body", "a", "--body-file", "b"], ["hold", "fail", "1"], ["schema"], ["schema", "x"],
      ["themes", "show"], ["install", "--prefix", ""], ["faults", "x"], ["doctor", "x"], ["nosuch"],
    ]
    let said = lines.map { line in
      let end = failure(line).map { "\($0.status): \($0.text)" } ?? "is read\n"
      return
        "== \(line.map { $0.isEmpty || $0.contains { " \n".contains($0) } ? "'\($0)'" : $0 }.joined(separator: " "))\n\(end)"
    }
    try expectRecorded(said.joined(), "Whole/WrongLines.txt")
  }

  @Test func eachErrorHasItsStatus() {
    struct Other: Error, CustomStringConvertible { var description: String { "Something\u{1B} else." } }
    #expect(Failure(RuntimeError("No.\n")) == Failure(text: "patchbay: No.␊\n", status: 1))
    #expect(Failure(RuntimeError("No.", isUsage: true)) == Failure(text: "patchbay: No.\n", status: 64))
    #expect(
      Failure(UsageError("No", command: "patchbay run"))
        == Failure(text: "patchbay: No. See `patchbay run --help`.\n", status: 64))
    #expect(
      Failure(AttachError("Which?", programs: ["1\na", "2  b"]))
        == Failure(text: "patchbay: Which?\n1␊a\n2  b\n", status: 1))
    #expect(Failure(Other()) == Failure(text: "patchbay: Something␛ else.\n", status: 1))
    let full =
      "patchbay: A file or the output cannot be read or written (No space left on device): look whether the disk is "
      + "full, or the permissions.\n"
    #expect(Failure(POSIXError(.ENOSPC)) == Failure(text: full, status: 1))
    #expect(Failure(ExitCode(4)) == nil && Failure(ExitCode.success) == nil)
  }

  @Test(arguments: [
    ("No", "No. See `c --help`."), ("No.", "No. See `c --help`."), ("No?", "No? See `c --help`."),
    ("No!", "No! See `c --help`."), (" No\n  more", "No more. See `c --help`."), ("", ". See `c --help`."),
    (
      "Wrong. Please provide one of the following:\n  - a\n  - b", "Wrong: choose one of a, b. See `c --help`."
    ),
  ])
  func usageIsOneSentence(_ problem: String, _ sentence: String) {
    let error = UsageError(problem, command: "c")
    #expect(error.description == sentence && error.errorDescription == sentence)
  }
}
