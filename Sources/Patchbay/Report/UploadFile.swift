import Foundation
import Synchronization

/// The file of an upload. A program may remove it as soon as the upload has ended, and reports are made later: so it is
/// kept open until then.
final class UploadFile: Sendable {
  /// How many are kept open at once in a process; the others are looked for by their path.
  private static let most = 32
  static let kept = Mutex(0)

  let url: URL
  private let descriptor = Mutex<OwnDescriptor?>(nil)

  init(_ url: URL) { self.url = url }

  deinit {
    guard let open = descriptor.withLock({ $0.take() }) else { return }
    open.close()
    Self.kept.withLock { $0 -= 1 }
  }

  /// Opens the file, if not too many are open already.
  func keep() {
    descriptor.withLock { descriptor in
      guard descriptor == nil, Self.kept.withLock({ $0 }) < Self.most else { return }
      descriptor = OwnDescriptor(opened())
      if descriptor != nil { Self.kept.withLock { $0 += 1 } }
    }
  }

  /// How long it is; nil where there is none.
  var length: Int64? {
    withDescriptor { descriptor in
      var facts = stat()
      return fstat(descriptor, &facts) == 0 ? Int64(facts.st_size) : nil
    }
  }

  /// The file's beginning; nil where it cannot be read.
  func read(upTo limit: Int) -> Data? {
    withDescriptor { descriptor in
      var data = Data()
      var buffer = [UInt8](repeating: 0, count: 65_536)
      while data.count < limit {
        let count = pread(descriptor, &buffer, min(buffer.count, limit - data.count), off_t(data.count))
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return count == 0 ? data : nil }
        data.append(contentsOf: buffer[..<count])
      }
      return data
    }
  }

  /// A descriptor, or -1. Of a pipe nothing is taken, and its writer is not woken.
  private func opened() -> Int32 {
    url.path.withCString { path in
      var facts = stat()
      guard stat(path, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else { return -1 }
      return Foundation.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    }
  }

  private func withDescriptor<Result>(_ body: (Int32) -> Result?) -> Result? {
    descriptor.withLock { kept in
      if let kept, kept.isOurs { return body(kept.number) }
      let opened = opened()
      guard opened >= 0 else { return nil }
      defer { close(opened) }
      return body(opened)
    }
  }
}
