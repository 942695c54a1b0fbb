import CLaunch
import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

@preconcurrency import Dispatch

/// Our end of the command's own terminal.
///
/// Unchecked: `reading`, `writing`, `unsent` and `isOpen` are touched on `queue` only.
final class CommandTerminal: @unchecked Sendable {
  static let readSize = 1 << 16
  static let mostUnsent = 1 << 20

  /// The command's end.
  let path: String
  private let master: Int32
  private let queue: DispatchQueue
  private let events: @Sendable (CommandEvent) -> Void
  /// Bytes that were taken by `send` and are not written yet.
  private let waiting = Mutex(0)

  private var reading: DispatchSourceRead?
  private var writing: DispatchSourceWrite?
  private var unsent: [UInt8] = []
  private var isOpen = true

  init(
    columns: Int, rows: Int, queue: DispatchQueue, events: @escaping @Sendable (CommandEvent) -> Void
  ) throws(LaunchError) {
    var master: Int32 = -1
    var name = [CChar](repeating: 0, count: 256)
    let code = launch_open_terminal(&master, &name, name.count, Self.cells(columns), Self.cells(rows))
    guard code == 0 else { throw .system("open a terminal for the command", code) }
    self.master = master
    path = String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    self.queue = queue
    self.events = events
  }

  /// Begins to read; the command has its end open by now.
  func begin() {
    queue.async { [self] in
      guard isOpen else { return }
      let source = DispatchSource.makeReadSource(fileDescriptor: master, queue: queue)
      source.setEventHandler { [weak self] in _ = self?.readOnce() }
      source.setCancelHandler { [master] in _ = systemClose(master) }
      reading = source
      source.resume()
    }
  }

  /// On `queue`: all that the command had written; bounded, for what it left running may write without an end.
  func readWhatIsThere() {
    for _ in 0..<64 where !readOnce() { return }
  }

  func send(_ bytes: [UInt8]) -> Bool {
    let taken = waiting.withLock { waiting in
      guard waiting + bytes.count <= Self.mostUnsent else { return false }
      waiting += bytes.count
      return true
    }
    guard taken else { return false }
    queue.async { [self] in
      unsent += bytes
      if writing == nil { write() }
    }
    return true
  }

  func resize(columns: Int, rows: Int) {
    queue.async { [self] in
      if isOpen { _ = launch_resize_terminal(master, Self.cells(columns), Self.cells(rows)) }
    }
  }

  /// The group that the command's terminal has in its foreground, or nil.
  func foregroundGroup() -> pid_t? {
    let group = tcgetpgrp(master)
    return group > 1 ? group : nil
  }

  func close() {
    queue.async { [self] in
      guard isOpen else { return }
      isOpen = false
      unsent = []
      writing?.cancel()
      writing = nil
      if let reading {
        reading.cancel()
      } else {
        _ = systemClose(master)
      }
      reading = nil
    }
  }

  /// False if there is nothing to be had now, or ever again.
  private func readOnce() -> Bool {
    guard isOpen, reading != nil else { return false }
    var buffer = [UInt8](repeating: 0, count: Self.readSize)
    let count = buffer.withUnsafeMutableBytes { read(master, $0.baseAddress, $0.count) }
    if count > 0 {
      buffer.removeLast(buffer.count - count)
      events(.output(buffer))
      return true
    }
    if count < 0, errno == EINTR { return true }
    // EIO: nobody has the other end open any more.
    if count == 0 || errno != EAGAIN { close() }
    return false
  }

  private func write() {
    while isOpen, !unsent.isEmpty {
      let count = unsent.withUnsafeBytes { systemWrite(master, $0) }
      if count > 0 {
        unsent.removeFirst(count)
        waiting.withLock { $0 -= count }
      } else if errno == EAGAIN {
        writeLater()
        return
      } else if errno != EINTR {
        break
      }
    }
    waiting.withLock { [unsent] in $0 -= unsent.count }
    unsent = []
    writing?.cancel()
    writing = nil
  }

  private func writeLater() {
    guard writing == nil else { return }
    // A descriptor of its own, so that each source may close its one.
    let copy = fcntl(master, F_DUPFD_CLOEXEC, 0)
    guard copy >= 0 else { return }
    let source = DispatchSource.makeWriteSource(fileDescriptor: copy, queue: queue)
    source.setEventHandler { [weak self] in self?.write() }
    source.setCancelHandler { _ = systemClose(copy) }
    writing = source
    source.resume()
  }

  private static func cells(_ count: Int) -> UInt16 {
    UInt16(clamping: max(1, count))
  }
}

private func systemClose(_ file: Int32) -> Int32 { close(file) }

private func systemWrite(_ file: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
  write(file, bytes.baseAddress, bytes.count)
}
