import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif
#if canImport(FoundationXML)
  import FoundationXML
#endif

/// What is loaded by a URL without a session of the program's, and from other places than servers.
enum ContentCases {
  private static let paths = [
    "/json", "/bytes?n=3000", "/chain/3", "/status/404", "/status/500", "/drop", "/cut", "/empty", "/gzip", "/loop",
    "/status/204",
  ]

  static let all: [HarnessCase] =
    paths.map { path in
      HarnessCase("contents of \(path)") { context in
        let url = context.url(path)
        await context.apart {
          context.note("Data") { try Data(contentsOf: url) }
          context.note("String") { Data(try String(contentsOf: url, encoding: .utf8).utf8) }
          context.note("String of some encoding") {
            var used = String.Encoding.ascii
            let text = try String(contentsOf: url, usedEncoding: &used)
            return Data("\(used.rawValue) \(text)".utf8)
          }
          context.note("NSData") { Data(referencing: try NSData(contentsOf: url, options: [])) }
          context.note("NSString") { Data("\(try NSString(contentsOf: url, encoding: 4))".utf8) }
          context.note("XML \(XMLParser(contentsOf: url)?.parse() ?? false)")
        }
      }
    } + places

  private static let places: [HarnessCase] = [
    HarnessCase("contents of a file, by all means") { context in
      let file = FileManager.default.temporaryDirectory.appendingPathComponent("patchbay-content-\(UUID().uuidString)")
      try Data("in a file".utf8).write(to: file)
      defer { try? FileManager.default.removeItem(at: file) }
      context.note("Data") { try Data(contentsOf: file) }
      let session = context.session()
      await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
        session.dataTask(with: file) { data, response, error in
          context.note(data)
          context.note("\(response.map { "\(type(of: $0))" } ?? "nil") \((error as NSError?)?.code ?? 0)")
          continuation.resume()
        }.resume()
      }
    },
    HarnessCase("a URL that is data itself") { context in
      let url = URL(string: "data:text/plain;base64,aGVsbG8=")!
      context.note("Data") { try Data(contentsOf: url) }
      let session = context.session()
      await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
        session.dataTask(with: url) { data, response, error in
          context.note(data)
          context.note("\(response.map { "\($0.mimeType ?? "nil")" } ?? "nil") \((error as NSError?)?.code ?? 0)")
          continuation.resume()
        }.resume()
      }
    },
    HarnessCase("FTP where nobody listens") { context in
      let session = context.session()
      await context.finish { session.dataTask(with: URL(string: "ftp://127.0.0.1:1/x")!, completionHandler: $0) }
    },
    HarnessCase("contents of what cannot be had") { context in
      for text in ["http://127.0.0.1:1/", "https://127.0.0.1:1/", "foo://x", "http://patchbay.invalid/"] {
        let url = URL(string: text)!
        await context.apart { context.note(text) { try Data(contentsOf: url) } }
      }
    },
  ]
}

extension HarnessContext {
  /// Runs what waits, away from the threads that async code shares.
  func apart(_ body: @escaping @Sendable () -> Void) async {
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      Thread.detachNewThread {
        body()
        continuation.resume()
      }
    }
  }

  fileprivate func note(_ name: String, _ load: () throws -> Data) {
    note(name)
    do {
      note(try load())
    } catch {
      let bridged = error as NSError
      let under = bridged.userInfo[NSUnderlyingErrorKey] as? NSError
      note("  \(bridged.domain) \(bridged.code) \(type(of: error)) \(bridged.userInfo.keys.sorted())")
      note("  \(error.localizedDescription) under \(under?.domain ?? "nil") \(under?.code ?? 0)")
      note("  \(bridged.userInfo["NSURL"].map { "\($0)" } ?? "nil")")
    }
  }
}
