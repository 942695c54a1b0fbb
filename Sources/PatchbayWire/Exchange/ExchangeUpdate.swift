import Foundation
import PatchbayStubs

/// What the hook says of one request: any of its parts, as they become known. A request that is answered at once
/// is one update with all of them.
public struct ExchangeUpdate: Hashable, Sendable {
  /// Given by the hook; unique on its link, rising.
  public var key: UInt64
  public var start: Start?
  public var answer: Answer?
  /// Redirects that were followed since the last update.
  public var hops: [RedirectHop]
  public var held: Held?
  public var head: Head?
  /// The next piece of the response's body.
  public var data: Data?
  public var end: End?

  public struct Start: Hashable, Sendable {
    public var at: Timestamp
    public var request: RecordedRequest
    public var task: Exchange.TaskKind
    /// The revision of the stubs that decided.
    public var revision: UInt64
    /// The token of the console's replay order that made this request.
    public var replay: UInt64?

    public init(
      at: Timestamp, request: RecordedRequest, task: Exchange.TaskKind, revision: UInt64, replay: UInt64? = nil
    ) {
      self.at = at
      self.request = request
      self.task = task
      self.revision = revision
      self.replay = replay
    }
  }

  /// Who answers; may come again when it changes (a person after a hold).
  public struct Answer: Hashable, Sendable {
    public var by: Exchange.Answerer
    public var stub: String?
    /// The request as it went on, where a person has edited it.
    public var edited: RecordedRequest?

    public init(by: Exchange.Answerer, stub: String? = nil, edited: RecordedRequest? = nil) {
      self.by = by
      self.stub = stub
      self.edited = edited
    }
  }

  public enum Held: UInt8, Hashable, Sendable, CaseIterable {
    case request = 1
    /// The response to edit comes in the same update, as head and data.
    case response = 2
    /// No longer held.
    case released = 3
  }

  public struct Head: Hashable, Sendable {
    /// Microseconds after the start.
    public var at: Int64
    public var status: Int
    public var headers: [HeaderField]

    public init(at: Int64, status: Int, headers: [HeaderField]) {
      self.at = at
      self.status = status
      self.headers = headers
    }
  }

  public struct End: Hashable, Sendable {
    /// Microseconds after the start.
    public var at: Int64
    public var outcome: Exchange.Outcome
    public var error: RecordedError?
    /// Microseconds of holding, in all.
    public var held: Int64
    public var bytesSent: Int64
    public var bytesReceived: Int64
    public var requestTruncated: Bool
    public var responseTruncated: Bool
    /// Whether there was a response body at all; an empty one is true.
    public var hasBody: Bool

    public init(
      at: Int64, outcome: Exchange.Outcome, error: RecordedError? = nil, held: Int64 = 0, bytesSent: Int64 = 0,
      bytesReceived: Int64 = 0, requestTruncated: Bool = false, responseTruncated: Bool = false, hasBody: Bool = false
    ) {
      self.at = at
      self.outcome = outcome
      self.error = error
      self.held = held
      self.bytesSent = bytesSent
      self.bytesReceived = bytesReceived
      self.requestTruncated = requestTruncated
      self.responseTruncated = responseTruncated
      self.hasBody = hasBody
    }
  }

  public init(
    key: UInt64, start: Start? = nil, answer: Answer? = nil, hops: [RedirectHop] = [], held: Held? = nil,
    head: Head? = nil, data: Data? = nil, end: End? = nil
  ) {
    self.key = key
    self.start = start
    self.answer = answer
    self.hops = hops
    self.held = held
    self.head = head
    self.data = data
    self.end = end
  }
}
