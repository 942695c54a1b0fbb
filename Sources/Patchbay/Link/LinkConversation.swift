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

  private var gathering = Gathering()
  /// How far the process's end has come.
  private var stage = FlushClock.Stage.none
  /// What was reported before the process began to wait for it has been taken.
  private var isLastTaken = false

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
    writer.append(.codeStubs(link.director.codeStubs))
    link.director.announceProgress()
    for sentence in link.director.sentences { writer.append(.notice(sentence)) }
    while !isOver {
      enter(link.flushStage)
      let tookSome = fill()
      guard send() else { return false }
      if writer.isEmpty, isLastTaken || !tookSome {
        noteShed()
        guard send() else { return false }
        if writer.isEmpty { flushed() }
      }
      // The rest of a batch follows its beginning at once.
      if writer.isEmpty || writer.hasBytes { wait(gather: tookSome) }
    }
    return refusal != nil
  }

  /// What the end of the process asks for.
  private func enter(_ next: FlushClock.Stage) {
    writer.shedsBodies = next >= .facts
    guard next != stage else { return }
    if stage < .facts, next >= .facts { socket.grow(by: 0.75, limit: link.queue.limits.socket) }
    stage = next
    guard next == .count else { return }
    socket.grow(by: 1, limit: link.queue.limits.socket)
    link.queue.add(writer.takeShed())
    writer.hurry { left in
      shed = link.queue.shed
      shed.exchanges += UInt64(left.union(link.queue.waiting).count)
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
      guard writer.isEmpty else { return true }
      let isLast = stage != .none && link.isFlushing
      guard let batch = link.queue.takeOrSleep() else { break }
      tookSome = true
      isLastTaken = isLast
      gathering.took(batch)
      batch.wasRead()
      writer.begin(batch)
      noteProgress()
    }
    return tookSome || writer.hasBytes
  }

  private func noteProgress() {
    let progress = link.director.takeProgress()
    if !progress.isEmpty { writer.append(.progress(progress)) }
    // What was counted as left is right only when nothing is left.
    if stage < .count { noteShed() }
  }

  private func noteShed() {
    link.queue.add(writer.takeShed())
    let now = link.queue.shed
    guard now != shed else { return }
    shed = now
    writer.append(.shed(now))
  }

  private func send() -> Bool {
    switch writer.send(to: socket) {
    case .bytes, .wouldBlock: return true
    case .closed: return false
    }
  }

  private func wait(gather: Bool) {
    let ready: [Poll.Ready]
    // The waker is heard always: nobody wakes a thread that gathers or sends, but who waits for the last reports.
    if writer.hasBytes {
      ready = Poll.wait([socket.descriptor, waker.receiving], writable: true, timeout: link.untilNextFlushStage)
      if ready[1].readable { waker.drain() }
    } else if gather {
      ready = Poll.wait([socket.descriptor, waker.receiving], timeout: stage == .none ? gathering.milliseconds : 0)
      if ready[1].readable { waker.drain() }
    } else {
      ready = Poll.wait([socket.descriptor, waker.receiving])
      waker.drain()
    }
    if ready[1].isGone, !waker.renew() { isOver = true }
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
      link.director.apply(changed)
    case .resetCounts(let name):
      link.director.resetCounts(name)
      noteProgress()
    case .refused(let sentence):
      refusal = sentence
      isOver = true
    }
  }

  private func apply(_ push: StubPush) {
    if !isLinked {
      isLinked = true
      let key = link.director.hook.nextKey()
      link.queue.open(from: key)
      link.holds.open(from: key)
      link.set(.linked)
    }
    link.director.apply(push, settings: settings, link: link)
    writer.append(.applied(revision: push.set.revision))
    link.settle()
  }

  private func end() {
    ProcessHooks.remember(nil)
    socket.close()
    link.queue.close()
    link.set(refusal.map(ConsoleLink.Phase.refused) ?? .waiting)
    link.director.consoleGone()
    link.holds.releaseAll()
    link.flushed()
    link.settle()
  }
}
