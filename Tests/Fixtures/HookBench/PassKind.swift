import Foundation
import Patchbay

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A way in which a program makes requests.
struct PassKind: Sendable {
  var name: String
  /// How many times as long as without the hook a request may take; nil where nothing is promised.
  var promise: Double?
  var hasDelegate = false
  var load: @Sendable (URL, URLSession) async -> Void

  static let all = [
    PassKind(name: "async", promise: 1.15) { url, session in _ = try? await session.data(from: url) },
    PassKind(name: "handler", promise: 1.15) { url, session in
      await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
        session.dataTask(with: url) { _, _, _ in continuation.resume() }.resume()
      }
    },
    PassKind(name: "delegate", promise: 1.5, hasDelegate: true) { url, session in
      guard let delegate = session.delegate as? EndDelegate else { return }
      await delegate.load(url, in: session)
    },
    PassKind(name: "download", promise: nil) { url, session in
      if let (file, _) = try? await session.download(from: url) { try? FileManager.default.removeItem(at: file) }
    },
  ]

  func session(hooked: Bool) -> URLSession {
    let session = URLSession(
      configuration: .ephemeral, delegate: hasDelegate ? EndDelegate() : nil, delegateQueue: nil)
    // A session of an attached program has the hook from its making; its next task sees what stands there now.
    let classes = session.configuration.protocolClasses ?? []
    let own = classes.filter { !($0 is PatchbayURLProtocol.Type) }
    session.configuration.protocolClasses = hooked ? [PatchbayURLProtocol.self] + own : own
    return session
  }
}
