import Foundation

/// The machine's processes, as `/proc` has them.
package enum Processes {
  package static func isRunning(_ pid: pid_t) -> Bool {
    // A zombie has ended.
    stat(of: pid).map { $0.state != "Z" } ?? false
  }

  package static func isStopped(_ pid: pid_t) -> Bool { state(of: pid) == "T" }

  /// The letter of proc_pid_stat(5); nil where there is no such process.
  package static func state(of pid: pid_t) -> Unicode.Scalar? { stat(of: pid)?.state }

  /// How long ago it began.
  package static func age(_ pid: pid_t) -> Duration {
    let uptime = (try? String(contentsOfFile: "/proc/uptime", encoding: .utf8))?.split(separator: " ").first
    guard let fields = fields(of: pid), let ticks = Double(fields[19]), let uptime, let now = Double(uptime) else {
      return .zero
    }
    return .seconds(now - ticks / Double(sysconf(Int32(_SC_CLK_TCK))))
  }

  /// With its name in front; empty where it has ended.
  package static func arguments(of pid: pid_t) -> [String] {
    let bytes = FileManager.default.contents(atPath: "/proc/\(pid)/cmdline") ?? Data()
    return bytes.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Its variables as `NAME=VALUE`; none where it has ended or is another user's.
  package static func environment(of pid: pid_t) -> [Data] {
    (FileManager.default.contents(atPath: "/proc/\(pid)/environ") ?? Data()).split(separator: 0)
  }

  package static var all: [pid_t] {
    (try? FileManager.default.contentsOfDirectory(atPath: "/proc"))?.compactMap { pid_t($0) } ?? []
  }

  /// Direct children that still run.
  package static func children(of parent: pid_t) -> [pid_t] {
    all.filter { pid in
      guard let stat = stat(of: pid) else { return false }
      return stat.parent == parent && stat.state != "Z"
    }
  }

  /// The state and the parent alone: who waits for a child asks for those of all processes, again and again.
  private static func stat(of pid: pid_t) -> (state: Unicode.Scalar, parent: pid_t)? {
    let file = open("/proc/\(pid)/stat", O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    // The name takes 64 bytes at most, and stands in parentheses in front: `PID (NAME) S PARENT …`.
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 512) { text in
      let count = read(file, text.baseAddress, text.count - 1)
      guard count > 0, let base = text.baseAddress else { return nil }
      text[count] = 0
      guard let end = strrchr(base, CInt(UInt8(ascii: ")"))), strlen(end) > 4 else { return nil }
      return (Unicode.Scalar(UInt8(bitPattern: end[2])), pid_t(strtol(end + 4, nil, 10)))
    }
  }

  /// The names of its threads.
  package static func threads(of pid: pid_t) -> [String] {
    let threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/task")) ?? []
    return threads.compactMap { thread in
      try? String(contentsOfFile: "/proc/\(pid)/task/\(thread)/comm", encoding: .utf8).trimmingCharacters(
        in: .whitespacesAndNewlines)
    }
  }

  /// The files of the libraries that it has loaded.
  package static func images(of pid: pid_t) -> Set<String> {
    // Foundation reads such a file once, which gives its first page only.
    let handle = FileHandle(forReadingAtPath: "/proc/\(pid)/maps")
    let maps = String(decoding: (try? handle?.readToEnd()) ?? Data(), as: UTF8.self)
    return Set(maps.split(separator: "\n").compactMap { line in line.firstIndex(of: "/").map { String(line[$0...]) } })
  }

  /// Its children that still run, and theirs.
  package static func descendants(of parent: pid_t) -> [pid_t] {
    children(of: parent).flatMap { [$0] + descendants(of: $0) }
  }

  /// What the threads of a process are in, for who looks for a hang: its state and arguments, then a line for each kind of
  /// wait: how many threads or the number of the only one, the thread's name, where in the kernel (`/proc/PID/task/N/wchan`),
  /// the number of the system call, and what its first argument is a descriptor of.
  package static func waits(of pid: pid_t) -> String {
    let tasks = "/proc/\(pid)/task"
    var waiting: [String: [String]] = [:]
    for task in (try? FileManager.default.contentsOfDirectory(atPath: tasks)) ?? [] {
      let call = line("\(tasks)/\(task)/syscall").split(separator: " ")
      let descriptor = call.dropFirst().first.flatMap { Int($0.dropFirst(2), radix: 16) }
      let target = descriptor.flatMap {
        try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(pid)/fd/\($0)")
      }
      let place = [line("\(tasks)/\(task)/comm"), line("\(tasks)/\(task)/wchan"), "call \(call.first ?? "?")", target]
      waiting[place.compactMap { $0 }.joined(separator: " "), default: []].append(task)
    }
    let state =
      line("/proc/\(pid)/status", after: "State:") + ", traced by" + line("/proc/\(pid)/status", after: "TracerPid:")
    let threads = waiting.sorted { $0.key < $1.key }.map { place, tasks in
      "  \(tasks.count == 1 ? tasks[0] : "\(tasks.count) ×") \(place)\n"
    }
    return "\(pid)\(state): \(arguments(of: pid).joined(separator: " ").prefix(300))\n" + threads.joined()
  }

  /// The first line, or the rest of the first one that begins so; with spaces for tabs.
  private static func line(_ path: String, after beginning: String = "") -> String {
    let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
    let line = text.split(separator: "\n").first { $0.hasPrefix(beginning) } ?? ""
    return line.dropFirst(beginning.count).replacingOccurrences(of: "\t", with: " ")
  }

  /// What stands in `stat` behind the name, which is in parentheses: the state, the parent's id and so on.
  private static func fields(of pid: pid_t) -> [Substring]? {
    let stat = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)
    guard let fields = stat?.split(separator: ")").last?.split(separator: " "), fields.count > 19 else { return nil }
    return fields
  }
}

/// How often each thread of a process gave the processor away, by itself or not: a process that sleeps without a
/// wake-up has the same later.
package struct ContextSwitches: Equatable, Sendable {
  private let counts: [String]

  /// - Throws: when there is no such process.
  package init(of process: pid_t) throws {
    let tasks = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task").sorted()
    // A thread may end while the others are read.
    counts = tasks.flatMap { task in
      let status = (try? String(contentsOfFile: "/proc/\(process)/task/\(task)/status", encoding: .utf8)) ?? ""
      return status.split(separator: "\n").filter { $0.contains("voluntary_ctxt") }.map { "\(task) \($0)" }
    }
  }
}

/// A lock that the thread sanitizer sees, which `Mutex` is not: what one thread leaves in it and another takes out is
/// then known to be in order.
package final class SeenLock<Value>: @unchecked Sendable {  // `value` is guarded by `lock`.
  private let lock = NSLock()
  private var value: Value

  package init(_ value: Value) { self.value = value }

  package func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
    try lock.withLock { try body(&value) }
  }
}
