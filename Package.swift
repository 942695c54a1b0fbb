// swift-tools-version: 6.1
import PackageDescription

let strict: [SwiftSetting] = [.swiftLanguageMode(.v6)]

/// A product of a package that only the console's targets need.
func console(_ product: String, _ package: String) -> Target.Dependency {
  .product(name: product, package: package, condition: .when(traits: ["Console"]))
}

let package = Package(
  name: "patchbay",
  platforms: [.macOS(.v15)],
  products: [
    .executable(name: "patchbay", targets: ["PatchbayCLI"]),
    .library(name: "Patchbay", targets: ["Patchbay"]),
    .library(name: "PatchbayHook", type: .dynamic, targets: ["Patchbay", "CHookLibrary"]),
    .library(name: "PatchbayPreload", type: .dynamic, targets: ["PatchbayPreload"]),
    .library(name: "PatchbayTesting", targets: ["PatchbayTesting"]),
    .library(name: "PatchbayXCTest", targets: ["PatchbayXCTest"]),
  ],
  // A package that uses the library alone says `traits: []` and fetches none of what the console needs.
  traits: [
    .trait(name: "Console", description: "The console `patchbay`, and what it needs."),
    .default(enabledTraits: ["Console"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
  ],
  targets: [
    // Values and the wire. No I/O.
    .target(name: "PatchbayStubs", swiftSettings: strict),
    .target(name: "PatchbayWire", dependencies: ["PatchbayStubs"], swiftSettings: strict),

    // What runs inside the harness.
    .target(name: "CHookSessions"),
    .target(name: "CHookLibrary"),
    .target(name: "Patchbay", dependencies: ["PatchbayStubs", "PatchbayWire", "CHookSessions"], swiftSettings: strict),
    // For tests of programs; the library knows neither of the two frameworks.
    .target(name: "PatchbayTesting", dependencies: ["Patchbay"], swiftSettings: strict),
    .target(name: "PatchbayXCTest", dependencies: ["Patchbay"], swiftSettings: strict),
    .target(
      name: "PatchbayPreload",
      // Without it SwiftPM links a C library against libswiftCore, which every child would then load. Without debugging
      // information, since valgrind 3.19 gives up on a preloaded library whose DWARF 5 it cannot read.
      linkerSettings: [
        .unsafeFlags(
          ["-static-stdlib", "-nostartfiles", "-Xlinker", "--strip-debug"], .when(platforms: [.linux]))
      ]),

    // What the console is made of.
    .target(name: "PatchbaySystem", swiftSettings: strict),
    .target(name: "PatchbayInspect", dependencies: ["PatchbayWire"], swiftSettings: strict),
    .target(
      name: "PatchbayFiles",
      dependencies: ["PatchbayStubs", "PatchbaySystem", console("Yams", "Yams")],
      swiftSettings: strict),
    .target(
      name: "PatchbayHistory",
      dependencies: [
        "PatchbayInspect", "PatchbaySystem",
        console("GRDB", "GRDB.swift"),
        console("GRDBSQLite", "GRDB.swift"),
      ], swiftSettings: strict),
    .target(
      name: "PatchbayServer",
      dependencies: [
        "PatchbaySystem", "PatchbayWire",
        console("NIOCore", "swift-nio"),
        console("NIOPosix", "swift-nio"),
      ], swiftSettings: strict),
    .target(name: "CLaunch"),
    .target(name: "PatchbayLaunch", dependencies: ["CLaunch", "PatchbaySystem"], swiftSettings: strict),
    .target(name: "CAttach"),
    .target(
      name: "PatchbayAttach", dependencies: ["CAttach", "PatchbayLaunch", "PatchbaySystem"], swiftSettings: strict),
    .target(name: "PatchbayGrid", swiftSettings: strict),
    .target(
      name: "CNcurses",
      linkerSettings: [
        .linkedLibrary("ncursesw", .when(platforms: [.linux])), .linkedLibrary("ncurses", .when(platforms: [.macOS])),
      ]),
    .target(
      name: "PatchbayTerminal", dependencies: ["CLaunch", "CNcurses", "PatchbayGrid", "PatchbaySystem"],
      swiftSettings: strict),
    .target(name: "PatchbayConsole", dependencies: ["PatchbayGrid", "PatchbayInspect"], swiftSettings: strict),
    .target(
      name: "PatchbayDemo",
      dependencies: [
        "Patchbay",
        console("NIOCore", "swift-nio"),
        console("NIOPosix", "swift-nio"),
        console("NIOHTTP1", "swift-nio"),
      ], swiftSettings: strict),
    .target(name: "CWorkerMonitor"),
    // The manual's pages, which stand in the program.
    .target(name: "CManual"),
    .target(name: "PatchbayManual", dependencies: ["CManual", "PatchbayGrid"], swiftSettings: strict),
    // What runs a console, on screen or headless. It knows nothing of the command line's grammar.
    .target(
      name: "PatchbayRuntime",
      dependencies: [
        "CLaunch", "CWorkerMonitor", "PatchbayAttach", "PatchbayConsole", "PatchbayFiles", "PatchbayHistory",
        "PatchbayLaunch", "PatchbayServer", "PatchbaySystem", "PatchbayTerminal",
      ], swiftSettings: strict),
    .executableTarget(
      name: "PatchbayCLI",
      dependencies: [
        "PatchbayAttach", "PatchbayConsole", "PatchbayDemo", "PatchbayFiles", "PatchbayHistory", "PatchbayLaunch",
        "PatchbayManual", "PatchbayRuntime", "PatchbayServer", "PatchbaySystem", "PatchbayTerminal",
        console("ArgumentParser", "swift-argument-parser"),
      ], swiftSettings: strict),

    // Tests mirror the targets. `PatchbayTestSupport` holds what several of them need (ports, ptys, a screen).
    .target(
      name: "PatchbayTestSupport", dependencies: ["CLaunch", "PatchbayStubs"], path: "Tests/PatchbayTestSupport",
      swiftSettings: strict),
    // A plain program (nothing of Patchbay in it) that exercises URLSession, and one that links the library.
    .target(name: "HarnessCases", path: "Tests/Fixtures/HarnessCases", swiftSettings: strict),
    .executableTarget(
      name: "plain-harness", dependencies: ["HarnessCases"], path: "Tests/Fixtures/PlainHarness",
      swiftSettings: strict),
    .executableTarget(
      name: "attached-harness", dependencies: ["Patchbay", "HarnessCases"], path: "Tests/Fixtures/AttachedHarness",
      swiftSettings: strict),
    .executableTarget(
      name: "linked-harness", dependencies: ["Patchbay", "HarnessCases"], path: "Tests/Fixtures/LinkedHarness",
      swiftSettings: strict),
    .executableTarget(name: "running-program", path: "Tests/Fixtures/RunningProgram", swiftSettings: strict),
    .executableTarget(name: "session-maker", path: "Tests/Fixtures/SessionMaker", swiftSettings: strict),
    .executableTarget(
      name: "attach-bench", dependencies: ["PatchbayAttach", "PatchbayLaunch"], path: "Tests/Fixtures/AttachBench",
      swiftSettings: strict),
    .executableTarget(
      name: "hook-bench", dependencies: ["Patchbay", "HarnessCases"], path: "Tests/Fixtures/HookBench",
      swiftSettings: strict),
    .executableTarget(
      name: "terminal-fixture", dependencies: ["PatchbayTerminal"], path: "Tests/Fixtures/TerminalFixture",
      swiftSettings: strict),
    // Makes a million exchanges and prints how fast the history is with them.
    .target(name: "BenchData", dependencies: ["PatchbayWire"], path: "Tests/Fixtures/BenchData", swiftSettings: strict),
    .executableTarget(
      name: "history-bench", dependencies: ["BenchData", "PatchbayHistory"], path: "Tests/Fixtures/HistoryBench",
      swiftSettings: strict),
    // Drives the real binary through a pty and prints how it feels: key to screen, arrival to screen, first frame, idle.
    .executableTarget(
      name: "screen-bench", dependencies: ["BenchData", "PatchbayHistory", "PatchbayTestSupport"],
      path: "Tests/Fixtures/ScreenBench", swiftSettings: strict),
    .testTarget(
      name: "PatchbayStubsTests", dependencies: ["PatchbayStubs", "PatchbayTestSupport"], exclude: ["Whole"],
      swiftSettings: strict),
    .testTarget(
      name: "PatchbayWireTests", dependencies: ["PatchbayWire", "PatchbayTestSupport"], swiftSettings: strict),
    .testTarget(
      name: "PatchbayTests", dependencies: ["Patchbay", "PatchbayLaunch", "PatchbayTestSupport"], exclude: ["Whole"],
      swiftSettings: strict),
    .testTarget(
      name: "PatchbayTestingTests", dependencies: ["PatchbayTesting", "PatchbayXCTest", "PatchbayTestSupport"],
      swiftSettings: strict),
    .testTarget(
      name: "PatchbayInspectTests", dependencies: ["PatchbayInspect", "PatchbayTestSupport"], exclude: ["Whole"],
      swiftSettings: strict),
    .testTarget(
      name: "PatchbayFilesTests", dependencies: ["PatchbayFiles", "PatchbayInspect", "PatchbayTestSupport"],
      exclude: ["Import/Whole", "Whole"],
      swiftSettings: strict),
    .testTarget(
      name: "PatchbayHistoryTests", dependencies: ["PatchbayHistory", "PatchbayTestSupport"], swiftSettings: strict),
    .testTarget(
      name: "PatchbayServerTests", dependencies: ["PatchbayServer", "PatchbayTestSupport"], swiftSettings: strict),
    .testTarget(
      name: "PatchbaySystemTests", dependencies: ["PatchbaySystem", "PatchbayTestSupport"], swiftSettings: strict),
    .testTarget(
      name: "PatchbayLaunchTests", dependencies: ["PatchbayLaunch", "PatchbayTestSupport"], swiftSettings: strict),
    .testTarget(
      name: "PatchbayAttachTests", dependencies: ["PatchbayAttach", "PatchbayTestSupport"], swiftSettings: strict),
    .testTarget(
      name: "PatchbayGridTests", dependencies: ["PatchbayGrid", "PatchbayTestSupport"], exclude: ["Whole"],
      swiftSettings: strict),
    .testTarget(
      name: "PatchbayTerminalTests", dependencies: ["PatchbayTerminal", "PatchbayTestSupport"], swiftSettings: strict),
    .testTarget(
      name: "PatchbayConsoleTests", dependencies: ["PatchbayConsole", "PatchbayTestSupport"],
      exclude: ["Screens", "Walks"],
      swiftSettings: strict),
    .testTarget(
      name: "PatchbayManualTests", dependencies: ["PatchbayManual", "PatchbayTestSupport"], exclude: ["Whole"],
      swiftSettings: strict),
    .testTarget(
      name: "PatchbayDemoTests", dependencies: ["PatchbayDemo", "PatchbayTestSupport"], swiftSettings: strict),
    .testTarget(
      name: "PatchbayRuntimeTests", dependencies: ["PatchbayRuntime", "PatchbayTestSupport"], exclude: ["Whole"],
      swiftSettings: strict),
    .testTarget(
      name: "PatchbayCLITests", dependencies: ["CAttach", "PatchbayCLI", "PatchbayTestSupport"],
      exclude: ["Values/Whole"],
      swiftSettings: strict),
  ]
)

// `PATCHBAY_ONLY=PatchbayWireTests,plain-harness` builds these targets and what they need, and nothing else: the thread
// sanitizer runs over hook, wire and server, and needs no console.
if let only = Context.environment["PATCHBAY_ONLY"] {
  var kept: Set<String> = ["Patchbay", "CHookLibrary", "PatchbayPreload"]
  var packages: Set<String> = []
  var open = only.split(separator: ",").map(String.init) + kept
  while let name = open.popLast() {
    kept.insert(name)
    for dependency in package.targets.first(where: { $0.name == name })?.dependencies ?? [] {
      switch dependency {
      case .targetItem(let name, _), .byNameItem(let name, _): if !kept.contains(name) { open.append(name) }
      case .productItem(_, let name, _, _): packages.insert(name ?? "")
      @unknown default: break
      }
    }
  }
  package.targets.removeAll { !kept.contains($0.name) }
  package.products.removeAll { ["patchbay", "PatchbayTesting", "PatchbayXCTest"].contains($0.name) }
  package.dependencies.removeAll { dependency in
    guard case .sourceControl(_, let location, _) = dependency.kind else { return false }
    return !packages.contains { location.hasSuffix("/\($0)") }
  }
}
