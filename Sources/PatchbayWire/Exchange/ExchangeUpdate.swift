import Foundation
import PatchbayStubs

/// What the hook says of one request: any of its parts, as they become known. A request that is answered at once
/// is one update with all of them.
package struct ExchangeUpdate: Hashable, Sendable {
  /// Given by the hook; unique on its link, rising.
  package var key: UInt64
  package var start: Start?
  package var answer: Answer?
  /// The request as it goes out, where a rule or a person has changed it; the last one counts.
  package var sent: RecordedRequest?
  /// What the program's delegate made of the last redirect that was told before: the URL to which it went instead, or
  /// nothing ("") where it followed none and has the redirect itself as the answer.
  package var turn: String?
  /// Redirects that were followed since the last update.
  package var hops: [RedirectHop]
  package var held: Held?
  package var head: Head?
  /// The next piece of the response's body.
  package var data: Data?
  package var end: End?

  package struct Start: Hashable, Sendable {
    package var at: Timestamp
    package var request: RecordedRequest
    package var task: Exchange.TaskKind
    /// The revision of the stubs that decided.
    package var revision: UInt64
    /// The token of the console's replay order that made this request.
    package var replay: UInt64?

    package init(
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
  package struct Answer: Hashable, Sendable {
    package var by: Exchange.Answerer
    package var stub: String?
    /// The request as the program asked it, where more is known of it now: a stream that has been read, a credential
    /// that was added. Hooks before 22 November 2026 told here what a person had made of it.
    package var edited: RecordedRequest?

    package init(by: Exchange.Answerer, stub: String? = nil, edited: RecordedRequest? = nil) {
      self.by = by
      self.stub = stub
      self.edited = edited
    }
  }

  package enum Held: UInt8, Hashable, Sendable, CaseIterable {
    case request = 1
    /// The response to edit comes in the same update, as head and data.
    case response = 2
    /// No longer held.
    case released = 3
  }

  package struct Head: Hashable, Sendable {
    /// Microseconds after the start.
    package var at: Int64
    package var status: Int
    package var headers: [HeaderField]

    package init(at: Int64, status: Int, headers: [HeaderField]) {
      self.at = at
      self.status = status
      self.headers = headers
    }
  }

  package struct End: Hashable, Sendable {
    /// Microseconds after the start.
    package var at: Int64
    package var outcome: Exchange.Outcome
    package var error: RecordedError?
    /// Microseconds of holding, in all.
    package var held: Int64
    package var bytesSent: Int64
    package var bytesReceived: Int64
    package var requestTruncated: Bool
    package var responseTruncated: Bool
    /// Whether there was a response body at all; an empty one is true.
    package var hasBody: Bool

    package init(
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

  package init(
    key: UInt64, start: Start? = nil, answer: Answer? = nil, sent: RecordedRequest? = nil, turn: String? = nil,
    hops: [RedirectHop] = [], held: Held? = nil, head: Head? = nil, data: Data? = nil, end: End? = nil
  ) {
    self.key = key
    self.start = start
    self.answer = answer
    self.sent = sent
    self.turn = turn
    self.hops = hops
    self.held = held
    self.head = head
    self.data = data
    self.end = end
  }
}
