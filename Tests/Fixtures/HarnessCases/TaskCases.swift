import Foundation
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What tasks and sessions say of themselves, at each moment.
enum TaskCases {
  static let all: [HarnessCase] = numbers + names + moments + settings

  private static let numbers: [HarnessCase] = [
    HarnessCase("identifiers of tasks of all kinds") { context in
      let session = context.session()
      _ = try? await session.data(from: context.url("/json"))
      let tasks: [URLSessionTask] = [
        session.dataTask(with: context.url("/json")),
        session.uploadTask(with: context.request("/echo", "POST"), from: Data("u".utf8)),
        session.downloadTask(with: context.url("/json")),
        session.uploadTask(withStreamedRequest: context.request("/echo", "POST")),
        session.dataTask(with: context.request("/chain/2")) { _, _, _ in },
      ]
      context.note("\(tasks.map(\.taskIdentifier))")
      tasks[4].resume()
      await tasks[4].isOver()
      context.note("then \(session.dataTask(with: context.url("/json")).taskIdentifier)")
      for task in tasks { task.cancel() }
    },
    HarnessCase("identifiers of tasks of two sessions") { context in
      let sessions = [context.session(), context.session(), URLSession.shared]
      let first = sessions.map { $0.dataTask(with: context.url("/json")) }
      for task in first { task.resume() }
      for task in first { await task.isOver() }
      let second = sessions.map { $0.dataTask(with: context.url("/json")) }
      context.note("\(zip(second, first).map { $0.taskIdentifier - $1.taskIdentifier })")
    },
  ]

  private static let names: [HarnessCase] = [
    HarnessCase("names of types and objects") { context in
      let delegate = RecordingDelegate(context)
      let session = context.session(delegate: delegate)
      let tasks: [URLSessionTask] = [
        session.dataTask(with: context.url("/json")), session.downloadTask(with: context.url("/json")),
        session.uploadTask(with: context.request("/echo", "POST"), from: Data("u".utf8)),
      ]
      for task in tasks {
        let described = String(describing: task).prefix { $0 != ":" }
        context.note("\(type(of: task)) \(described) \(Mirror(reflecting: task).children.count)")
        context.note("  copy \(task.isEqual(task.copy())) \(task == task)")
      }
      context.note("\(type(of: session)) \(type(of: session.configuration)) \(session.sessionDescription ?? "nil")")
      session.sessionDescription = "of mine"
      context.note("\(session.sessionDescription ?? "nil") \(session.delegate === delegate)")
      context.note("\(session.configuration === session.configuration)")
      session.finishTasksAndInvalidate()
    },
    HarnessCase("a session's delegate after its end") { context in
      let delegate = RecordingDelegate(context)
      let session = context.session(delegate: delegate)
      session.invalidateAndCancel()
      await delegate.ends()
      for _ in 0..<500 where session.delegate != nil { try await Task.sleep(for: .milliseconds(2)) }
      context.note("delegate \(session.delegate == nil ? "gone" : "there")")
    },
    HarnessCase("a session of a subclass of the program's") { context in
      let session = OwnConfiguration.session(context)
      await context.finish { session.dataTask(with: context.url("/json"), completionHandler: $0) }
    },
  ]

  private static let moments: [HarnessCase] = [
    HarnessCase("a task at each moment, handler") { context in
      let session = context.session()
      let task = Mutex<URLSessionTask?>(nil)
      await context.finish { handler in
        let made = session.dataTask(with: context.url("/slow?n=3&ms=30")) { data, response, error in
          let task = task.withLock { $0 }
          context.note("same \(task?.response === response)")
          if let task { context.note(bytes: task) }
          handler(data, response, error)
        }
        task.withLock { $0 = made }
        context.note(state: made)
        context.note(counts: made)
        return made
      }
      await task.withLock { $0 }?.isOver()
      context.note(counts: task.withLock { $0 })
    },
    HarnessCase("a task at each moment, delegate") { context in
      let delegate = CountingDelegate(context)
      context.session(delegate: delegate).dataTask(with: context.url("/slow?n=3&ms=40")).resume()
      await delegate.ends()
    },
    HarnessCase("a task at each moment, upload by delegate") { context in
      let delegate = CountingDelegate(context)
      let session = context.session(delegate: delegate)
      session.uploadTask(with: context.request("/echo", "POST"), from: Data(repeating: 7, count: 300)).resume()
      await delegate.ends()
    },
    HarnessCase("a task at each moment, download by delegate") { context in
      let delegate = CountingDelegate(context)
      context.session(delegate: delegate).downloadTask(with: context.url("/bytes?n=700")).resume()
      await delegate.ends()
    },
    HarnessCase("a task at each moment, redirected, delegate") { context in
      let delegate = CountingDelegate(context)
      context.session(delegate: delegate).dataTask(with: context.url("/chain/2")).resume()
      await delegate.ends()
    },
    HarnessCase("a task at each moment, credential") { context in
      let delegate = CountingDelegate(context)
      context.session(delegate: delegate).dataTask(with: context.url("/basic")).resume()
      await delegate.ends()
    },
    HarnessCase("the delegate of a task on its way") { context in
      for path in ["/hang", "/stall?n=5"] {
        let delegate = RecordingDelegate(context)
        let session = context.session(delegate: delegate)
        let task = session.dataTask(with: context.url(path))
        context.note("before \(task.delegate === delegate)")
        task.resume()
        for _ in 0..<30 {
          if task.delegate !== delegate { context.note("another: \(String(describing: task.delegate))") }
          try await Task.sleep(for: .milliseconds(3))
        }
        task.cancel()
        await delegate.ends()
        context.note("after \(task.delegate === delegate)")
      }
    },
  ]

  private static let settings: [HarnessCase] = [
    HarnessCase("settings of a task") { context in
      let session = context.session()
      let task = session.dataTask(with: context.url("/json"))
      context.note("\(task.priority) \(task.countOfBytesClientExpectsToSend)")
      task.priority = URLSessionTask.highPriority
      task.countOfBytesClientExpectsToReceive = 99
      task.taskDescription = "mine"
      task.resume()
      await task.isOver()
      context.note("\(task.priority) \(task.countOfBytesClientExpectsToReceive) \(task.taskDescription ?? "nil")")
    },
    HarnessCase("settings of a session") { context in
      let session = context.session {
        $0.requestCachePolicy = .reloadIgnoringLocalCacheData
        $0.timeoutIntervalForRequest = 7
        $0.timeoutIntervalForResource = 70
        $0.networkServiceType = .background
        $0.allowsCellularAccess = false
        $0.httpShouldSetCookies = false
        $0.httpCookieAcceptPolicy = .always
        $0.httpAdditionalHeaders = ["A": "1"]
        $0.httpMaximumConnectionsPerHost = 3
        $0.urlCache = nil
        $0.urlCredentialStorage = nil
        $0.httpCookieStorage = nil
      }
      let read = session.configuration
      context.note("\(read.identifier ?? "nil") \(read.requestCachePolicy.rawValue) \(read.timeoutIntervalForRequest)")
      context.note(
        "\(read.timeoutIntervalForResource) \(read.networkServiceType.rawValue) \(read.allowsCellularAccess)")
      context.note("\(read.httpShouldSetCookies) \(read.httpCookieAcceptPolicy.rawValue)")
      context.note("\(read.httpAdditionalHeaders ?? [:]) \(read.httpMaximumConnectionsPerHost)")
      context.note("\(read.urlCache == nil) \(read.urlCredentialStorage == nil) \(read.httpCookieStorage == nil)")
      context.note("\(read.isDiscretionary)")
      await context.finish { session.dataTask(with: context.url("/echo"), completionHandler: $0) }
    },
    HarnessCase("a configuration that is changed after its session was made") { context in
      let configuration = URLSessionConfiguration.ephemeral
      configuration.httpAdditionalHeaders = ["X-One": "1"]
      let session = URLSession(configuration: configuration)
      configuration.httpAdditionalHeaders = ["X-Two": "2"]
      configuration.protocolClasses = []
      session.configuration.timeoutIntervalForRequest = 1
      session.configuration.httpAdditionalHeaders = ["X-Three": "3"]
      await context.finish { session.dataTask(with: context.url("/echo"), completionHandler: $0) }
      context.note("\(session.configuration === configuration) \(session.configuration.timeoutIntervalForRequest)")
      context.note("\(session.configuration.httpAdditionalHeaders ?? [:])")
    },
    HarnessCase("two sessions of one configuration") { context in
      let configuration = URLSessionConfiguration.ephemeral
      let sessions = [URLSession(configuration: configuration), URLSession(configuration: configuration)]
      await context.finish { sessions[0].dataTask(with: context.url("/cookie/set?a=1"), completionHandler: $0) }
      await context.finish { sessions[1].dataTask(with: context.url("/echo"), completionHandler: $0) }
      context.note("\(configuration.httpCookieStorage?.cookies?.count ?? -1)")
      context.note("\(configuration.protocolClasses?.map { "\($0)" } ?? [])")
    },
  ]
}

/// A configuration handed about, as wrappers do it.
private enum OwnConfiguration {
  static func session(_ context: HarnessContext) -> URLSession {
    let copy = URLSessionConfiguration.default.copy()
    guard let configuration = copy as? URLSessionConfiguration else { return .shared }
    configuration.httpAdditionalHeaders = ["X-Own": "1"]
    context.note("\(configuration.isEqual(configuration.copy())) \(configuration == URLSessionConfiguration.default)")
    return URLSession(configuration: configuration, delegate: nil, delegateQueue: .main)
  }
}

extension HarnessContext {
  /// Bytes of a task. Its progress follows on another thread.
  func note(bytes task: URLSessionTask) {
    note("  received \(task.countOfBytesReceived)/\(task.countOfBytesExpectedToReceive)")
    note("  sent \(task.countOfBytesSent)/\(task.countOfBytesExpectedToSend)")
  }

  /// Bytes and progress of a task that has ended, or not begun.
  func note(counts task: URLSessionTask?) {
    guard let task else { return note("  no task") }
    let progress = task.progress
    note(bytes: task)
    note("  progress \(progress.completedUnitCount)/\(progress.totalUnitCount) \(progress.isFinished)")
    note("  fraction \(progress.fractionCompleted) cancelled \(progress.isCancelled)")
  }
}

extension URLSessionTask {
  /// Waits for the task's end.
  func isOver() async {
    while state != .completed { try? await Task.sleep(for: .milliseconds(2)) }
  }
}
