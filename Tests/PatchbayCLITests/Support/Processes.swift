import Foundation

/// The machine's processes, as `/proc` has them.
enum Processes {
  static func isRunning(_ pid: pid_t) -> Bool {
    guard let stat = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8) else { return false }
    // The state stands behind the name, which is in parentheses; a zombie has ended.
    return stat.split(separator: ")").last?.split(separator: " ").first != "Z"
  }

  static func isStopped(_ pid: pid_t) -> Bool {
    let stat = (try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)) ?? ""
    return stat.split(separator: ")").last?.split(separator: " ").first == "T"
  }

  /// How long ago it began.
  static func age(_ pid: pid_t) -> Duration {
    let stat = (try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)) ?? ""
    let fields = stat.split(separator: ")").last?.split(separator: " ") ?? []
    let uptime = (try? String(contentsOfFile: "/proc/uptime", encoding: .utf8))?.split(separator: " ").first
    guard fields.count > 19, let ticks = Double(fields[19]), let uptime, let now = Double(uptime) else { return .zero }
    return .seconds(now - ticks / Double(sysconf(Int32(_SC_CLK_TCK))))
  }

  /// Direct children that still run.
  static func children(of parent: pid_t) -> [pid_t] {
    let all = (try? FileManager.default.contentsOfDirectory(atPath: "/proc"))?.compactMap { pid_t($0) } ?? []
    return all.filter { pid in
      guard let stat = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8) else { return false }
      let fields = stat.split(separator: ")").last?.split(separator: " ") ?? []
      return fields.count > 1 && fields[0] != "Z" && fields[1] == "\(parent)"
    }
  }
}
