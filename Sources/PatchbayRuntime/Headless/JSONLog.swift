import Foundation
import PatchbayInspect
import PatchbayServer
import PatchbaySystem
import PatchbayWire
import Synchronization

/// `--log FILE`: one JSON object a line for each exchange that has ended, written as soon as it has.
final class JSONLog: Sendable {
  private struct File {
    let handle: FileHandle
    var hasFailed = false
    var isCutShort = false
    var onReaderGone: (@Sendable () -> Void)?
  }

  private let file: Mutex<File>
  private let filter: Filter
  private let path: String
  /// What the person is to be told of the file.
  let sentence: String?

  /// - Parameters:
  ///   - path: `-` is standard output; a file that is there is appended to.
  ///   - filter: only exchanges that fit are written.
  ///   - isSecret: what is written may hold secrets.
  init(path: String, filter: Filter, isSecret: Bool) throws {
    self.path = path
    self.filter = filter
    guard path != "-" else {
      file = Mutex(File(handle: .standardOutput))
      sentence = nil
      return
    }
    do throws(FileWriteError) {
      let (descriptor, sentence) = try OutputFile.appending(to: path, isSecret: isSecret)
      file = Mutex(File(handle: FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)))
      self.sentence = sentence
    } catch {
      throw RuntimeError("\(path) cannot be written (\(error.reason)): choose another --log file.")
    }
  }

  func received(_ event: ServerEvent) {
    guard case .exchanges(let exchanges) = event else { return }
    for exchange in exchanges where exchange.phase == .ended && filter.matches(exchange) {
      write(JSONLines.line(exchange) + "\n")
    }
  }

  /// Where it writes to.
  var descriptor: Int32 { file.withLock { $0.handle.fileDescriptor } }

  /// Whether lines are missing because they could not be written.
  var isIncomplete: Bool { file.withLock { $0.hasFailed } }

  /// Calls back when nobody reads standard output any more.
  func onReaderGone(_ action: @escaping @Sendable () -> Void) {
    file.withLock { $0.onReaderGone = action }
  }

  private func write(_ line: String) {
    let isFirstFailure = file.withLock { file -> Bool in
      do {
        // Behind a line that was cut short, the next one begins on a line of its own.
        try file.handle.write(contentsOf: Data(((file.isCutShort ? "\n" : "") + line).utf8))
        file.isCutShort = false
        return false
      } catch {
        defer { file.hasFailed = true }
        file.isCutShort = true
        return !file.hasFailed
      }
    }
    guard isFirstFailure else { return }
    if path == "-", let gone = file.withLock({ $0.onReaderGone }) {
      gone()
    } else {
      StandardError.say("the log \(path) cannot be written any more: look whether its disk is full.")
    }
  }
}
