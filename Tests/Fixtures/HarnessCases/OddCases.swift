import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What servers seldom send and programs seldom do.
enum OddCases {
  private static let names = [
    "early", "http10", "noreason", "weird", "folded", "wronglength", "badchunk", "badgzip", "nohead", "noplace",
    "badplace", "otherscheme", "fragment", "part",
    "continued",
  ]

  static let all: [HarnessCase] =
    names.flatMap { name in
      [
        HarnessCase("odd \(name), handler") { context in
          let session = context.session()
          await context.finish { session.dataTask(with: context.url("/odd/\(name)"), completionHandler: $0) }
        },
        HarnessCase("odd \(name), delegate") { context in
          let delegate = RecordingDelegate(context)
          context.session(delegate: delegate).dataTask(with: context.url("/odd/\(name)")).resume()
          await delegate.ends()
        },
        HarnessCase("odd \(name), download") { context in
          let delegate = RecordingDelegate(context)
          context.session(delegate: delegate).downloadTask(with: context.url("/odd/\(name)")).resume()
          await delegate.ends()
        },
      ]
    } + credentials + others

  private static let credential = URLCredential(user: "user", password: "secret", persistence: .none)

  private static func knowing(_ context: HarnessContext) -> RecordingDelegate {
    RecordingDelegate(context, .init(credential: credential, disposition: .useCredential))
  }

  private static let credentials: [HarnessCase] = [
    HarnessCase("credential for an async call") { context in
      let session = context.session(delegate: knowing(context))
      await context.attempt { try await session.data(from: context.url("/basic")) }
    },
    HarnessCase("credential for a handler") { context in
      let session = context.session(delegate: knowing(context))
      await context.finish { session.dataTask(with: context.url("/basic"), completionHandler: $0) }
    },
    HarnessCase("credential for an upload") { context in
      let delegate = knowing(context)
      let request = context.request("/basic", "POST")
      context.session(delegate: delegate).uploadTask(with: request, from: Data("up".utf8)).resume()
      await delegate.ends()
    },
    HarnessCase("credential for a download") { context in
      let delegate = knowing(context)
      context.session(delegate: delegate).downloadTask(with: context.url("/basic")).resume()
      await delegate.ends()
    },
    HarnessCase("credential that is wrong, again and again") { context in
      let wrong = URLCredential(user: "user", password: "wrong", persistence: .none)
      let delegate = RecordingDelegate(context, .init(credential: wrong, disposition: .useCredential, tries: 4))
      context.session(delegate: delegate).dataTask(with: context.url("/basic")).resume()
      await delegate.ends()
    },
    HarnessCase("credentials that are wrong, in many sessions") { context in
      let wrong = URLCredential(user: "user", password: "wrong", persistence: .none)
      for number in 1...60 {
        let delegate = RecordingDelegate(
          context, .init(credential: wrong, disposition: .useCredential, tries: 1 + number % 3))
        context.session(delegate: delegate).dataTask(with: context.url("/basic")).resume()
        await delegate.ends()
      }
    },
    HarnessCase("credential twice in one session") { context in
      let delegate = knowing(context)
      let session = context.session(delegate: delegate)
      for number in 1...2 {
        session.dataTask(with: context.url("/basic")).resume()
        await delegate.ends(number)
      }
    },
  ]

  private static let others: [HarnessCase] = [
    HarnessCase("a delegate of the task's own") { context in
      let own = RecordingDelegate(context)
      let task = context.session(delegate: RecordingDelegate(context)).dataTask(with: context.url("/chain/1"))
      task.delegate = own
      task.taskDescription = "described"
      task.resume()
      while task.state != .completed { try await Task.sleep(for: .milliseconds(2)) }
      context.note("own \(task.delegate === own)")
    },
    HarnessCase("cancel by the task's progress") { context in
      let delegate = RecordingDelegate(context)
      let task = context.session(delegate: delegate).dataTask(with: context.url("/hang"))
      task.resume()
      try await Task.sleep(for: .milliseconds(100))
      task.progress.cancel()
      await delegate.ends()
    },
    HarnessCase("a group of calls, cancelled after the first") { context in
      let session = context.session()
      await withTaskGroup(of: Int.self) { group in
        for number in 0..<6 {
          group.addTask {
            do {
              return try await session.data(from: context.url(number == 0 ? "/delay?ms=50" : "/hang")).0.count
            } catch {
              return (error as? URLError)?.code.rawValue ?? 0
            }
          }
        }
        let first = await group.next()
        group.cancelAll()
        let rest = await group.reduce(into: []) { $0.append($1) }
        context.note("\(first ?? 0) \(rest.sorted())")
      }
    },
    HarnessCase("proxy of the configuration") { context in
      let session = context.session {
        $0.connectionProxyDictionary = ["HTTPEnable": 1, "HTTPProxy": "127.0.0.1", "HTTPPort": 1]
      }
      await context.finish { session.dataTask(with: context.url("/json"), completionHandler: $0) }
    },
    HarnessCase("scheme in capitals") { context in
      let session = context.session()
      let url = URL(string: context.base.replacingOccurrences(of: "http:", with: "HTTP:") + "/json")!
      await context.finish { session.dataTask(with: url, completionHandler: $0) }
    },
    HarnessCase("user and password in the URL") { context in
      let session = context.session()
      let url = URL(string: context.base.replacingOccurrences(of: "://", with: "://user:secret@") + "/basic")!
      await context.finish { session.dataTask(with: url, completionHandler: $0) }
    },
    HarnessCase("a URL that is percent-encoded, dotted and has a fragment") { context in
      let session = context.session()
      let url = context.url("/echo/../echo/%E8%8A%B1%2Fx%20y;p=1?a=%26&b=c+d&e=[1]#part")
      await context.finish { session.dataTask(with: url, completionHandler: $0) }
    },
    HarnessCase("header fields that the loader sets itself") { context in
      let session = context.session()
      var request = context.request("/echo", "POST", body: Data("abcdef".utf8))
      for (name, value) in [("Host", "other.example"), ("Accept", "a/b"), ("Accept-Encoding", "identity")] {
        request.setValue(value, forHTTPHeaderField: name)
      }
      await context.finish { [request] in session.dataTask(with: request, completionHandler: $0) }
    },
    HarnessCase("files left by downloads") { context in
      let folder = NSTemporaryDirectory()
      func count() -> Int {
        (try? FileManager.default.contentsOfDirectory(atPath: folder))?.filter { $0.hasSuffix(".tmp") }.count ?? 0
      }
      let before = count()
      let session = context.session()
      for path in ["/bytes?n=1000", "/chain/1", "/drop"] {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
          session.downloadTask(with: context.url(path)) { _, _, _ in continuation.resume() }.resume()
        }
      }
      context.note("left \(count() - before)")
      for path in ["/chain/2", "/cut", "/drop", "/empty"] {
        let delegate = RecordingDelegate(context)
        context.session(delegate: delegate).downloadTask(with: context.url(path)).resume()
        await delegate.ends()
        context.note("left \(count() - before)")
      }
    },
    HarnessCase("download async with a delegate of this one call") { context in
      for path in ["/bytes?n=1000", "/chain/2"] {
        let delegate = RecordingDelegate(context)
        await context.attempt {
          let (location, response) = try await context.session().download(from: context.url(path), delegate: delegate)
          // The callbacks come beside the answer.
          try await Task.sleep(for: .milliseconds(80))
          return (try Data(contentsOf: location), response)
        }
      }
    },
    HarnessCase("redirects refused by a session's delegate, handlers beside it") { context in
      let delegate = RecordingDelegate(context, .init(redirect: { _ in nil }))
      let session = context.session(delegate: delegate)
      await context.finish { session.dataTask(with: context.url("/chain/2"), completionHandler: $0) }
      session.dataTask(with: context.url("/chain/2")).resume()
      await delegate.ends()
      await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
        session.downloadTask(with: context.url("/chain/2")) { location, response, error in
          context.note(location.flatMap { try? Data(contentsOf: $0) })
          context.note(response)
          context.note(error)
          continuation.resume()
        }.resume()
      }
    },
  ]
}
