import CLaunch

/// Makes a crash of this process short, whatever Swift's backtracer is set to: it would keep the links open and the shell
/// waiting for half a minute.
package enum CrashGuard {
  /// From now on. The environment, and so that of a command, stays as it is.
  ///
  /// - Parameters:
  ///   - sockets: whose connections end at once in a crash, so that hooks release what is held.
  ///   - log: where the backtrace is written, in the background; nil has none.
  ///   - shown: how that file is called in the sentence about the crash.
  package static func arm(sockets: [String], log: String?, shown: String) {
    ByteString.withCStrings(sockets.map { ByteString($0) }) { texts in
      _ = log.withOptionalCString { launch_crash_guard(texts, Int32(sockets.count), $0, shown) }
    }
  }
}

extension String? {
  fileprivate func withOptionalCString<Result>(_ body: (UnsafePointer<CChar>?) -> Result) -> Result {
    guard let self else { return body(nil) }
    return self.withCString(body)
  }
}
