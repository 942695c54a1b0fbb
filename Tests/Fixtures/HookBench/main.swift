import Foundation

// usage: hook-bench rules | stub | pass BASE-URL | big BASE-URL MEGABYTES     (build it with -c release)
//
// Pairs runs in turn, so that what else the machine does falls on both alike.
let arguments = CommandLine.arguments
switch (arguments.dropFirst().first, arguments.dropFirst(2).first) {
case ("rules", _): RulesBench.run()
case ("stub", _): await StubBench.run()
case ("pass", let base?): await PassBench.run(base)
case ("big", let base?): await BigBench.run(base, megabytes: arguments.dropFirst(3).first.flatMap { Int($0) } ?? 512)
default:
  print("usage: hook-bench rules | stub | pass BASE-URL | big BASE-URL [MEGABYTES]")
  exit(64)
}
