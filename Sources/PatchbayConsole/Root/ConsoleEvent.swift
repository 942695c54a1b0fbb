import Foundation
import PatchbayGrid
import PatchbayInspect
import PatchbayStubs
import PatchbayWire

/// What happens to the console: the person's input, and what the runtime learned.
package enum ConsoleEvent: Sendable {
  case input(InputEvent)
  case resized(Size)
  /// New exchanges and changed ones, as they happen. `query` is the token of the query that `matches` is for.
  case exchanges([ExchangeChange], query: Int)
  /// How many exchanges are recorded in all, before those that come live.
  case recorded(Int)
  /// The runs of the history; the last one may go on.
  case runs([RunRow])
  case summaries([ExchangeSummary])
  /// They were asked for and are not recorded any more.
  case gone([Int64])
  /// So many of the oldest left the history; none but marked ones is left below that id.
  case retired(exchanges: Int, below: Int64)
  case ids(IDBatch)
  /// The watched exchange; nil where it is no longer recorded.
  case exchange(Int64, Exchange?)
  /// What was asked before and after an exchange in the same way, the exchange itself included, oldest first.
  case retries(Int64, [ExchangeSummary])
  /// The answer to `.fetch`, in the order of its ids, without those that are no longer recorded.
  case fetched([Exchange], for: FetchPurpose)
  /// The stubs, whoever changed them; `by` names another than this screen.
  case board(StubBoard, by: String?)
  /// What the switches of the stub set say.
  case switches(unmatched: StubSet.Unmatched, holdAll: Action.HoldPoint?)
  /// A stub file is in force and watched; it was not before where `isNew`. Where `isOffline` it is to answer alone.
  case stubFileLoaded(path: String, count: Int, isNew: Bool, isOffline: Bool = false)
  /// The counters of stubs that changed in one process.
  case progress(HarnessProcess, [StubProgress])
  case scenarios(HarnessProcess, [ScenarioState])
  case links([LinkRow])
  /// The answer to `.findPrograms`.
  case programs([ProgramRow])
  case output([OutputLine], skipped: Int = 0)
  /// The command of `run` has ended, with a sentence.
  case commandEnded(String)
  case traffic(token: Int, TrafficReport)
  case trafficDetail(token: Int, TrafficDetail)
  case stubDetail(StubDetail)
  case preview(token: Int, PreviewResult)
  case editorReturned(token: Int, EditorResult)
  /// What an earlier console for the same stubs did not write to a file.
  case kept(KeptStubs)
  /// The answer to `.compare`.
  case compared(ComparePage, [Exchange], for: FetchPurpose)
  case notice(Notice)
  /// Long work that goes on; nil progress is the end of it.
  case work(token: Int, title: String, share: Double?)
  case workEnded(token: Int)
  case imported(ImportReport)
  /// What a path that is being typed may go on as, in whole paths.
  case pathCompletions(of: String, [String])
  case theme(Theme)
  /// The pictures that the terminal shows.
  case pictures(Set<Picture.Format>)
  case themes([String])
  /// The themes by the names of `.themes`, for the picker.
  case swatches([String: Theme])
  /// A moment that `nextTick` asked for.
  case tick
}

/// One exchange that came or changed.
package struct ExchangeChange: Sendable {
  package var summary: ExchangeSummary
  /// Whether it fits the filter of the query in force.
  package var matches: Bool

  package init(_ summary: ExchangeSummary, matches: Bool = true) {
    self.summary = summary
    self.matches = matches
  }
}

/// Part of a query's answer.
package struct IDBatch: Sendable {
  package var token: Int
  /// Falling (newest first), unless the query is sorted: then in the order to be shown.
  package var ids: [Int64]
  package var isLast: Bool
  /// A sentence when the search failed.
  package var failure: String?

  package init(token: Int, ids: [Int64], isLast: Bool = true, failure: String? = nil) {
    self.token = token
    self.ids = ids
    self.isLast = isLast
    self.failure = failure
  }
}

/// A linked process, or one that was.
package struct LinkRow: Sendable, Equatable {
  package var instance: UInt64
  package var process: HarnessProcess
  package var executable: String
  package var entry: Hello.Entry
  package var since: Timestamp
  /// When the link ended; nil while it lasts.
  package var ended: Timestamp?
  /// The revision of the stubs that is in force there.
  package var revision: UInt64
  package var degree: HookSettings.Degree
  package var shed: Shed
  package var exchanges: Int
  package var parent: Int32
  /// How many earlier processes had the same executable and have gone.
  package var restarts: Int
  /// Whether it sends more than the console takes, and is read slowly.
  package var isThrottled: Bool
  /// Whether it does not read or answer, as when it is stopped.
  package var isStalled: Bool

  package init(
    instance: UInt64, process: HarnessProcess, executable: String, entry: Hello.Entry, since: Timestamp,
    ended: Timestamp? = nil, revision: UInt64 = 0, degree: HookSettings.Degree = .full, shed: Shed = Shed(),
    exchanges: Int = 0, parent: Int32 = 0, restarts: Int = 0, isThrottled: Bool = false, isStalled: Bool = false
  ) {
    self.instance = instance
    self.process = process
    self.executable = executable
    self.entry = entry
    self.since = since
    self.ended = ended
    self.revision = revision
    self.degree = degree
    self.shed = shed
    self.exchanges = exchanges
    self.parent = parent
    self.restarts = restarts
    self.isThrottled = isThrottled
    self.isStalled = isStalled
  }
}

/// A running program that is not linked and could be attached to.
package struct ProgramRow: Sendable, Equatable {
  package var process: HarnessProcess
  package var since: Timestamp
  /// With its arguments.
  package var command: String

  package init(process: HarnessProcess, since: Timestamp, command: String) {
    self.process = process
    self.since = since
    self.command = command
  }
}

/// A line that the command printed.
package struct OutputLine: Sendable, Equatable {
  package enum Stream: Sendable, Equatable { case output, error, input }
  package var at: Timestamp
  package var stream: Stream
  /// As it came; of its escape sequences only colours are shown.
  package var text: String
  /// Fit to be printed: without escape sequences, other control characters shown.
  package var plainText: String { ANSIText.plain(text) }

  /// Whether its end has not come yet: the next lines replace it.
  package var isOpen: Bool

  package init(at: Timestamp, stream: Stream, text: String, isOpen: Bool = false) {
    self.at = at
    self.stream = stream
    self.text = text
    self.isOpen = isOpen
  }
}

/// How many recorded requests a pattern fits, and the newest of them.
package struct PreviewResult: Sendable, Equatable {
  package var matching: Int
  package var of: Int
  package var newest: [Int64]

  package init(matching: Int, of: Int, newest: [Int64] = []) {
    self.matching = matching
    self.of = of
    self.newest = newest
  }
}

package enum EditorResult: Sendable, Equatable {
  /// Nothing was changed, or the editor ended with an error.
  case unchanged
  case stub(Stub)
  case text(String)
  /// What came back cannot be read; the sentence says where. The text is kept.
  case broken(String, text: String)
}

/// A sentence for the person.
package struct Notice: Sendable, Equatable {
  package enum Kind: Sendable, Equatable { case info, good, warning, error }
  package var kind: Kind
  package var text: String

  package init(_ kind: Kind, _ text: String) {
    self.kind = kind
    self.text = text
  }
}

/// What was recorded from a file.
package struct ImportReport: Sendable, Equatable {
  /// The file's name.
  package var name: String
  /// The exchanges that are new.
  package var ids: [Int64]
  /// How many entries could not be read.
  package var leftOut: Int
  /// The first thing that is wrong with the file; a sentence.
  package var problem: String?

  package init(name: String, ids: [Int64], leftOut: Int = 0, problem: String? = nil) {
    self.name = name
    self.ids = ids
    self.leftOut = leftOut
    self.problem = problem
  }
}

/// What the runtime counted: one row for each endpoint, and one for each host.
package struct TrafficReport: Sendable, Equatable {
  package var endpoints: [TrafficStatistics]
  package var hosts: [TrafficStatistics]

  package init(endpoints: [TrafficStatistics] = [], hosts: [TrafficStatistics] = []) {
    self.endpoints = endpoints
    self.hosts = hosts
  }
}
