import Foundation
import PatchbayWire

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The end of a request, told after everything else.
extension NativeLoader {
  func end(_ outcome: Exchange.Outcome, _ error: (any Error)?, file: URL? = nil) {
    release()
    isEnded = true
    let recorder = recorder
    let report: @Sendable () -> Void = { recorder.end(outcome, error: error) }
    if let file, recorder.listens {
      DownloadedFile.report(file, to: recorder, then: report)
    } else if let tap, tap.seesBody, let session, outcome != .cancelled {
      // After the pieces that are still on their way to the delegate.
      let task = task
      session.delegateQueue.addOperation {
        report()
        BodyTap.shared.forget(task)
      }
    } else {
      report()
      BodyTap.shared.forget(task)
    }
    host?.ended()
  }

  /// Puts everything back as the program made it.
  func release() {
    tap?.remove()
    restoreDelegate()
  }

  /// No redirect follows the head of an answer: from there on the program's callbacks find the task's delegate as it was.
  func restoreDelegate() {
    standIn?.remove()
    standIn = nil
  }
}
