import Foundation
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Delegates that answer otherwise, late, in part, or end their task from within a callback.
enum CallbackCases {
  static let all: [HarnessCase] = dispositions + cancels + parts + own

  private static let dispositions: [HarnessCase] =
    [URLSession.ResponseDisposition.allow, .cancel].flatMap { disposition in
      ["/json", "/slow?n=3&ms=30", "/status/404", "/empty", "/chain/1"].map { path in
        HarnessCase("response answered by \(disposition.rawValue), \(path)") { context in
          let delegate = TurningDelegate(context, .init(disposition: disposition))
          context.session(delegate: delegate).dataTask(with: context.url(path)).resume()
          await delegate.ends()
        }
      }
    } + [
      HarnessCase("response answered late") { context in
        let delegate = TurningDelegate(context, .init(isLate: true))
        let session = context.session(delegate: delegate)
        for (number, path) in ["/json", "/slow?n=2&ms=20", "/chain/2", "/basic"].enumerated() {
          session.dataTask(with: context.url(path)).resume()
          await delegate.ends(number + 1)
        }
      },
      HarnessCase("response never answered") { context in
        let delegate = TurningDelegate(context, .init(isSilent: true))
        context.session(delegate: delegate).dataTask(with: context.url("/slow?n=2&ms=20")).resume()
        await delegate.ends()
      },
    ]

  private static let cancels: [HarnessCase] =
    ["response", "data", "redirect", "challenge", "sent", "written"].map { place in
      HarnessCase("cancelled from within the callback \(place)") { context in
        let delegate = TurningDelegate(context, .init(cancelsIn: place))
        let session = context.session(delegate: delegate)
        let task: URLSessionTask =
          switch place {
          case "redirect": session.dataTask(with: context.url("/chain/2"))
          case "challenge": session.dataTask(with: context.url("/basic"))
          case "sent": session.uploadTask(with: context.request("/hang", "POST"), from: Data("body".utf8))
          case "written": session.downloadTask(with: context.url("/stall?n=10"))
          // No byte is on its way while the head is told.
          case "response": session.dataTask(with: context.url("/stall?n=0"))
          default: session.dataTask(with: context.url("/stall?n=10"))
          }
        task.resume()
        await delegate.ends()
        context.note(state: task)
      }
    } + [
      HarnessCase("session invalidated from within its callbacks") { context in
        for (number, path) in ["/json", "/chain/1", "/stall?n=5"].enumerated() {
          let delegate = TurningDelegate(context, .init(invalidatesIn: ["complete", "redirect", "data"][number]))
          let session = context.session(delegate: delegate)
          session.dataTask(with: context.url(path)).resume()
          await delegate.ends(2)
        }
      },
      HarnessCase("session finished from within a handler") { context in
        let delegate = TurningDelegate(context)
        let session = context.session(delegate: delegate)
        await context.finish { handler in
          session.dataTask(with: context.url("/json")) { data, response, error in
            session.finishTasksAndInvalidate()
            handler(data, response, error)
          }
        }
        await delegate.ends()
      },
    ]

  /// Delegates that know only a part of the protocols.
  private static let parts: [HarnessCase] = [
    HarnessCase("a delegate that hears of the session alone") { context in
      let delegate = SessionOnly(context)
      let session = context.session(delegate: delegate)
      for path in ["/json", "/chain/1", "/drop"] {
        let task = session.dataTask(with: context.url(path))
        task.resume()
        await task.isOver()
        context.note(state: task)
      }
      session.finishTasksAndInvalidate()
      await delegate.ends()
    },
    HarnessCase("a delegate that hears of tasks alone") { context in
      let delegate = TaskOnly(context)
      let session = context.session(delegate: delegate)
      for (number, path) in ["/json", "/chain/2", "/drop", "/empty", "/slow?n=3&ms=10"].enumerated() {
        session.dataTask(with: context.url(path)).resume()
        await delegate.ends(number + 1)
      }
      session.downloadTask(with: context.url("/json")).resume()
      await delegate.ends(6)
      session.uploadTask(with: context.request("/echo", "POST"), from: Data("u".utf8)).resume()
      await delegate.ends(7)
    },
    HarnessCase("a delegate that hears of pieces alone") { context in
      let delegate = PiecesOnly(context)
      let session = context.session(delegate: delegate)
      for path in ["/json", "/chain/2", "/slow?n=3&ms=10", "/drop"] {
        let task = session.dataTask(with: context.url(path))
        task.resume()
        await task.isOver()
        try await Task.sleep(for: .milliseconds(20))
      }
    },
    HarnessCase("a delegate that hears of files alone") { context in
      let delegate = FilesOnly(context)
      let session = context.session(delegate: delegate)
      for path in ["/json", "/chain/2", "/drop"] {
        let task = session.downloadTask(with: context.url(path))
        task.resume()
        await task.isOver()
        try await Task.sleep(for: .milliseconds(20))
      }
    },
  ]

  /// Delegates of one task.
  private static let own: [HarnessCase] =
    ["/json", "/chain/2", "/drop", "/slow?n=3&ms=20", "/redirect/302?to=/json", "/cut"].flatMap { path in
      [
        HarnessCase("a delegate of one call, \(path)") { context in
          let session = context.session(delegate: RecordingDelegate(context))
          let own = TurningDelegate(context)
          await context.attemptAndSettle { try await session.data(for: context.request(path), delegate: own) }
        },
        HarnessCase("a delegate of one upload, \(path)") { context in
          let session = context.session()
          let own = TurningDelegate(context)
          await context.attemptAndSettle {
            try await session.upload(for: context.request(path, "POST"), from: Data("up".utf8), delegate: own)
          }
        },
        HarnessCase("a delegate of one download, \(path)") { context in
          let session = context.session()
          let own = TurningDelegate(context)
          await context.attemptAndSettle {
            let (file, response) = try await session.download(for: context.request(path), delegate: own)
            return (try Data(contentsOf: file), response)
          }
        },
        HarnessCase("a task's own delegate, \(path)") { context in
          let session = context.session(delegate: RecordingDelegate(context))
          let own = TurningDelegate(context)
          for task in [
            session.dataTask(with: context.url(path)), session.downloadTask(with: context.url(path)),
            session.dataTask(with: context.url(path)) { data, _, error in
              context.note(data)
              context.note(error)
            },
          ] as [URLSessionTask] {
            task.delegate = own
            task.resume()
            await task.isOver()
            try await Task.sleep(for: .milliseconds(20))
            context.note("own \(task.delegate === own)")
          }
        },
      ]
    }
}

extension HarnessContext {
  /// Tells what an async call gave, after the callbacks that come beside it.
  fileprivate func attemptAndSettle(_ call: () async throws -> (Data, URLResponse)) async {
    await attempt {
      do {
        let result = try await call()
        try? await Task.sleep(for: .milliseconds(80))
        return result
      } catch {
        try? await Task.sleep(for: .milliseconds(80))
        throw error
      }
    }
  }
}
