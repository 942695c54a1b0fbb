import Foundation

/// What the kernel says of a process.
struct ProcessFacts {
  /// Memory in MB that the process has written and shares with nobody: its own, which no file can give back.
  var written = 0.0
  /// Memory in MB that belongs to no file, shared or not.
  var anonymous = 0.0
  /// Like `written`, and what is mapped of files that no other process has mapped just now.
  var unshared = 0.0
  /// How often its threads have gone to sleep, each of which was a wake-up.
  var sleeps = 0
  var threads = 0
  /// Clock ticks (1/100 s) of processor time.
  var ticks = 0

  init(of process: pid_t) {
    let rollup = (try? String(contentsOfFile: "/proc/\(process)/smaps_rollup", encoding: .utf8)) ?? ""
    for line in rollup.split(separator: "\n") where line.hasPrefix("Private_") {
      let words = line.split(separator: " ")
      let megabytes = (Double(words[1]) ?? 0) / 1_024
      unshared += megabytes
      if words[0] == "Private_Dirty:" { written = megabytes }
    }
    let status = (try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)) ?? ""
    for line in status.split(separator: "\n") where line.hasPrefix("RssAnon:") {
      anonymous =
        line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Double($0) }.map { $0 / 1_024 } ?? 0
    }
    let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task")) ?? []
    threads = tasks.count
    for task in tasks {
      let status = (try? String(contentsOfFile: "/proc/\(process)/task/\(task)/status", encoding: .utf8)) ?? ""
      for line in status.split(separator: "\n") where line.hasPrefix("voluntary_ctxt_switches") {
        sleeps += line.split(separator: "\t").last.flatMap { Int($0) } ?? 0
      }
    }
    let stat = (try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)) ?? ""
    let fields = stat.split(separator: ")").last?.split(separator: " ") ?? []
    if fields.count > 12 { ticks = (Int(fields[11]) ?? 0) + (Int(fields[12]) ?? 0) }
  }
}
