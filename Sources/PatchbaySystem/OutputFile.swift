#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A file that is written for the person: the one place where what lies at a path is replaced.
///
/// What is new or a regular file appears whole or not at all: it is written under another name in the same folder and put
/// in place by `commit`, so that a reader sees the old one or the new one, a full disk leaves the old one, and a program
/// that has the old one open keeps it. Anything else (a device, a pipe, `/dev/stdout`) is opened and written to.
///
/// What is not committed leaves nothing behind. For one caller at a time.
package final class OutputFile {
  /// Who may read the file when it is in place.
  package enum Access: Sendable {
    /// A new file is the owner's alone (0600); one that is there keeps its mode.
    case kept
    /// As `kept`, but one that others may read becomes the owner's alone, since secrets go into it.
    case secret
    case exactly(mode_t)
  }

  /// Whether a file that others could read was, or will be, closed to them; the person is to be told.
  package let isClosedToOthers: Bool

  /// As it was given, for errors.
  private let path: String
  /// The name under which it is written, and where it goes; nil for what is written to directly.
  private let draft: (path: String, target: String, mode: mode_t, old: Path.Status?)?
  private var file: Int32
  private var buffer: [UInt8] = []
  private static let bufferSize = 1 << 16

  /// Opens it. A pipe that nobody reads is waited for until somebody does or the task is cancelled; after a while the
  /// person is told so.
  ///
  /// - Parameters:
  ///   - followsLinks: where the path is a link, the file that it leads to is replaced; else the link itself.
  ///   - patience: how many seconds a pipe is waited for at most; nil is for ever.
  package init(
    _ path: String, access: Access = .kept, followsLinks: Bool = true, patience: Double? = nil
  ) throws(FileWriteError) {
    self.path = path
    let place: String
    switch try Self.destination(of: path, followsLinks: followsLinks) {
    case .descriptor(let number):
      (draft, isClosedToOthers) = (nil, false)
      // Not opened again, which would begin at the start of a file that the shell made.
      file = fcntl(number, F_DUPFD_CLOEXEC, 3)
      guard file >= 0 else { throw FileWriteError(path: path, code: errno) }
      return
    case .special(let found):
      (draft, isClosedToOthers) = (nil, false)
      file = try Self.open(special: found, path, patience)
      return
    case .file(let found): place = found
    }
    let old = Path.status(place, following: false).flatMap { $0.isFile ? $0 : nil }
    let mode: mode_t
    switch access {
    case .kept: (mode, isClosedToOthers) = (old?.permissions ?? 0o600, false)
    case .secret:
      isClosedToOthers = old.map { $0.permissions & 0o077 != 0 } ?? false
      mode = isClosedToOthers ? 0o600 : old?.permissions ?? 0o600
    case .exactly(let exact): (mode, isClosedToOthers) = (exact, false)
    }
    let draftPath = Self.draftPath(for: place)
    draft = (draftPath, place, mode, old)
    file = openFile(draftPath, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard file >= 0 else { throw FileWriteError(path: path, code: errno) }
  }

  deinit { discard() }

  /// Writes a whole file.
  ///
  /// - Parameter durable: it survives a crash of the machine once this returns (`fsync`, some milliseconds).
  /// - Returns: whether it was closed to others (`isClosedToOthers`).
  @discardableResult
  package static func write(
    _ bytes: some Collection<UInt8>, to path: String, access: Access = .kept, durable: Bool = false
  ) throws(FileWriteError) -> Bool {
    let file = try OutputFile(path, access: access)
    try file.write(bytes)
    try file.commit(durable: durable)
    return file.isClosedToOthers
  }

  /// Looks whether the path could be written now, and changes nothing.
  package static func check(_ path: String) throws(FileWriteError) {
    let needed: (String, Int32)
    switch try destination(of: path, followsLinks: true) {
    case .descriptor: return
    case .special(let place): needed = (place, W_OK)
    case .file(let place): needed = (Path.folder(of: place), W_OK | X_OK)
    }
    guard access(needed.0, needed.1) == 0 else { throw FileWriteError(path: path, code: errno) }
  }

  /// Whether there is a file at the path, or will be one: neither a device nor a pipe nor one of this process's own streams.
  package static func isFile(_ path: String) throws(FileWriteError) -> Bool {
    if case .file = try destination(of: path, followsLinks: true) { true } else { false }
  }

  /// Where the file lies that a path leads to, or will lie; nil where that is none, or cannot be known.
  package static func place(of path: String) -> String? {
    if case .file(let place)? = try? destination(of: path, followsLinks: true) { place } else { nil }
  }

  /// A descriptor by which lines are added to the end of what lies at the path, each at once: a log. A file that is
  /// made is its owner's alone; what others may read of one that is there is closed to them, since secrets go into it.
  /// A pipe is waited for as long as `patience`.
  ///
  /// - Returns: a descriptor that the caller closes, and a sentence for the person where one is needed.
  package static func appending(
    to path: String, isSecret: Bool = true, patience: Double = InputFile.patience
  ) throws(FileWriteError) -> (descriptor: Int32, sentence: String?) {
    switch try destination(of: path, followsLinks: true) {
    case .descriptor(let number):
      let own = fcntl(number, F_DUPFD_CLOEXEC, 3)
      guard own >= 0 else { throw FileWriteError(path: path, code: errno) }
      return (own, nil)
    case .special(let place): return (try open(special: place, path, patience), nil)
    case .file(let place):
      let file = openFile(place, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
      guard file >= 0 else { throw FileWriteError(path: path, code: errno) }
      var facts = stat()
      guard isSecret, fstat(file, &facts) == 0, facts.st_mode & 0o077 != 0 else { return (file, nil) }
      return (file, fchmod(file, 0o600) == 0 ? sentence(closedToOthers: path) : sentence(openToOthers: path))
    }
  }

  /// What a person is told of a file that could not be closed to others.
  private static func sentence(openToOthers path: String) -> String {
    "\(path) can be read by others, and there will be secrets in it: choose a file of yours, or mask them with --redact."
  }

  /// What a person is told of a file that was closed to others.
  package static func sentence(closedToOthers path: String) -> String {
    "\(path) could be read by others; it is yours alone now (mode 0600), since there are secrets in it."
  }

  package func write(_ bytes: some Collection<UInt8>) throws(FileWriteError) {
    buffer.append(contentsOf: bytes)
    if buffer.count >= Self.bufferSize { try flush() }
  }

  package func write(_ text: String) throws(FileWriteError) { try write(text.utf8) }

  /// Puts it in place, or hands on what is left. Nothing can be written afterwards.
  package func commit(durable: Bool = false) throws(FileWriteError) {
    try flush()
    if let draft {
      // The owner first: changing it may take bits of the mode away. Only root can; for others it is theirs already.
      if let old = draft.old { _ = fchown(file, old.owner, old.group) }
      guard fchmod(file, draft.mode) == 0 else { try fail(errno) }
      guard !durable || fsync(file) == 0 else { try fail(errno) }
    }
    let open = file
    file = -1
    // On network file systems the lack of room may show only here.
    guard close(open) == 0 || errno == EINTR else { try fail(errno) }
    if let draft, rename(draft.path, draft.target) != 0 { try fail(errno) }
  }

  /// Leaves what was there as it was; does nothing after `commit`.
  package func discard() {
    guard file >= 0 else { return }
    close(file)
    file = -1
    if let draft { unlink(draft.path) }
  }

  private func fail(_ code: Int32) throws(FileWriteError) -> Never {
    if file >= 0 { close(file) }
    file = -1
    if let draft { unlink(draft.path) }
    throw FileWriteError(path: path, code: code)
  }

  private func flush() throws(FileWriteError) {
    var done = 0
    while done < buffer.count {
      let count = buffer.withUnsafeBytes { put(file, $0.baseAddress! + done, $0.count - done) }
      if count >= 0 {
        done += count
      } else if errno == EAGAIN {
        // A terminal or pipe that somebody made non-blocking.
        var ready = pollfd(fd: file, events: Int16(POLLOUT), revents: 0)
        poll(&ready, 1, -1)
      } else if errno != EINTR {
        try fail(errno)
      }
    }
    buffer.removeAll(keepingCapacity: true)
  }

  // MARK: Where a path leads

  private enum Destination {
    /// A regular file, or nothing yet.
    case file(String)
    case special(String)
    /// One of this process's own, such as `/dev/stdout`.
    case descriptor(Int32)
  }

  /// Follows links one by one, so that a link to nothing leads to the file that is to be made.
  private static func destination(
    of path: String, followsLinks: Bool
  ) throws(FileWriteError) -> Destination {
    guard !path.isEmpty else { throw FileWriteError(path: path, code: ENOENT) }
    var current = path
    for _ in 0..<40 {
      guard let folder = Path.resolved(Path.folder(of: current)) else { throw FileWriteError(path: path, code: errno) }
      let name = Path.name(of: current)
      let place = Path.join(folder, name)
      // Links of proc(5) that do not lead to what they say.
      if folder.hasPrefix("/proc/"), folder.hasSuffix("/fd"), let number = Int32(name) {
        return folder.hasPrefix("/proc/\(getpid())/") ? .descriptor(number) : .special(place)
      }
      guard let status = Path.status(place, following: false) else {
        guard errno == ENOENT else { throw FileWriteError(path: path, code: errno) }
        return .file(place)
      }
      guard status.isLink, followsLinks else {
        if status.isFolder { throw FileWriteError(path: path, code: EISDIR) }
        return status.isFile || status.isLink ? .file(place) : .special(place)
      }
      guard let next = Path.target(ofLink: place) else { throw FileWriteError(path: path, code: errno) }
      current = next.hasPrefix("/") ? next : Path.join(folder, next)
    }
    throw FileWriteError(path: path, code: ELOOP)
  }

  /// Without blocking, since a pipe that nobody reads would hold the thread where no signal ends it.
  private static func open(
    special place: String, _ path: String, _ patience: Double?
  ) throws(FileWriteError) -> Int32 {
    /// In microseconds.
    let step: useconds_t = 20_000
    var waited = 0.0
    while true {
      let file = openFile(place, O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0)
      if file >= 0 {
        _ = fcntl(file, F_SETFL, fcntl(file, F_GETFL) & ~O_NONBLOCK)
        return file
      }
      let code = errno
      guard code == EINTR || (code == ENXIO && Path.status(place, following: true)?.isPipe == true) else {
        throw FileWriteError(path: path, code: code)
      }
      if Task.isCancelled { throw FileWriteError(path: path, code: ECANCELED) }
      guard code == ENXIO else { continue }
      if let patience, waited >= patience { throw FileWriteError(path: path, code: FileWriteError.unread) }
      usleep(step)
      let before = waited
      waited += Double(step) / 1e6
      if patience == nil, before < InputFile.patience, waited >= InputFile.patience {
        InputFile.sayWaiting("waiting until somebody reads the pipe that is written to (Ctrl-C ends it).")
      }
    }
  }

  /// A name of its own in the same folder, no longer than the system takes.
  private static func draftPath(for place: String) -> String {
    var stem = place
    while Path.name(of: stem).utf8.count > 200 { stem.removeLast() }
    return "\(stem).\(getpid())-\(String(UInt32.random(in: 0 ... .max), radix: 16)).new"
  }
}

/// A file could not be written.
package struct FileWriteError: Error, Sendable, Hashable, CustomStringConvertible {
  /// As it was given.
  package let path: String
  /// An `errno`.
  package let code: Int32

  package init(path: String, code: Int32) {
    self.path = path
    self.code = code
  }

  /// The `errno` that stands for a pipe which nobody reads.
  static let unread = ETIMEDOUT

  /// The system's words.
  package var reason: String { code == Self.unread ? "nobody reads that pipe" : String(cString: strerror(code)) }

  package var description: String {
    "\(path) cannot be written (\(reason)): make room there, or choose a place in which you may write"
  }
}

/// The system's `write` and `open`, which members of the class above hide.
private func put(_ file: Int32, _ bytes: UnsafeRawPointer, _ count: Int) -> Int { write(file, bytes, count) }
private func openFile(_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32 { open(path, flags, mode) }
