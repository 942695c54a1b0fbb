import Foundation
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The short way of a body's pieces to the program's delegate. The long one leads over the queue that all sessions share:
/// a transfer that reads keeps that busy, and all of a large body would gather before it.
final class DirectPieces: Sendable {
  /// Who gets the pieces.
  struct Target: @unchecked Sendable {  // The delegate is only called on its own queue.
    let session: URLSession
    let task: URLSessionDataTask
    let delegate: any URLSessionDataDelegate
    let recorder: ExchangeRecorder
  }

  private struct State {
    var target: Target?
    /// Pieces that take the long way and have not arrived: no other may overtake them.
    var onTheirWay = 0
  }

  private let state = Mutex(State())

  /// The head has been told, and pieces may follow it. On the task's work queue.
  func open(to target: Target) { state.withLock { $0.target = target } }

  /// Pieces of another answer follow, or none. Any thread.
  func close() { state.withLock { $0.target = nil } }

  /// Hands a piece on; false where it has to take the long way, of which ``arrived()`` tells the end. To be called on one
  /// queue, piece by piece.
  func deliver(_ piece: Data) -> Bool {
    state.withLock { state in
      guard state.onTheirWay == 0, let target = state.target else {
        state.onTheirWay += 1
        return false
      }
      target.recorder.piece(piece)
      target.session.delegateQueue.addOperation {
        target.delegate.urlSession(target.session, dataTask: target.task, didReceive: piece)
      }
      return true
    }
  }

  /// A piece that took the long way has been handed on. On the task's work queue.
  func arrived() { state.withLock { $0.onTheirWay -= 1 } }
}
