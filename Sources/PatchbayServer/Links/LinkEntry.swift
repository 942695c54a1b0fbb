import NIOCore
import PatchbayWire

/// One link in the server's table.
struct LinkEntry {
  var info: LinkInfo
  let channel: any Channel
  /// Messages that wait to be written, in order.
  var queue: [ConsoleMessage] = []
  var queuedBytes = 0
  /// The newest stubs have not been handed over; older ones that waited are simply never sent.
  var wantsStubs = false
  /// What it sent since the subscribers had the last batch.
  var undelivered = 0
  var undeliveredMessages = 0
  /// Of the message with its stubs in code.
  var declaredBytes = 0

  /// What goes out next.
  enum Outgoing {
    case message(ConsoleMessage)
    case stubs
  }

  mutating func dequeue() -> Outgoing? {
    if !queue.isEmpty {
      let message = queue.removeFirst()
      queuedBytes -= message.approximateBytes
      return .message(message)
    }
    guard wantsStubs else { return nil }
    wantsStubs = false
    return .stubs
  }

  /// Returns false where the link has so much to read already that it must be given up.
  mutating func enqueue(_ message: ConsoleMessage, limit: Int) -> Bool {
    if case .resetCounts(let name) = message { forgetResets { name == nil || $0 == name } }
    queue.append(message)
    queuedBytes += message.approximateBytes
    return queuedBytes <= limit
  }

  /// The counters of these stubs begin at zero. Each waits once, and none that is not `known`, so that a link which does
  /// not read has at most one message a stub, however often they change.
  mutating func countAnew(_ names: Set<String>, known: Set<String>) {
    forgetResets { $0.map { names.contains($0) || !known.contains($0) } ?? false }
    for name in names.sorted() {
      let message = ConsoleMessage.resetCounts(name: name)
      queue.append(message)
      queuedBytes += message.approximateBytes
    }
  }

  /// What was to be set back and has not been told yet.
  private mutating func forgetResets(where isOld: (String?) -> Bool) {
    queue.removeAll { message in
      guard case .resetCounts(let name) = message, isOld(name) else { return false }
      queuedBytes -= message.approximateBytes
      return true
    }
  }
}

/// What is written to a link next.
enum OutgoingMessage: Sendable {
  case message(ConsoleMessage)
  /// The newest stubs; shared where all links without stubs in code get the same bytes.
  case stubs(StubPush, isShared: Bool)
}

/// What is said to a link's handler through its pipeline.
enum LinkSignal: Sendable {
  /// There is something to write.
  case send
  /// The subscribers have had what was read.
  case resume
  /// The same process has linked anew: read what it sent here, then close.
  case replaced
  /// Say why, then close.
  case refuse(String)
}

extension ConsoleMessage {
  /// About what it takes in memory and on the wire.
  var approximateBytes: Int {
    switch self {
    case .verdict(let verdict): 256 + verdict.decision.approximateBytes
    case .replay(let replay): 256 + replay.request.approximateBytes
    default: 256
    }
  }
}

extension Verdict.Decision {
  fileprivate var approximateBytes: Int {
    switch self {
    case .continue(let request, let response):
      (request?.approximateBytes ?? 0) + (response?.body?.count ?? 0)
    case .respond(let response):
      switch response.body {
      case .data(let data): data.count
      case .text(let text): text.utf8.count
      default: 1_024
      }
    case .fail, .drop: 0
    }
  }
}

extension RecordedRequest {
  fileprivate var approximateBytes: Int { url.utf8.count + (body?.count ?? 0) }
}
