import Foundation
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// How libraries on top of URLSession use it.
enum WrapperCases {
  static let all: [HarnessCase] = styles + cancels

  private static let styles: [HarnessCase] = [
    HarnessCase("retries with a session for each", waits: true) { context in
      for attempt in 1...4 {
        let session = context.session()
        let path = attempt < 4 ? ["/status/503", "/drop", "/hang"][attempt - 1] : "/json"
        var request = context.request(path)
        request.timeoutInterval = 1
        do {
          let (data, response) = try await session.data(for: request)
          context.note("\(attempt) \((response as? HTTPURLResponse)?.statusCode ?? 0) \(data.count)")
        } catch {
          context.note("\(attempt)")
          context.note(error)
        }
        session.invalidateAndCancel()
      }
    },
    HarnessCase("forty sessions that are let go of at once") { context in
      var sizes: [Int] = []
      for number in 0..<40 {
        let size = await withCheckedContinuation { (continuation: CheckedContinuation<Int, Never>) in
          URLSession(configuration: .ephemeral).dataTask(with: context.url("/bytes?n=\(number)")) { data, _, _ in
            continuation.resume(returning: data?.count ?? -1)
          }.resume()
        }
        sizes.append(size)
      }
      context.note("\(sizes)")
    },
    HarnessCase("results that are decoded") { context in
      struct Named: Decodable {
        var name: String
        var ids: [Int]
      }
      let session = context.session()
      let (data, response) = try await session.data(from: context.url("/json"))
      let named = try JSONDecoder().decode(Named.self, from: data)
      let object = try JSONSerialization.jsonObject(with: data) as? [String: Any]
      let head = response as? HTTPURLResponse
      context.note("\(named.name) \(named.ids) \(object?.count ?? 0)")
      context.note("\(head?.value(forHTTPHeaderField: "content-TYPE") ?? "nil") \(response.suggestedFilename ?? "nil")")
      context.note("\((head?.allHeaderFields["Content-Type"] as? String) ?? "nil") \(type(of: response))")
      context.note("\(HTTPURLResponse.localizedString(forStatusCode: head?.statusCode ?? 0))")
    },
    HarnessCase("events by a delegate that keeps what is left over") { context in
      let delegate = EventDelegate(context)
      context.session(delegate: delegate).dataTask(with: context.url("/sse?n=12&ms=5")).resume()
      await delegate.ends()
    },
    HarnessCase("a body as an asynchronous sequence of pieces") { context in
      let (pieces, feed) = AsyncThrowingStream<Data, any Error>.makeStream()
      let session = context.session(delegate: FeedDelegate(feed))
      session.dataTask(with: context.url("/slow?n=5&ms=10")).resume()
      var all = Data()
      for try await piece in pieces { all.append(piece) }
      context.note(all)
      let (cut, other) = AsyncThrowingStream<Data, any Error>.makeStream()
      context.session(delegate: FeedDelegate(other)).dataTask(with: context.url("/cut")).resume()
      do {
        for try await piece in cut { context.note(piece) }
      } catch {
        context.note(error)
      }
    },
    HarnessCase("a table of tasks by their number") { context in
      let delegate = TableDelegate()
      let session = context.session(delegate: delegate)
      let bodies = await withTaskGroup(of: (Int, Int).self) { group in
        for number in 0..<20 {
          group.addTask { (number, await delegate.run(session.dataTask(with: context.url("/bytes?n=\(number * 90)")))) }
        }
        return await group.reduce(into: []) { $0.append($1) }
      }
      context.note("\(bodies.sorted { $0.0 < $1.0 }.map(\.1))")
    },
    HarnessCase("pages that name the next") { context in
      let session = context.session()
      var next: String? = "/json"
      var rest = ["/chain/1", "/gzip", "/cookie/set?p=1", "/echo"]
      while let path = next {
        let (data, _) = try await session.data(from: context.url(path))
        context.note(data)
        next = rest.isEmpty ? nil : rest.removeFirst()
      }
    },
    HarnessCase("requests that are made on many threads at once") { context in
      let session = context.session()
      let sizes = Mutex<[Int]>([])
      let done = DispatchGroup()
      for number in 0..<24 {
        done.enter()
        Thread.detachNewThread {
          session.dataTask(with: context.url("/bytes?n=\(number)")) { data, _, _ in
            sizes.withLock { $0.append(data?.count ?? -1) }
            done.leave()
          }.resume()
        }
      }
      await context.apart { done.wait() }
      context.note("\(sizes.withLock { $0.sorted() })")
    },
  ]

  private static let cancels: [HarnessCase] = [
    // Foundation begins the task and cancels it then: on a busy machine the answer may come first, bare or not. It is
    // asked again then.
    HarnessCase("an async call that is cancelled before it begins") { context in
      let session = context.session()
      let call = Task {
        while !Task.isCancelled { await Task.yield() }
        await context.attempt {
          for _ in 0..<100 { _ = try await session.data(from: context.url("/json")) }
          return try await session.data(from: context.url("/json"))
        }
      }
      call.cancel()
      await call.value
    },
    HarnessCase("async calls of all kinds that are cancelled within the body") { context in
      let session = context.session()
      let calls: [@Sendable () async throws -> (Data, URLResponse)] = [
        { try await session.data(from: context.url("/stall?n=9")) },
        { try await session.upload(for: context.request("/stall?n=9", "POST"), from: Data("u".utf8)) },
        {
          let (file, response) = try await session.download(from: context.url("/stall?n=9"))
          return (try Data(contentsOf: file), response)
        },
      ]
      for call in calls {
        let task = Task { await context.attempt(call) }
        try await Task.sleep(for: .milliseconds(120))
        task.cancel()
        await task.value
      }
    },
    HarnessCase("a search as one types, where only the last counts") { context in
      let session = context.session()
      let answers = Mutex<[String]>([])
      var last: URLSessionTask?
      for number in 0..<5 {
        last?.cancel()
        let task = session.dataTask(with: context.url(number < 4 ? "/hang?\(number)" : "/json")) { data, _, error in
          answers.withLock { $0.append("\(number) \(data?.count ?? -1) \((error as NSError?)?.code ?? 0)") }
        }
        task.resume()
        last = task
        try await Task.sleep(for: .milliseconds(30))
      }
      while answers.withLock({ $0.count }) < 5 { try await Task.sleep(for: .milliseconds(2)) }
      context.note("\(answers.withLock { $0.sorted() })")
    },
  ]
}
