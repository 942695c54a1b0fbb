import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Each method with each kind of redirect and body.
enum MethodCases {
  private static let methods = ["HEAD", "GET", "PUT", "POST", "DELETE", "PATCH", "OPTIONS"]

  static let all: [HarnessCase] =
    redirects + bodies + [
      HarnessCase("method of the program's own") { context in
        let session = context.session()
        await context.finish { session.dataTask(with: context.request("/echo", "PURGE"), completionHandler: $0) }
      },
      HarnessCase("method in small letters") { context in
        let session = context.session()
        await context.finish { session.dataTask(with: context.request("/echo", "post"), completionHandler: $0) }
      },
    ]

  private static let redirects = ["300", "301", "302", "303", "304", "305", "306", "307", "308"].flatMap { code in
    methods.map { method in
      HarnessCase("\(method) that is sent elsewhere by \(code), delegate") { context in
        for answers in [RecordingDelegate.Answers(), RecordingDelegate.Answers(redirect: { _ in nil })] {
          let delegate = RecordingDelegate(context, answers)
          let request = context.request("/redirect/\(code)?to=/echo", method)
          context.session(delegate: delegate).dataTask(with: request).resume()
          await delegate.ends()
        }
      }
    }
  }

  private static let bodies = methods.map { method in
    HarnessCase("\(method) with no body, an empty one, and one, with and without a type") { context in
      for body in [nil, Data(), Data("a body".utf8)] as [Data?] {
        for type in ["text/plain", nil] {
          var request = context.request("/echo", method, body: body)
          if let type { request.setValue(type, forHTTPHeaderField: "Content-Type") }
          let delegate = RecordingDelegate(context)
          context.session(delegate: delegate).dataTask(with: request).resume()
          await delegate.ends()
        }
      }
    }
  }
}
