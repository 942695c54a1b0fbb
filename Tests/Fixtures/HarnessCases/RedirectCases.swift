import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Redirects: which are followed, with what, and who is asked.
enum RedirectCases {
  static let all: [HarnessCase] =
    ["301", "302", "303", "305", "307", "308"].flatMap { code in
      ["GET", "POST", "PUT"].map { method in
        HarnessCase("redirect \(code) \(method)") { context in
          let session = context.session()
          let body: Data? = method == "GET" ? nil : Data("body".utf8)
          let request = context.request("/redirect/\(code)?to=/echo", method, body: body)
          await context.finish { session.dataTask(with: request, completionHandler: $0) }
        }
      }
    }
    + [
      HarnessCase("redirect relative") { context in
        let session = context.session()
        await context.finish {
          session.dataTask(with: context.url("/redirect/302?to=bytes%3Fn%3D5"), completionHandler: $0)
        }
      },
      HarnessCase("redirect 20 hops") { context in
        let session = context.session()
        await context.finish { session.dataTask(with: context.url("/chain/20"), completionHandler: $0) }
      },
      HarnessCase("redirect 21 hops") { context in
        let session = context.session()
        await context.finish { session.dataTask(with: context.url("/chain/21"), completionHandler: $0) }
      },
      HarnessCase("redirect for ever, async") { context in
        let session = context.session()
        await context.attempt { try await session.data(from: context.url("/loop")) }
      },
      HarnessCase("redirect async") { context in
        let session = context.session()
        await context.attempt { try await session.data(from: context.url("/chain/3")) }
      },
      HarnessCase("redirect with a cookie") { context in
        let session = context.session()
        await context.finish { session.dataTask(with: context.url("/cookie/hop"), completionHandler: $0) }
      },
      HarnessCase("redirect with a cookie, delegate") { context in
        let delegate = RecordingDelegate(context)
        context.session(delegate: delegate).dataTask(with: context.url("/cookie/hop")).resume()
        await delegate.ends()
      },
      HarnessCase("redirect delegate follows") { context in
        let delegate = RecordingDelegate(context)
        context.session(delegate: delegate).dataTask(with: context.url("/chain/2")).resume()
        await delegate.ends()
      },
      HarnessCase("redirect delegate refuses") { context in
        let delegate = RecordingDelegate(context, .init(redirect: { _ in nil }))
        context.session(delegate: delegate).dataTask(with: context.url("/chain/2")).resume()
        await delegate.ends()
      },
      HarnessCase("redirect delegate refuses, handler") { context in
        let session = context.session(delegate: RecordingDelegate(context, .init(redirect: { _ in nil })))
        await context.finish { session.dataTask(with: context.url("/chain/2"), completionHandler: $0) }
      },
      HarnessCase("redirect delegate goes elsewhere") { context in
        let elsewhere = context.request("/bytes?n=7")
        let delegate = RecordingDelegate(context, .init(redirect: { _ in elsewhere }))
        context.session(delegate: delegate).dataTask(with: context.url("/chain/2")).resume()
        await delegate.ends()
      },
      HarnessCase("redirect of an upload, delegate") { context in
        let delegate = RecordingDelegate(context)
        let request = context.request("/redirect/307?to=/echo", "POST")
        context.session(delegate: delegate).uploadTask(with: request, from: Data("upload".utf8)).resume()
        await delegate.ends()
      },
    ]
}
