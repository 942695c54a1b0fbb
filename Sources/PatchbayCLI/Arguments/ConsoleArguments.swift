import ArgumentParser
import PatchbayRuntime
import PatchbayStubs

/// The options that `run`, `attach`, `listen` and `demo` share.
struct ConsoleArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp("The harness socket; its control socket is PATH.control.", valueName: "path"),
    completion: .file())
  var socket: String?

  @Flag(help: "Accept programs and controllers of other users, as with containers that renumber users.")
  var trustPeer = false

  @Option(
    help: ArgumentHelp(
      "A stub file, watched, or - for standard input; may be given again, and the earlier wins.", valueName: "file"),
    completion: .file())
  var stubs: [String] = []

  @Option(help: ArgumentHelp("Where exchanges are recorded, or :memory:.", valueName: "path"), completion: .file())
  var history: String?

  @Option(help: ArgumentHelp("What happens to a request that no stub takes: pass, fail or hold.", valueName: "what"))
  var unmatched: StubSet.Unmatched?

  @Flag(help: "Only report requests when they start; intercept nothing.")
  var observe = false

  @Flag(help: "The stubs stay in force in the programs when the console has gone.")
  var keepStubs = false

  @Flag(help: "Mask secrets before anything is recorded.")
  var redact = false

  @Option(
    help: ArgumentHelp(
      "Record at most that much of each body and count the rest. Without it 4MiB of a request's and 64MiB of a "
        + "response's.",
      valueName: "size"),
    transform: BodyLimit.init(parsing:))
  var bodyLimit: BodyLimit?

  @Flag(help: "A program's timeout runs on while one of its requests is held.")
  var timeoutsRunWhileHeld = false

  @Option(help: ArgumentHelp("A theme by name or file.", valueName: "name"), completion: .themes)
  var theme: String?

  @Option(parsing: .unconditional, help: ArgumentHelp("Show only what fits.", valueName: "filter"))
  var filter: String?

  @Flag(help: "No screen: one line per exchange on standard error.")
  var headless = false

  @Option(
    name: .customLong("for"), help: ArgumentHelp("End after that time (10s, 5m).", valueName: "duration"),
    transform: DurationArgument.init(parsing:))
  var duration: DurationArgument?

  @Option(
    help: ArgumentHelp(
      "End when no request was under way for that time. `run` counts from the start of the command, `listen` from the "
        + "first program that links.",
      valueName: "duration"),
    transform: DurationArgument.init(parsing:))
  var untilIdle: DurationArgument?

  @Option(
    help: ArgumentHelp(
      "JSON Lines of every exchange, added to the file's end; - is standard output (of `listen` and `demo`, without a "
        + "screen).",
      valueName: "file"),
    completion: .file())
  var log: String?

  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "End with status 3 unless an exchange fits, or as many as count: says (count:3, count:>=2, count:1..3); may be "
        + "given again.",
      valueName: "filter"))
  var expect: [String] = []

  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "End with status 3 if an exchange fits, or as many as count: says; may be given again.", valueName: "filter"))
  var forbid: [String] = []

  @Flag(help: "End with status 3 unless each stub that is switched on has taken a request.")
  var expectStubsUsed = false

  @Option(
    help: ArgumentHelp("Report the checks there as JUnit XML, at the end.", valueName: "file"), completion: .file())
  var report: String?

  @Option(
    help: ArgumentHelp(
      "At the end, write stubs that answer what was seen, secrets masked, in place of an earlier recording.",
      valueName: "file"), completion: .file())
  var record: String?

  @Flag(help: "Let --record replace a file that it did not write itself.")
  var force = false

  @Flag(help: "Leave secrets as they are in printed lines, in --record and in exports from the screen.")
  var withSecrets = false

  /// As the console takes them.
  var options: ConsoleOptions {
    var options = ConsoleOptions()
    options.socket = socket
    options.trustPeer = trustPeer
    options.stubs = stubs.map { $0 == "-" ? "/dev/stdin" : $0 }
    options.history = history
    options.unmatched = unmatched
    options.observe = observe
    options.keepStubs = keepStubs
    options.redact = redact
    options.bodyLimit = bodyLimit
    options.timeoutsRunWhileHeld = timeoutsRunWhileHeld
    options.theme = theme
    options.filter = filter
    options.headless = headless
    options.duration = duration?.duration
    options.untilIdle = untilIdle?.duration
    options.log = log
    options.expect = expect
    options.forbid = forbid
    options.expectStubsUsed = expectStubsUsed
    options.report = report
    options.record = record
    options.force = force
    options.withSecrets = withSecrets
    return options
  }
}

extension StubSet.Unmatched: ExpressibleByArgument {}

/// A duration such as `300ms`, `10s` or `5m`.
struct DurationArgument {
  var duration: Duration

  init(_ duration: Duration) { self.duration = duration }

  /// - Throws: a sentence about what a duration is.
  init(parsing text: String) throws {
    let units: KeyValuePairs = ["ms": 0.001, "s": 1, "m": 60, "h": 3_600, "d": 86_400]
    guard let unit = units.first(where: { text.hasSuffix($0.key) }),
      let count = Double(text.dropLast(unit.key.count)), count >= 0, count.isFinite
    else {
      throw ValidationError("A duration is a number with ms, s, m, h or d behind it, such as 300ms, 10s or 5m")
    }
    duration = .milliseconds(Int64(min(count * unit.value * 1_000, 1e15)))
  }
}

/// A header as curl takes it: `K: V`.
struct HeaderArgument: ExpressibleByArgument {
  var field: HeaderField

  init?(argument: String) {
    let halves = argument.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard halves.count == 2, !halves[0].isEmpty else { return nil }
    field = HeaderField(String(halves[0]), String(halves[1].drop { $0 == " " }))
  }

  var json: JSONValue { [.string(field.name), .string(field.value)] }
}
