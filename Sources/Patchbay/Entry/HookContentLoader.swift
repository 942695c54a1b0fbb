#if os(Linux)
  import Foundation
  @_spi(SwiftCorelibsFoundation) import FoundationEssentials
  import FoundationNetworking
  import Synchronization

  /// Loads what `Data(contentsOf:)` and `String(contentsOf:)` want from the network, as FoundationNetworking's own loader
  /// does, but in a session that the hook sees.
  public final class HookContentLoader: _NSNonfileURLContentLoading {
    private struct Result: Sendable {
      var data: Data?
      var response: URLResponse?
      var error: (any Error)?
    }

    /// For Foundation, which makes one by the class.
    public required init() {}

    /// Waits for the content. Statuses that are no success are errors, as they are without the hook.
    public func contentsOf(url: URL) throws -> (result: NSData, textEncodingNameIfAvailable: String?) {
      let session = URLSession(configuration: .default)
      // In a program that links the hook it is one of the program's sessions.
      if !LinkedSessions.areSeen { HookInsertion.insert(into: session, isNew: true) }
      defer { session.finishTasksAndInvalidate() }
      let done = DispatchSemaphore(value: 0)
      let box = Mutex(Result())
      session.dataTask(with: url) { data, response, error in
        box.withLock { $0 = Result(data: data, response: response, error: error) }
        done.signal()
      }.resume()
      done.wait()
      let result = box.withLock { $0 }
      if let error = result.error { throw Self.unreadable(url, because: error) }
      guard let data = result.data, let status = (result.response as? HTTPURLResponse)?.statusCode else {
        throw Self.unreadable(url, because: nil)
      }
      switch status {
      case 101, 200...399, 401, 407: return (NSData(data: data), result.response?.textEncodingName)
      default: throw Self.unreadable(url, because: nil)
      }
    }

    private static func unreadable(_ url: URL, because error: (any Error)?) -> any Error {
      var info: [String: AnyHashable] = [:]
      if let error = error as? AnyHashable { info[NSUnderlyingErrorKey] = error }
      return CocoaError.error(.fileReadUnknown, userInfo: info, url: url)
    }
  }

  extension Data {
    /// Counts from when this library is loaded, in the place of FoundationNetworking's.
    @_dynamicReplacement(for:init(_contentsOfRemote:options:))
    private init(_contentsOfRemote_patchbay url: URL, options: Data.ReadingOptions = []) throws {
      let (content, _) = try HookContentLoader().contentsOf(url: url)
      self = withExtendedLifetime(content) { Data(bytes: content.bytes, count: content.length) }
    }
  }
#endif
