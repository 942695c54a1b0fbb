import Foundation

// What the hook costs. In release, from the package's folder:
//
//   swift build -c release && .build/release/hook-bench stub && .build/release/hook-bench pass && .build/release/hook-bench memory
//
// `stub` and `pass` start a console of their own (`patchbay` beside this program) that records to disk, run requests with
// the hook and without it in turn, so that what else the machine does falls on both alike, and print medians and ratios
// beside what is promised, and whether everything that was sent is in the record. `memory` prints the private memory of a
// program before and after many requests.
let usage =
  "usage: hook-bench stub [PAIRS] | pass [KIND...] | load KIND|stub native|dormant|alone|hooked [COUNT [WIDTH]] | memory [COUNT] | rules | big BASE-URL [MEGABYTES]"
let arguments = CommandLine.arguments
let number = arguments.dropFirst(2).first.flatMap { Int($0) }

func run() async throws {
  switch (arguments.dropFirst().first, arguments.dropFirst(2).first) {
  case ("stub", _): try await StubBench.run(pairs: number ?? 24)
  case ("pass", _): try await PassBench.run(Array(arguments.dropFirst(2)))
  case ("load", _): try await LoadBench.run(Array(arguments.dropFirst(2)))
  case ("memory", _): try await MemoryBench.run(number ?? 100_000)
  case ("rules", _): RulesBench.run()
  case ("big", let base?): await BigBench.run(base, megabytes: arguments.dropFirst(3).first.flatMap { Int($0) } ?? 512)
  // Parts of the others, in processes of their own.
  case ("serve", _): PlainServer.serve()
  case ("last", _): await LastRequests.send()
  default:
    print(usage)
    exit(64)
  }
}

// The main thread waits: callgrind does not bear that it ends before the process does, as that of an asynchronous `main`.
let isDone = DispatchSemaphore(value: 0)
Task.detached {
  do { try await run() } catch { print(error) }
  isDone.signal()
}
isDone.wait()
