#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// What is read for the person, wherever it comes from: a file, a pipe, a device, or standard input (`-`).
///
/// A pipe to which nobody writes, or a device that is silent, ends with a sentence after `patience`. What this process was
/// started with (standard input, the shell's `<(command)`) is the person's own choice and is waited for; after that time they
/// are told so. For one caller at a time.
package final class InputFile {
  /// How long a pipe or device may be silent.
  package static let patience = 2.0

  /// How many bytes there are, where that is known before the end.
  package let size: Int?
  /// As it was given, for errors.
  private let path: String
  private let file: Int32
  /// What stands for it in a note; nil where silence is an error.
  private let ownName: String?
  /// Whether `read` may have to wait.
  private let isStream: Bool
  private var hasTold = false
  private let patience: Double
  private let tell: (String) -> Void

  /// - Parameter tell: is given a sentence when it is waited for what this process was started with.
  package init(
    _ path: String, patience: Double = InputFile.patience, tell: @escaping (String) -> Void = InputFile.sayWaiting
  ) throws(FileReadError) {
    self.path = path
    self.patience = patience
    self.tell = tell
    if let own = Self.ownDescriptor(path) {
      ownName = own == STDIN_FILENO ? "standard input" : "descriptor \(own)"
      // Not opened again: a socket cannot be, and a file would begin anew.
      file = fcntl(own, F_DUPFD_CLOEXEC, 3)
    } else {
      ownName = nil
      // A pipe without a writer would hold the thread where no signal ends it.
      file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
    }
    guard file >= 0 else { throw FileReadError(path: path, .system(errno)) }
    var facts = stat()
    guard fstat(file, &facts) == 0 else {
      let code = errno
      close(file)
      throw FileReadError(path: path, .system(code))
    }
    let kind = facts.st_mode & S_IFMT
    guard kind != S_IFDIR else {
      close(file)
      throw FileReadError(path: path, .folder)
    }
    isStream = kind != S_IFREG
    size = kind == S_IFREG ? Int(facts.st_size) : nil
  }

  deinit { close(file) }

  /// All of it.
  ///
  /// - Parameter limit: more bytes are refused.
  package static func bytes(
    _ path: String, limit: Int, patience: Double = InputFile.patience
  ) throws(FileReadError) -> [UInt8] {
    let input = try InputFile(path, patience: patience)
    guard input.size ?? 0 <= limit else { throw FileReadError(path: path, .large(limit)) }
    // Some files have a size only when they are read (those of /proc), so one byte more is asked for.
    var all: [UInt8] = []
    all.reserveCapacity(min(limit, (input.size ?? 0)) + 1)
    while let piece = try input.next(upTo: 1 << 18) {
      all += piece
      guard all.count <= limit else { throw FileReadError(path: path, .large(limit)) }
    }
    return all
  }

  /// What comes next, or nil at the end.
  ///
  /// - Throws: `cancelled` where the task was cancelled while it waited.
  package func next(upTo count: Int) throws(FileReadError) -> [UInt8]? {
    if isStream { try wait() }
    var failure: Int32 = 0
    let piece = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      while true {
        let got = read(file, buffer.baseAddress, count)
        filled = max(0, got)
        if got < 0, errno == EINTR { continue }
        if got < 0 { failure = errno }
        return
      }
    }
    if failure == EAGAIN || failure == EWOULDBLOCK { return try next(upTo: count) }
    guard failure == 0 else { throw FileReadError(path: path, .system(failure)) }
    return piece.isEmpty ? nil : piece
  }

  /// Returns when there is something to read, or the end.
  private func wait() throws(FileReadError) {
    /// A cancelled task is noticed so soon.
    let slice: Int32 = 100
    var waited: Int32 = 0
    while true {
      var ready = pollfd(fd: file, events: Int16(POLLIN), revents: 0)
      let count = poll(&ready, 1, slice)
      if count > 0 { return }
      if count < 0, errno != EINTR { throw FileReadError(path: path, .system(errno)) }
      if Task.isCancelled { throw FileReadError(path: path, .cancelled) }
      waited += count < 0 ? 0 : slice
      guard Double(waited) >= patience * 1_000, !hasTold else { continue }
      guard let ownName else { throw FileReadError(path: path, .silent(seconds: patience)) }
      hasTold = true
      tell("waiting for \(ownName), from which nothing has come yet (Ctrl-C ends it).")
    }
  }

  /// The descriptor of this process that a path stands for: `-`, `/dev/stdin`, `/dev/fd/63` and links to them.
  private static func ownDescriptor(_ path: String) -> Int32? {
    if path == "-" { return STDIN_FILENO }
    var current = path
    for _ in 0..<40 {
      guard let folder = Path.resolved(Path.folder(of: current)) else { return nil }
      let name = Path.name(of: current)
      if folder == "/proc/\(getpid())/fd" || folder == "/dev/fd", let number = Int32(name) { return number }
      guard let next = Path.target(ofLink: Path.join(folder, name)) else { return nil }
      current = next.hasPrefix("/") ? next : Path.join(folder, next)
    }
    return nil
  }

  /// Says it on standard error.
  package static func sayWaiting(_ sentence: String) {
    let line = Array("patchbay: \(sentence)\n".utf8)
    _ = write(STDERR_FILENO, line, line.count)
  }
}

/// Something could not be read.
package struct FileReadError: Error, Sendable, Hashable, CustomStringConvertible {
  package enum Kind: Sendable, Hashable {
    /// An `errno`.
    case system(Int32)
    case folder
    /// More than so many bytes.
    case large(Int)
    /// A pipe or a device that has delivered nothing for so long.
    case silent(seconds: Double)
    /// The task was cancelled while it waited.
    case cancelled
  }

  /// As it was given.
  package let path: String
  package let kind: Kind

  package init(path: String, _ kind: Kind) {
    self.path = path
    self.kind = kind
  }

  /// What is to be said behind the path.
  package var reason: String {
    switch kind {
    case .system(let code): "cannot be read: \(String(cString: strerror(code)))"
    case .folder: "is a folder; name a file"
    case .large(let limit): "is larger than \(limit >> 20) MiB, so it is not read"
    case .silent(let seconds):
      "has delivered nothing for \(Int(seconds)) s: look whether something writes to it, or name a file"
    case .cancelled: "was not read to its end"
    }
  }

  package var description: String { "\(path) \(reason)" }
}
