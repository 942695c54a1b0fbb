import Dispatch
import Foundation
import PatchbayStubs
import PatchbayWire

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The request that goes out in the place of the one that the program made.
///
/// `originalRequest` stays what the program asked; `currentRequest` and the response's URL are what was sent and who
/// answered, as after a redirect.
extension RequestRun {
  /// Makes the request what the rule says, and goes on; reads its body before, if the rule looks at it.
  func rewrite(_ changes: PassChanges, then next: @escaping () -> Void) {
    guard changes.readsRequestBody else {
      if rewrite(changes, nil) { next() }
      return
    }
    readBody { body in
      switch body {
      case .whole(let data):
        if self.rewrite(changes, data) { next() }
      case .tooLarge:
        let limit = self.snapshot.largestPatched >> 20
        self.snapshot.sink?.notice(
          "\(self.current.method) \(self.current.url): A body of more than \(limit) MiB is not patched, so it went out as it is."
        )
        if self.rewrite(changes.withoutPatchOfBody, nil) { next() }
      }
    }
  }

  /// What a rule that looks at the program's body finds.
  private enum FoundBody: Sendable {
    /// nil is none.
    case whole(Data?)
    case tooLarge
  }

  /// - Returns: false where the request has failed, since nobody can say where it is to go.
  private func rewrite(_ changes: PassChanges, _ body: Data?) -> Bool {
    let asked = RequestParts(method: current.method, url: current.url, headers: current.headers)
    var notices: [String] = []
    var parts: RequestParts
    do throws(StubError) {
      parts = try changes.apply(to: asked, body: body, isRedirected: hops > 0, notices: &notices)
    } catch {
      let sentence = "The request could not be sent on as its stub says: \(error.message)."
      fail(with: FaultError.urlError(.badURL, url: current.request.url, message: sentence))
      return false
    }
    for notice in notices { snapshot.sink?.notice("\(current.method) \(current.url): \(notice)") }
    guard parts != asked, let url = URL(string: parts.url) else { return true }
    if parts.url != asked.url, !changes.setsCookies { moveCookies(of: &parts, to: url) }
    var request = current.request
    request.become(parts.method, url, parts.headers)
    var body = current.body
    switch parts.body {
    case .kept: break
    case .dropped:
      request.httpBodyStream = nil
      request.httpBody = nil
      body = .none
    case .bytes(let bytes):
      request.httpBodyStream = nil
      request.httpBody = task is URLSessionUploadTask ? nil : bytes
      body = .data(bytes)
    }
    current = RequestSnapshot(request: request, body: body)
    isForeign = true
    recorder.rewritten(current, isHop: hops > 0)
    TaskInternals.setCurrentRequest(request, of: task)
    return true
  }

  /// The session has given the request the cookies of the URL that the program asked for.
  private func moveCookies(of parts: inout RequestParts, to url: URL) {
    guard let configuration = session?.configuration, let asked = current.request.url else { return }
    let own = Cookies.moved(parts.headers.first(named: "Cookie"), from: asked, to: url, by: configuration)
    parts.headers.remove(named: "Cookie")
    if let own { parts.headers.set("Cookie", to: own) }
  }

  // MARK: The program's body

  /// Finds the body, off every queue where it has to be read.
  private func readBody(then next: @escaping (FoundBody) -> Void) {
    let limit = snapshot.largestPatched
    switch current.body {
    case .none: next(.whole(nil))
    case .data(let data): next(data.count > limit ? .tooLarge : .whole(data))
    case .file(let file):
      read(
        { done in done(file.read(upTo: limit + 1)) },
        then: { data in next(data.map { $0.count > limit } == true ? .tooLarge : .whole(data)) })
    case .stream(let capture): readStream(capture, then: next)
    }
  }

  /// What was read of a stream that turns out to be too long goes out before the rest of it.
  private func readStream(_ capture: StreamCapture?, then next: @escaping (FoundBody) -> Void) {
    let limit = snapshot.largestPatched
    let own = StreamCapture(limit: limit + 1)
    read(
      { done in
        self.findStream { stream in
          nonisolated(unsafe) let stream = stream  // Handed over.
          HookQueue.apart {
            done(stream.map { HandedOver(ReplayedStream($0, upTo: limit + 1, own)) })
          }
        }
      },
      then: { (replayed: HandedOver?) in
        guard let replayed else { return next(.whole(nil)) }
        let data = own.bytes(limit: limit + 1).data
        guard data.count > limit, let queue = self.queue else {
          capture?.note(data)
          return next(.whole(data))
        }
        self.current.request.httpBodyStream = replayed.stream
        // The task sends its own stream where nothing else of the request is changed.
        let due = self.nextStep()
        let next = UncheckedClosure<Void> { _ in next(.tooLarge) }
        self.stage = .waiting {}
        TaskBody.put(replayed.stream, into: self.task, on: queue) { [self] in
          guard !isEnded, step == due || task.state != .canceling else { return }
          _ = nextStep()
          if task.state == .suspended { stage = .waiting { next.call(nil) } } else { next.call(nil) }
        }
      })
  }

  private struct HandedOver: @unchecked Sendable {  // Used by one at a time.
    let stream: InputStream

    init(_ stream: InputStream) { self.stream = stream }
  }

  /// Has something read off every queue, and goes on on the task's.
  private func read<Result: Sendable>(
    _ start: (@escaping @Sendable (Result?) -> Void) -> Void, then next: @escaping (Result?) -> Void
  ) {
    guard let queue else { return next(nil) }
    let due = nextStep()
    let proceed = UncheckedClosure(next)
    stage = .waiting {}
    timeOutReading(due, on: queue)
    let isOnQueue: @Sendable (Result?) -> Void = { result in
      queue.async { [self] in
        guard !isEnded, step == due || task.state != .canceling else { return }
        _ = nextStep()
        if task.state == .suspended { stage = .waiting { proceed.call(result) } } else { proceed.call(result) }
      }
    }
    start { result in HookQueue.shared.async { isOnQueue(result) } }
  }
}

/// What comes after a step elsewhere.
private struct UncheckedClosure<Value>: @unchecked Sendable {  // Called on the task's work queue only.
  let call: (Value?) -> Void

  init(_ call: @escaping (Value?) -> Void) { self.call = call }
}

extension URLRequest {
  /// The same settings with another method, URL and header fields.
  mutating func become(_ method: String, _ url: URL, _ headers: [HeaderField]) {
    self.url = url
    httpMethod = method
    for name in (allHTTPHeaderFields ?? [:]).keys { setValue(nil, forHTTPHeaderField: name) }
    for header in headers { addValue(header.value, forHTTPHeaderField: header.name) }
  }
}

extension PassChanges {
  /// What is left of the rule where the program's body stays as it is.
  fileprivate var withoutPatchOfBody: PassChanges {
    var copy = self
    copy.request?.mergePatch = nil
    copy.request?.replace = []
    return copy
  }

  /// The rule has its own say about the cookies of the request.
  fileprivate var setsCookies: Bool {
    request?.headers.contains { $0.name.caseInsensitiveEquals("Cookie") } ?? false
  }
}

extension StreamCapture {
  fileprivate func note(_ data: Data) {
    data.withUnsafeBytes { note($0.bindMemory(to: UInt8.self)) }
  }
}
