import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Listens in on one task's callbacks, by way of its row in the session's task registry. While it is installed the
/// built-in class calls the hook's listeners; before the framework's client is called it must be removed.
///
/// Used on the task's work queue only.
final class CallbackTap {
  /// The pieces of the body come through ``BodyTap``.
  let seesBody: Bool
  /// Whether the framework itself would have been told of the head.
  let expectsHead: Bool
  private let callbacks: TaskCallbacks
  private let own: Any
  private let row: Any?
  private var isInstalled = false

  init?(task: URLSessionTask, session: URLSession, recorder: ExchangeRecorder) {
    guard let callbacks = TaskCallbacks(of: task, in: session), let own = callbacks.row,
      let kind = TaskCallbacks.kind(of: own)
    else { return nil }
    let isData = task is URLSessionDataTask
    let rows = TapRows.current
    let hasDelegate =
      kind == .dataWithDelegate && TaskCallbacks.hasDelegate(own, isThird: rows?.delegatesAreThird == true)
    self.callbacks = callbacks
    self.own = own
    switch kind {
    case .delegate where session.delegate is URLSessionTaskDelegate:
      row = isData ? rows?.body.value : nil
      seesBody = row != nil
      expectsHead = isData
    case .data where isData && TaskBody.isEmpty(of: task),
      .dataWithDelegate where isData && TaskBody.isEmpty(of: task) && !hasDelegate:
      row = rows?.head.value
      seesBody = false
      expectsHead = false
    default:
      row = nil
      seesBody = false
      expectsHead = hasDelegate
    }
    if seesBody { BodyTap.shared.listen(to: task, for: recorder) }
  }

  /// Whether a delegate hears of a body piece by piece. To be asked on the task's work queue.
  static func hearsPieces(of task: URLSessionTask, in session: URLSession?) -> Bool {
    guard let session, session.delegate is URLSessionTaskDelegate else { return false }
    return TaskCallbacks(of: task, in: session)?.kind == .delegate
  }

  func install() {
    guard let row, !isInstalled else { return }
    isInstalled = callbacks.replace(with: row)
  }

  func remove() {
    guard isInstalled else { return }
    isInstalled = false
    callbacks.replace(with: own)
  }
}
