import Foundation
import PatchbayTestSupport

// Usage: screen-bench [empty|million|idle|all [COUNT [FILE]]]     (build it with -c release)
//
// Drives the `patchbay` beside it through a pseudo terminal and prints each figure beside its promise; ends with 1 when
// one is not kept. FILE is a history of COUNT exchanges: made if it is not there, and kept if it was named.
signal(SIGPIPE, SIG_IGN)
let arguments = Array(CommandLine.arguments.dropFirst())
let part = arguments.first ?? "all"
let named = arguments.dropFirst(2).first
let file = named ?? NSTemporaryDirectory() + "screen-bench-\(getpid()).sqlite"
let binary = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
  .appendingPathComponent("patchbay").path
guard ["all", "empty", "million", "idle"].contains(part) else {
  print("usage: screen-bench [empty|million|idle|all [COUNT [FILE]]]")
  exit(64)
}
let count = arguments.dropFirst().first.flatMap { Int($0) } ?? 1_000_000
let areKept = try await ScreenBench.run(part, binary: binary, count: count, history: file)
if named == nil {
  for suffix in ["", "-wal", "-shm", ".lock"] { try? FileManager.default.removeItem(atPath: file + suffix) }
}
exit(areKept ? 0 : 1)
