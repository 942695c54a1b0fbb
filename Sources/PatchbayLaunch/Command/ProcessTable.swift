#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The system's processes at one moment, as `/proc` has them (proc(5), `stat`). Empty where there is no `/proc`.
struct ProcessTable {
  struct Entry: Hashable {
    let process, parent, session: pid_t
    /// In clock ticks since the system's start: two processes with one id differ in it.
    let startedAt: UInt64
    let isZombie: Bool

    /// Whether it is there still, the same one and no zombie.
    var isAlive: Bool {
      guard let now = Entry(process: process) else { return false }
      return now.startedAt == startedAt && !now.isZombie
    }
  }

  let entries: [Entry]

  init() {
    var entries: [Entry] = []
    if let folder = opendir("/proc") {
      defer { closedir(folder) }
      while let entry = readdir(folder) {
        let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
          String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        if let process = pid_t(name), let entry = Entry(process: process) { entries.append(entry) }
      }
    }
    self.entries = entries
  }

  func members(ofSession session: pid_t) -> [Entry] {
    entries.filter { $0.session == session && !$0.isZombie }
  }

  /// `process` and what it and its children started, as far as it stayed in the same session.
  func tree(under process: pid_t) -> [Entry] {
    guard let root = entries.first(where: { $0.process == process }) else { return [] }
    return descendants(of: process) { $0.session == root.session }
  }

  /// `process` and what it and its children started, in whatever session.
  func descendants(of process: pid_t) -> [Entry] { descendants(of: process) { _ in true } }

  private func descendants(of process: pid_t, where isMeant: (Entry) -> Bool) -> [Entry] {
    var found = entries.filter { $0.process == process }
    var next = 0
    while next < found.count {
      let parent = found[next].process
      found += entries.filter { $0.parent == parent && isMeant($0) && !found.contains($0) }
      next += 1
    }
    return found.filter { !$0.isZombie }
  }
}

extension ProcessTable.Entry {
  /// What the kernel calls it: its file's name, cut to 15 bytes, unless it has given itself another.
  var name: String {
    FileBytes.text("/proc/\(process)/comm", atMost: 64)?.split(separator: "\n").first.map(String.init) ?? "a program"
  }

  /// The one whose rights it has (proc(5), `status`).
  var user: uid_t? {
    let lines = FileBytes.text("/proc/\(process)/status", atMost: 8192)?.split(separator: "\n")
    guard let fields = lines?.first(where: { $0.hasPrefix("Uid:") })?.split(whereSeparator: \.isWhitespace),
      fields.count > 2
    else { return nil }
    return uid_t(fields[2])
  }

  init?(process: pid_t) {
    // The name stands in parentheses and may contain any character, these too.
    guard let text = FileBytes.text("/proc/\(process)/stat", atMost: 4096), let name = text.lastIndex(of: ")") else {
      return nil
    }
    let fields = text[text.index(after: name)...].split(separator: " ")
    guard fields.count > 19, let parent = pid_t(fields[1]), let session = pid_t(fields[3]),
      let startedAt = UInt64(fields[19])
    else { return nil }
    self.init(
      process: process, parent: parent, session: session, startedAt: startedAt,
      isZombie: fields[0] == "Z" || fields[0] == "X")
  }
}
