import Dispatch
import Foundation
import PatchbayGrid

/// Reads the keyboard on the main queue and hands on events. Idle means no wake-ups: its only timer runs for 25 ms
/// after a lone ESC.
@MainActor
package final class TerminalInput {
  private let descriptor: Int32
  private let onEvents: @MainActor ([InputEvent]) -> Void
  private let onHangUp: @MainActor () -> Void
  private let onAnswer: @MainActor (TerminalAnswer) -> Void
  private var parser = KeyParser()
  private var source: (any DispatchSourceRead)?
  private var timer: DispatchWorkItem?
  private var isPaused = false
  private var buffer = [UInt8](repeating: 0, count: 65_536)

  /// Begins to read `descriptor`, the `keyboard` of a `Terminal`.
  ///
  /// - Parameters:
  ///   - onAnswer: what the terminal says of itself.
  ///   - onHangUp: the terminal has gone; nothing more will come.
  package init(
    descriptor: Int32, onEvents: @escaping @MainActor ([InputEvent]) -> Void,
    onAnswer: @escaping @MainActor (TerminalAnswer) -> Void = { _ in },
    onHangUp: @escaping @MainActor () -> Void
  ) {
    self.descriptor = descriptor
    self.onEvents = onEvents
    self.onAnswer = onAnswer
    self.onHangUp = onHangUp
    let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: .main)
    source.setEventHandler { [weak self] in
      MainActor.assumeIsolated {
        self?.readSome()
        // Dispatch tells of a hang-up once, together with what was typed before it.
        while let self, self.isHungUp { self.readSome() }
      }
    }
    source.resume()
    self.source = source
  }

  /// Leaves the keyboard to another program.
  package func pause() {
    guard !isPaused, let source else { return }
    isPaused = true
    timer?.cancel()
    deliver(parser.flush())
    parser = KeyParser()
    source.suspend()
  }

  package func resume() {
    guard isPaused, let source else { return }
    isPaused = false
    source.resume()
  }

  /// Reads no more.
  package func stop() {
    timer?.cancel()
    // A suspended source must not be released.
    if isPaused { source?.resume() }
    isPaused = false
    source?.cancel()
    source = nil
  }

  private func readSome() {
    // What another program has read while we were paused is told all the same, and is not there any more.
    guard source != nil, !isPaused, hasMore else { return }
    let count = read(descriptor, &buffer, buffer.count)
    if count < 0, errno == EINTR || errno == EAGAIN { return }
    timer?.cancel()
    timer = nil
    guard count > 0 else {
      stop()
      return onHangUp()
    }
    let events = parser.feed(buffer[..<count])
    if parser.needsTimeout { startTimer() }
    parser.takeAnswers().forEach(onAnswer)
    deliver(events)
  }

  private func startTimer() {
    let item = DispatchWorkItem { [weak self] in
      MainActor.assumeIsolated {
        // After a busy spell the rest of a sequence may have come, and only waits to be read.
        guard let self, !self.isPaused, !self.hasMore else { return }
        self.deliver(self.parser.flush())
      }
    }
    timer = item
    DispatchQueue.main.asyncAfter(deadline: .now() + .milliseconds(25), execute: item)
  }

  /// What `poll` says of the keyboard at this moment; 0 where nothing is to be read.
  private var state: Int32 {
    var poller = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&poller, 1, 0) > 0 ? Int32(poller.revents) : 0
  }

  private var hasMore: Bool { state != 0 }
  private var isHungUp: Bool { source != nil && !isPaused && state & Int32(POLLHUP) != 0 }

  private func deliver(_ events: [InputEvent]) {
    if !events.isEmpty { onEvents(events) }
  }
}
