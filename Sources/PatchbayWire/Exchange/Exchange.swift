import Foundation
import PatchbayStubs

/// One request and what became of it, as `Patchbay.exchanges` gives them to a test and as the console shows them.
public struct Exchange: Hashable, Sendable, Identifiable {
  /// Rises in order of arrival. In a program its own count from 1; in the console unique in the history.
  public var id: Int64
  package var process: HarnessProcess
  /// When the program made the request.
  public var startedAt: Timestamp
  /// The request as the program asked.
  public var request: RecordedRequest
  /// The request as it went out, where a rule or a person has changed it; nil where it went out as the program asked, or
  /// not at all. Where a redirect was changed and nothing before it, that.
  public var sent: RecordedRequest?
  /// How far it has come.
  public var phase: Phase
  /// Who answered it, or will; `.network` until something else is known.
  public var by: Answerer
  /// The stub that answered, or that patched the network's answer.
  public var stub: String?
  /// The response that the program got, or is getting; nil where there was none. While a response is held it is the one
  /// that waits for the person's decision.
  public var response: RecordedResponse?
  /// Nil until it has ended, and where nothing but its beginning will ever be known.
  public var outcome: Outcome?
  /// The error that the program got; nil where it got none.
  public var error: RecordedError?
  /// The redirects that were followed, in order.
  public var redirects: [RedirectHop]
  /// When things happened.
  public var timing: Timing
  /// Bytes of the request's body that were sent.
  public var bytesSent: Int64
  /// Bytes of the response's body that came, also where not all were recorded.
  public var bytesReceived: Int64
  /// The revision of the stubs in force when it was decided.
  package var revision: UInt64
  /// The exchange that this one repeats.
  package var replayOf: Int64?
  /// The kind of task that made it.
  public var task: TaskKind
  package var marked: Bool
  /// The console's life in which it was recorded, from 1 in each history; nil where it is not recorded.
  package var run: Int64?
  /// Words that the person has put to it, each once.
  package var tags: [String]
  /// What the person has written about it.
  package var note: String?

  /// How far an exchange has come.
  public enum Phase: String, Hashable, Sendable, CaseIterable {
    /// Sent (or about to be); no response head yet.
    case waiting
    /// A person decides about the request.
    case heldRequest
    /// A person decides about the response.
    case heldResponse
    /// The head has come, the body is coming.
    case receiving
    /// Nothing more will come.
    case ended
  }

  /// Who answered a request.
  public enum Answerer: String, Hashable, Sendable, CaseIterable {
    /// The network, also where a stub patched its answer.
    case network
    /// A stub of a file or made on the console.
    case stub
    /// A stub in the program's code.
    case code
    /// A person who held it.
    case person
    /// The console, without a stub.
    case console
    /// The program's own `URLCache`: nothing went out.
    case cache
  }

  /// How an exchange ended.
  public enum Outcome: String, Hashable, Sendable, CaseIterable {
    /// The program got the whole response.
    case responded
    /// The program got an error.
    case failed
    /// By the program.
    case cancelled
    /// Its process went away before it ended.
    case abandoned
  }

  /// The kind of a `URLSessionTask`.
  public enum TaskKind: String, Hashable, Sendable, CaseIterable {
    /// A data task.
    case data
    /// An upload of data or of a file.
    case upload
    /// A download.
    case download
    /// An upload of which the body is a stream.
    case stream
    /// Not known.
    case unknown
  }

  package init(id: Int64, process: HarnessProcess, startedAt: Timestamp, request: RecordedRequest) {
    self.id = id
    self.process = process
    self.startedAt = startedAt
    self.request = request
    phase = .waiting
    by = .network
    redirects = []
    timing = Timing()
    bytesSent = 0
    bytesReceived = 0
    revision = 0
    task = .unknown
    marked = false
    tags = []
  }

  /// The `revision` of what went on without the stubs that its process had been promised: they did not come in time.
  package static let revisionBeforeStubs: UInt64 = 1 << 53

  /// Its process waited for its stubs in vain.
  package var wasBeforeStubs: Bool { revision == Self.revisionBeforeStubs }

  /// Its hook only looked on: the request went its own way, and what became of it is not known.
  package var isObserved: Bool { phase == .ended && outcome == nil }
}

/// A moment: microseconds since 1970-01-01T00:00:00Z.
public struct Timestamp: Hashable, Sendable, Comparable {
  /// Since 1970-01-01T00:00:00Z.
  public var microseconds: Int64

  package init(microseconds: Int64) { self.microseconds = microseconds }

  /// The wall clock now.
  package static var now: Timestamp {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Timestamp(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000)
  }

  package var milliseconds: Int64 { microseconds / 1_000 }

  /// The same moment as Foundation has it.
  public var date: Date { Date(timeIntervalSince1970: Double(microseconds) / 1_000_000) }

  /// Whether the first one is earlier.
  public static func < (left: Timestamp, right: Timestamp) -> Bool { left.microseconds < right.microseconds }
}
