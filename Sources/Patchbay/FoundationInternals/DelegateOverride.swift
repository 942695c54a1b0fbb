import CHookSessions
import Foundation
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A listener in the place of a task's delegate, for Foundation to find when it asks the task whom to call. The program
/// finds its own delegate; where that cannot be done, it finds the listener.
///
/// Put in and taken away on the task's work queue.
struct DelegateOverride {
  static let listeners = Mutex<[UInt: RedirectWatcher]>([:])

  private let task: URLSessionTask
  /// What was there before, where the program sees the listener.
  private let before: (any URLSessionTaskDelegate)?

  /// Whether the program cannot see who stands in.
  static let isHidden = begin()

  /// nil if it cannot be done.
  init?(_ listener: RedirectWatcher, for task: URLSessionTask) {
    self.task = task
    if Self.isHidden {
      before = nil
      let key = Self.key(of: task)
      Self.listeners.withLock { $0[key] = listener }
    } else {
      guard let before = TaskInternals.exchangeDelegate(of: task, for: listener) else { return nil }
      self.before = before
    }
  }

  func remove() {
    if Self.isHidden {
      let key = Self.key(of: task)
      _ = Self.listeners.withLock { $0.removeValue(forKey: key) }
    } else {
      _ = TaskInternals.exchangeDelegate(of: task, for: before)
    }
  }

  private static func key(of task: URLSessionTask) -> UInt {
    UInt(bitPattern: Unmanaged.passUnretained(task).toOpaque())
  }

  private static func begin() -> Bool {
    let classes: [AnyClass] = [
      URLSessionTask.self, URLSessionDataTask.self, URLSessionUploadTask.self, URLSessionDownloadTask.self,
    ]
    let addresses = classes.map { unsafeBitCast($0, to: UnsafeMutableRawPointer?.self) }
    return patchbay_delegates_begin(addresses, Int32(addresses.count)) { task in
      let key = UInt(bitPattern: task)
      guard let listener = DelegateOverride.listeners.withLock({ $0[key] }), listener.isWanted else {
        return patchbay_delegate(object: nil, witness: nil)
      }
      typealias Words = (UnsafeMutableRawPointer?, UnsafeMutableRawPointer?)
      let (object, witness) = unsafeBitCast(listener as any URLSessionTaskDelegate, to: Words.self)
      _ = Unmanaged.passRetained(listener)
      return patchbay_delegate(object: object, witness: witness)
    } != 0
  }
}
