import Foundation
import Synchronization

/// Threads that keep every processor busy until they are told to leave.
final class Crowd: Sendable {
  private let isHere = Atomic(true)

  init() {
    for _ in 0..<ProcessInfo.processInfo.activeProcessorCount {
      Thread.detachNewThread { while self.isHere.load(ordering: .relaxed) {} }
    }
  }

  func leave() { isHere.store(false, ordering: .relaxed) }
}
