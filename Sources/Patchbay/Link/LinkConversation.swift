import Foundation
import PatchbayStubs
import PatchbayWire

/// One connection from hello to its end, on the link's thread.
final class LinkConversation {
  private let link: ConsoleLink
  private let waker: Waker
  private let socket: LinkSocket
  private var decoder = FrameDecoder<ConsoleMessage>()
  private var writer = ReportWriter()
  private var settings = HookSettings()
  private var shed = Shed()
  private var isOver = false
  private var isLinked = false
  private var refusal: String?
  private var buffer = [UInt8](repeating: 0, count: 64 << 10)

  private var delay = BatchDelay()
  /// How far the process's end has come.
  private var stage = FlushClock.Stage.none
  /// What was reported before the process began to wait for it has been taken.
  private var isLastTaken = false

  /// What the console was told of the program's code at the beginning.
  private var toldStubs: [Stub] = []
  private var toldSentences: [String] = []

  init(_ link: ConsoleLink, _ waker: Waker, _ socket: LinkSocket) {
    self.link = link
    self.waker = waker
    self.socket = socket
  }

  /// Returns when the connection has ended and everything is as it is without a console.
  ///
  /// - Returns: Whether the console does not take this link, or does not speak the protocol.
  func run() -> Bool {
    defer { end() }
    ProcessHooks.remember(socket)
    writer.append(.hello(link.hello))
    toldStubs = link.controller.codeStubs
    writer.append(.codeStubs(toldStubs))
    link.controller.announceProgress()
    toldSentences = link.controller.sentences
    for sentence in toldSentences { writer.append(.notice(sentence)) }
    while !isOver, !link.isEnded {
      enter(link.flushStage)
      let tookSome = fill()
      guard send() else { return false }
      if writer.isEmpty, isLastTaken || !tookSome {
        noteShed()
        guard send() else { return false }
        if writer.isEmpty { flushed() }
      }
      // The rest of a batch follows its beginning at once.
      if writer.isEmpty || writer.hasBytes { wait(forMore: tookSome) }
    }
    return refusal != nil
  }

  /// What was declared or said between the beginning and the first stubs, for which there was no link yet.
  private func tellWhatCameSince() {
    let stubs = link.controller.codeStubs
    if stubs != toldStubs { writer.append(.codeStubs(stubs)) }
    // Below `run` there was a link: what was said waits in its queue.
    guard !link.controller.wasPromisedStubs else { return }
    for sentence in link.controller.sentences where !toldSentences.contains(sentence) {
      writer.append(.notice(sentence))
    }
  }

  /// What the end of the process asks for.
  private func enter(_ next: FlushClock.Stage) {
    writer.shedsBodies = next >= .facts
    guard next != stage else { return }
    if stage < .facts, next >= .facts { socket.grow(by: 0.75, limit: link.queue.limits.socket) }
    stage = next
    guard next == .count else { return }
    socket.grow(by: 1, limit: link.queue.limits.socket)
    writer.count(waiting: link.queue.waiting) { writer in
      shed = whatIsGone(with: &writer)
      return .shed(shed)
    }
  }

  private func flushed() {
    guard link.isFlushing else { return }
    isLastTaken = false
    link.flushed()
  }

  /// Encodes what waits. True while there is, or just was, something.
  private func fill() -> Bool {
    var tookSome = false
    while !writer.hasBytes {
      if let done = writer.fill(bodyLimit: Int(clamping: settings.requestBodyLimit)) { link.queue.release(done) }
      // The process may end before the next chunk.
      if stage == .count, writer.hasBytes { noteShed() }
      guard writer.isEmpty else { return true }
      let isLast = stage != .none && link.isFlushing
      guard let batch = link.queue.takeOrSleep() else { break }
      tookSome = true
      isLastTaken = isLast
      delay.adapt(to: batch)
      batch.wasRead()
      writer.begin(batch)
      noteProgress()
    }
    return tookSome || writer.hasBytes
  }

  private func noteProgress() {
    let progress = link.controller.takeProgress()
    if !progress.isEmpty { writer.append(.progress(progress)) }
    let moves = link.controller.takeMoves()
    if !moves.isEmpty { writer.append(.scenarios(moves)) }
    noteShed()
  }

  private func noteShed() {
    let now = whatIsGone(with: &writer)
    guard now != shed else { return }
    shed = now
    writer.append(.shed(now))
  }

  /// What was shed until now; where that is counted, what is left too, as if the process ended now.
  private func whatIsGone(with writer: inout ReportWriter) -> Shed {
    link.queue.add(writer.takeShed())
    var gone = link.queue.shed
    gone.exchanges += UInt64(writer.leftCount)
    return gone
  }

  private func send() -> Bool {
    switch writer.send(to: socket) {
    case .bytes, .wouldBlock: return true
    case .closed: return false
    }
  }

  private func wait(forMore: Bool) {
    let ready: [Poll.Ready]
    // The waker is heard always: nobody wakes a thread that gathers or sends, but who waits for the last reports.
    if writer.hasBytes {
      ready = Poll.wait([socket.descriptor, waker.receiving], writable: true, timeout: link.untilNextFlushStage)
    } else if forMore {
      ready = Poll.wait([socket.descriptor, waker.receiving], timeout: stage == .none ? delay.milliseconds : 0)
    } else {
      ready = Poll.wait([socket.descriptor, waker.receiving])
    }
    if !waker.attend(ready[1]) { isOver = true }
    if ready.first?.readable == true { receive() }
  }

  private func receive() {
    let result = buffer.withUnsafeMutableBytes { socket.receive(into: $0) }
    switch result {
    case .wouldBlock: return
    case .closed: isOver = true
    case .bytes(let count):
      decoder.feed(buffer[..<count])
      while !isOver {
        switch decoder.next() {
        case .message(let message): heard(message)
        case .skipped: continue
        case .needMore: return
        case .broken(let error):
          refusal = error.description
          isOver = true
        }
      }
    }
  }

  private func heard(_ message: ConsoleMessage) {
    switch message {
    case .welcome(let welcome): settings = welcome.settings
    case .stubs(let push): apply(push)
    case .verdict(let verdict): link.holds.decide(verdict)
    case .replay(let replay): Replayer.shared.send(replay)
    case .settings(let changed):
      settings = changed
      link.controller.apply(changed)
    case .resetCounts(let name):
      link.controller.resetCounts(name)
      noteProgress()
    case .setScenario(let scenario):
      link.controller.setState(scenario)
      noteProgress()
    case .refused(let sentence):
      refusal = sentence
      isOver = true
    }
  }

  private func apply(_ push: StubPush) {
    let isFirst = !isLinked
    if isFirst {
      isLinked = true
      link.queue.open(from: link.controller.hook.nextKey())
      link.holds.open(from: link.controller.hook.nextKey())
      link.set(.linked)
    }
    link.controller.apply(push, settings: settings, link: link)
    if isFirst { tellWhatCameSince() }
    writer.append(.applied(revision: push.set.revision))
    link.settle()
  }

  private func end() {
    ProcessHooks.remember(nil)
    socket.close()
    link.queue.close()
    link.set(refusal.map(ConsoleLink.Phase.refused) ?? .waiting)
    link.controller.linkEnded()
    if let refusal { link.controller.consoleGone(refusal) }
    link.holds.releaseAll()
    link.flushed()
    link.settle()
  }
}

/// How long to wait for more reports before a batch of them is sent.
///
/// Each batch wakes threads of two processes, which push the program's own off their processors. Beside a bare mock in the
/// process, encoding and sending each report at once cost 1.5 times the latency and left 0.76 of the throughput; a batch
/// each 2 ms cost 1.04 and left 0.94 (4 cores, 16 requests at a time). With thousands of requests a second even that
/// wakes too often, so the wait grows with the rate. What bounds it is the promise of at most 50 ms from arrival to
/// screen: 28 ms here leave 22 for the console's own coalescing (4 ms) and one frame (16 ms).
struct BatchDelay {
  /// To be waited before the next batch is taken.
  private(set) var milliseconds: Int32 = few

  /// So that a few requests are on screen at once.
  private static let few: Int32 = 2
  private static let many: Int32 = 16
  private static let thousands: Int32 = 28

  /// A batch has been taken, which says how busy the program is.
  mutating func adapt(to batch: ReportQueue.Batch) {
    let perSecond = batch.reports.count * 1_000 / Int(milliseconds)
    // Large bodies fill the queue while it waits.
    if batch.reports.count < 8 || batch.bodyBytes >= 4 << 20 {
      milliseconds = Self.few
    } else {
      milliseconds = perSecond < 10_000 ? Self.many : Self.thousands
    }
  }
}
