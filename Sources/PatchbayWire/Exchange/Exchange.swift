import Foundation
import PatchbayStubs

/// One request and what became of it.
public struct Exchange: Hashable, Sendable, Identifiable {
  /// Given by the console; unique in the history, rising in order of arrival.
  public var id: Int64
  package var process: HarnessProcess
  public var startedAt: Timestamp
  public var request: RecordedRequest
  /// How far it has come.
  public var phase: Phase
  /// Who answered it, or will; `.network` until something else is known.
  public var by: Answerer
  /// The stub that answered, or that patched the network's answer.
  public var stub: String?
  /// The response that the program got, or is getting; nil where there was none.
  public var response: RecordedResponse?
  /// Nil until it has ended, and where nothing but its beginning will ever be known (``isObserved``).
  public var outcome: Outcome?
  public var error: RecordedError?
  public var redirects: [RedirectHop]
  public var timing: Timing
  public var bytesSent: Int64
  public var bytesReceived: Int64
  /// The revision of the stubs in force when it was decided.
  package var revision: UInt64
  /// The exchange that this one repeats.
  package var replayOf: Int64?
  public var task: TaskKind
  package var marked: Bool

  public enum Phase: String, Hashable, Sendable, CaseIterable {
    /// Sent (or about to be); no response head yet.
    case waiting
    case heldRequest
    case heldResponse
    /// The head has come, the body is coming.
    case receiving
    case ended
  }

  public enum Answerer: String, Hashable, Sendable, CaseIterable {
    case network
    case stub
    case code
    case person
    case console
  }

  public enum Outcome: String, Hashable, Sendable, CaseIterable {
    case responded
    case failed
    /// By the program.
    case cancelled
    /// Its process went away before it ended.
    case abandoned
  }

  public enum TaskKind: String, Hashable, Sendable, CaseIterable {
    case data
    case upload
    case download
    case stream
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
  }

  /// Its hook only looked on: the request went its own way, and what became of it is not known.
  package var isObserved: Bool { phase == .ended && outcome == nil }
}
