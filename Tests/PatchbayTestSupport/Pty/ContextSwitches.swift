import Foundation

/// How often each thread of a process gave the processor away, by itself or not: a process that sleeps without a
/// wake-up has the same later.
public struct ContextSwitches: Equatable, Sendable {
  private let counts: [String]

  /// - Throws: when there is no such process.
  public init(of process: pid_t) throws {
    let tasks = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task").sorted()
    // A thread may end while the others are read.
    counts = tasks.flatMap { task in
      let status = (try? String(contentsOfFile: "/proc/\(process)/task/\(task)/status", encoding: .utf8)) ?? ""
      return status.split(separator: "\n").filter { $0.contains("voluntary_ctxt") }.map { "\(task) \($0)" }
    }
  }
}
