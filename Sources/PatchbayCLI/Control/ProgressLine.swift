import Foundation
import PatchbayRuntime
import Synchronization

/// How far long work has come, on one line of standard error; silent where that is no terminal.
final class ProgressLine: Sendable {
  private let title: String
  private let shown = Mutex(-1)

  init(_ title: String) {
    self.title = title
  }

  /// - Parameter share: 0 to 1.
  func show(_ share: Double) {
    guard StandardError.isTerminal else { return }
    let percent = Int(min(1, max(0, share)) * 100)
    let isNew = shown.withLock { shown in
      defer { shown = percent }
      return shown != percent
    }
    if isNew { StandardError.write("\r\(title): \(percent) %\u{1B}[K") }
  }

  func clear() {
    if StandardError.isTerminal { StandardError.write("\r\u{1B}[K") }
  }
}
