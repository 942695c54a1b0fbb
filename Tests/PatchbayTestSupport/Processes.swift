import Foundation

/// The machine's processes, as `/proc` has them.
public enum Processes {
  public static func isRunning(_ pid: pid_t) -> Bool {
    // A zombie has ended.
    fields(of: pid).map { $0[0] != "Z" } ?? false
  }

  public static func isStopped(_ pid: pid_t) -> Bool { fields(of: pid)?[0] == "T" }

  /// How long ago it began.
  public static func age(_ pid: pid_t) -> Duration {
    let uptime = (try? String(contentsOfFile: "/proc/uptime", encoding: .utf8))?.split(separator: " ").first
    guard let fields = fields(of: pid), let ticks = Double(fields[19]), let uptime, let now = Double(uptime) else {
      return .zero
    }
    return .seconds(now - ticks / Double(sysconf(Int32(_SC_CLK_TCK))))
  }

  /// With its name in front; empty where it has ended.
  public static func arguments(of pid: pid_t) -> [String] {
    let bytes = FileManager.default.contents(atPath: "/proc/\(pid)/cmdline") ?? Data()
    return bytes.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Direct children that still run.
  public static func children(of parent: pid_t) -> [pid_t] {
    let all = (try? FileManager.default.contentsOfDirectory(atPath: "/proc"))?.compactMap { pid_t($0) } ?? []
    return all.filter { pid in
      guard let fields = fields(of: pid) else { return false }
      return fields[0] != "Z" && fields[1] == "\(parent)"
    }
  }

  /// Its children that still run, and theirs.
  public static func descendants(of parent: pid_t) -> [pid_t] {
    children(of: parent).flatMap { [$0] + descendants(of: $0) }
  }

  /// What stands in `stat` behind the name, which is in parentheses: the state, the parent's id and so on.
  private static func fields(of pid: pid_t) -> [Substring]? {
    let stat = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)
    guard let fields = stat?.split(separator: ")").last?.split(separator: " "), fields.count > 19 else { return nil }
    return fields
  }
}
