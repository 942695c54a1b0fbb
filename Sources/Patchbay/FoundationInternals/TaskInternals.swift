import Dispatch
import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What the hook needs of a task that Foundation does not hand out. On a platform or version where a property is
/// missing, the answers are nil.
enum TaskInternals {
  private static let word = MemoryLayout<UnsafeRawPointer>.size
  private static let sessionField = StoredField("session", in: URLSessionTask.self, size: 2 * word)
  private static let workQueueField = StoredField("workQueue", in: URLSessionTask.self, size: word)
  private static let syncQueueField = StoredField("syncQ", in: URLSessionTask.self, size: word)
  private static let protocolField = StoredField("_protocolStorage", in: URLSessionTask.self)
  private static let protocolLockField = StoredField("_protocolLock", in: URLSessionTask.self, size: word)
  private static let stateField = field("_state", URLSessionTask.State.self)
  private static let currentRequestField = field("_currentRequest", URLRequest?.self)
  private static let responseField = field("_response", URLResponse?.self)
  private static let inlineField = field("_callCompletionHandlerInline", Bool.self)
  private static let expectedField = field("countOfBytesExpectedToReceive", Int64.self)
  private static let receivedField = field("_countOfBytesReceived", Int64.self)
  private static let sentField = field("_countOfBytesSent", Int64.self)
  private static let expectedToSendField = field("countOfBytesExpectedToSend", Int64.self)
  private static let credentialField = field("authRequest", URLRequest?.self)
  private static let errorField = field("error", (any Error)?.self)
  private static let delegateField = field("_taskDelegate", (any URLSessionTaskDelegate)?.self)

  /// The property of that name if it has that very type.
  private static func field<Value>(_ name: String, _ type: Value.Type) -> StoredField? {
    StoredField(name, in: URLSessionTask.self).flatMap { $0.type == type ? $0 : nil }
  }

  /// What `task.state` says, without waiting for the task's own queue to say it. Call it on the task's work queue: a
  /// change that is being made elsewhere may or may not be seen, as with `task.state` one moment earlier or later.
  static func state(of task: URLSessionTask) -> URLSessionTask.State {
    guard let stateField else { return task.state }
    return stateField.address(in: task).assumingMemoryBound(to: URLSessionTask.State.self).pointee
  }

  /// Says what `task.state` is from now on; false if it cannot be done. Call it on the task's work queue.
  static func setState(_ state: URLSessionTask.State, of task: URLSessionTask) -> Bool {
    guard let stateField, let queue = syncQueueField?.object(in: task) as? DispatchQueue else { return false }
    let address = stateField.address(in: task).assumingMemoryBound(to: URLSessionTask.State.self)
    queue.sync { address.pointee = state }
    return true
  }

  /// The session that the task belongs to.
  static func session(of task: URLSessionTask) -> URLSession? {
    sessionField?.object(in: task) as? URLSession
  }

  /// The queue on which every call of the client must be made.
  static func workQueue(of task: URLSessionTask) -> DispatchQueue? {
    workQueueField?.object(in: task) as? DispatchQueue
  }

  /// The object that loads the task now; nil where there is none, or it is not known.
  static func loading(of task: URLSessionTask) -> URLProtocol? {
    guard let field = protocolField, let lock = protocolLockField?.object(in: task) as? NSLock else { return nil }
    return lock.withLock { Mirror(reflecting: field.value(in: task)).children.first?.value as? URLProtocol }
  }

  /// Says what `task.currentRequest` is from now on, as the framework does when it follows a redirect.
  static func setCurrentRequest(_ request: URLRequest, of task: URLSessionTask) {
    guard let field = currentRequestField, let queue = syncQueueField?.object(in: task) as? DispatchQueue else {
      return
    }
    let address = field.address(in: task).assumingMemoryBound(to: URLRequest?.self)
    queue.sync { address.pointee = request }
  }

  /// What `task.response` says, without waiting for the task's own queue to say it. Call it on the task's work queue,
  /// where it is written.
  static func response(of task: URLSessionTask) -> URLResponse? {
    guard let responseField else { return task.response }
    return responseField.address(in: task).assumingMemoryBound(to: URLResponse?.self).pointee
  }

  /// Says what `task.response` is from now on; false if it cannot be done.
  @discardableResult
  static func setResponse(_ response: URLResponse?, of task: URLSessionTask) -> Bool {
    guard let field = responseField, let queue = syncQueueField?.object(in: task) as? DispatchQueue else {
      return false
    }
    let address = field.address(in: task).assumingMemoryBound(to: URLResponse?.self)
    queue.sync { address.pointee = response }
    return true
  }

  /// Makes an async caller's completion go through the session's delegate queue, like everyone else's. Call it on the
  /// task's work queue.
  static func completeOnDelegateQueue(_ task: URLSessionTask) {
    inlineField?.address(in: task).assumingMemoryBound(to: Bool.self).pointee = false
  }

  /// Says what `task.error` is from now on, as the built-in classes do before they report it. Call it on the task's work
  /// queue.
  static func setError(_ error: any Error, of task: URLSessionTask) {
    errorField?.address(in: task).assumingMemoryBound(to: (any Error)?.self).pointee = error
  }

  /// Says how long the answer's body will be, as the built-in classes do at its head: -1 is not known.
  static func setExpectedBytes(_ response: HTTPURLResponse, of task: URLSessionTask) {
    setExpectedBytes(expectedBytes(of: response), of: task)
  }

  /// How long the built-in classes say that the body of this answer will be: -1 is not known.
  static func expectedBytes(of response: HTTPURLResponse) -> Int64 {
    let isEncoded = response.value(forHTTPHeaderField: "Content-Encoding") != nil
    return isEncoded ? -1 : response.expectedContentLength
  }

  static func setExpectedBytes(_ count: Int64, of task: URLSessionTask) {
    expectedField?.address(in: task).assumingMemoryBound(to: Int64.self).pointee =
      count > 0 ? count : NSURLSessionTransferSizeUnknown
  }

  /// Says how much of the request's body has been sent, as the built-in classes do. Call it on the task's work queue.
  static func setSentBytes(_ sent: Int64, of expected: Int64, task: URLSessionTask) {
    guard let sentField, let expectedToSendField, let queue = syncQueueField?.object(in: task) as? DispatchQueue else {
      return
    }
    queue.sync {
      sentField.address(in: task).assumingMemoryBound(to: Int64.self).pointee = sent
      expectedToSendField.address(in: task).assumingMemoryBound(to: Int64.self).pointee = expected
    }
  }

  /// Says how much of a download has come, as the built-in classes do where a delegate hears of it.
  static func setReceivedBytes(_ count: Int64, of task: URLSessionTask) {
    guard let field = receivedField, let queue = syncQueueField?.object(in: task) as? DispatchQueue else { return }
    queue.sync { field.address(in: task).assumingMemoryBound(to: Int64.self).pointee = count }
  }

  /// The request as it goes out after a challenge, with the credential. Call it on the task's work queue.
  static func requestWithCredential(of task: URLSessionTask) -> URLRequest? {
    credentialField?.address(in: task).assumingMemoryBound(to: URLRequest?.self).pointee
  }

  /// Whether the task's end is told at once and not by way of the session's delegate queue, as it is for async callers.
  /// Call it on the task's work queue.
  static func completesInline(_ task: URLSessionTask) -> Bool {
    inlineField?.address(in: task).assumingMemoryBound(to: Bool.self).pointee ?? true
  }

  /// Puts a delegate of the task's own in the place of the one it has, without the check that the public setter makes
  /// (which ends the process once a task has been resumed).
  ///
  /// Call it on the task's work queue. Returns what was there before, or nil if it cannot be done.
  static func exchangeDelegate(
    of task: URLSessionTask, for delegate: (any URLSessionTaskDelegate)?
  ) -> (any URLSessionTaskDelegate)?? {
    guard let field = delegateField else { return nil }
    let address = field.address(in: task).assumingMemoryBound(to: (any URLSessionTaskDelegate)?.self)
    let before = address.pointee
    address.pointee = delegate
    return .some(before)
  }
}

extension TaskInternals {
  #if canImport(FoundationNetworking)
    private static let isTimeoutSet = StoredField.offset(of: "isTimeoutIntervalSet", in: URLRequest.self, as: Bool.self)
  #endif

  /// How long a request may be silent, in seconds: its own timeout where that was set, else the session's.
  static func timeout(of request: URLRequest, session: URLSession?) -> Double {
    let fallback = session?.configuration.timeoutIntervalForRequest ?? 60
    #if canImport(FoundationNetworking)
      let wasSet = isTimeoutSet.map { offset in
        withUnsafeBytes(of: request) { $0.load(fromByteOffset: offset, as: Bool.self) }
      }
      return wasSet ?? (request.timeoutInterval != 60) ? request.timeoutInterval : fallback
    #else
      return min(request.timeoutInterval, fallback)
    #endif
  }
}
