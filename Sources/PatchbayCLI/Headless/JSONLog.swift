import Foundation
import PatchbayInspect
import PatchbayServer
import PatchbayWire
import Synchronization

/// `--log FILE`: one JSON object a line for each exchange that has ended, written as soon as it has.
final class JSONLog: Sendable {
  private let file: Mutex<FileHandle>
  private let filter: Filter
  private let path: String
  private let hasFailed = Atomic(false)

  /// - Parameters:
  ///   - path: `-` is standard output; a file that is there is appended to.
  ///   - filter: only exchanges that fit are written.
  init(path: String, filter: Filter) throws {
    self.path = path
    self.filter = filter
    guard path != "-" else {
      file = Mutex(.standardOutput)
      return
    }
    let descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw CLIError("\(path) cannot be written (\(String(cString: strerror(errno)))): choose another --log file.")
    }
    file = Mutex(FileHandle(fileDescriptor: descriptor, closeOnDealloc: true))
  }

  func take(_ event: ServerEvent) {
    guard case .exchanges(let exchanges) = event else { return }
    for exchange in exchanges where exchange.phase == .ended && filter.matches(exchange) {
      write(JSONLines.line(exchange) + "\n")
    }
  }

  private func write(_ line: String) {
    let failure = file.withLock { file -> String? in
      do {
        try file.write(contentsOf: Data(line.utf8))
        return nil
      } catch { return "\(error)" }
    }
    if failure != nil, hasFailed.exchange(true, ordering: .relaxed) == false {
      StandardError.write("patchbay: the log \(path) cannot be written any more: look whether its disk is full.\n")
    }
  }
}
