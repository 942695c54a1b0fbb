import Foundation
import PatchbayHistory
import PatchbayInspect
import PatchbayLaunch
import PatchbayStubs
import PatchbaySystem
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayFiles
@testable import PatchbayRuntime

/// What a console is to be, of options, config file and environment.
@Suite(.bounded) struct WorkbenchPlanTests {
  private let folder: TemporaryFolder
  private let folders: PrivateFolders

  init() throws {
    folder = try TemporaryFolder()
    let path = folder.path
    try FileManager.default.createDirectory(
      atPath: path + "/run", withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    folders = PrivateFolders { name in
      ["XDG_RUNTIME_DIR": path + "/run", "XDG_STATE_HOME": path + "/state", "XDG_CONFIG_HOME": path + "/config"][name]
    }
  }

  private func plan(
    _ mode: WorkbenchPlan.Mode = .run, extraStubs: [String] = [],
    _ options: (inout ConsoleOptions) throws -> Void = { _ in },
    config: (inout ConfigFile) -> Void = { _ in }
  ) throws -> WorkbenchPlan {
    var given = ConsoleOptions()
    try options(&given)
    var file = ConfigFile()
    config(&file)
    return try WorkbenchPlan(mode, options: given, config: file, folders: folders, extraStubs: extraStubs)
  }

  @Test func whereNothingIsSaidItIsAsUsual() throws {
    let plan = try plan()
    #expect(plan.mode == .run && plan.notices == [] && plan.otherUser == nil)
    #expect(plan.runtimeFolder == folder.file("run/patchbay"))
    #expect(plan.history == .file(folder.file("state/patchbay/history.sqlite")))
    #expect(plan.retention.count == 1_000_000 && plan.retention.bytes == 8 << 30)
    #expect(plan.stubFiles == [] && plan.unmatched == .pass)
    #expect(plan.settings == HookSettings())
    #expect(plan.settings.degree == .full && plan.settings.hosts == [])
    #expect(!plan.settings.keepStubs && !plan.settings.timeoutRunsWhileHeld)
    #expect(!plan.trustsPeers && !plan.redacts && !plan.withSecrets)
    #expect(plan.filter.text == Filter.everything.text)
  }

  @Test(
    arguments: [
      (.run, "run-\(getpid()).sock"), (.attach, "attach-\(getpid()).sock"), (.demo, "demo-\(getpid()).sock"),
      (.open, "open-\(getpid()).sock"), (.listen, "default.sock"),
    ] as [(WorkbenchPlan.Mode, String)])
  func eachKindOfConsoleHasItsSocket(_ mode: WorkbenchPlan.Mode, _ name: String) throws {
    #expect(try plan(mode).socket == folder.file("run/patchbay/" + name))
    #expect(try plan(mode, { $0.socket = "/tmp/mine.sock" }).socket == "/tmp/mine.sock")
    let here = FileManager.default.currentDirectoryPath + "/x.sock"
    if here.utf8.count < 99 { #expect(try plan(mode, { $0.socket = "x.sock" }).socket == here) }
  }

  @Test(arguments: [(99, true), (100, false), (107, false), (108, false)])
  func aSocketsPathMayBeSoLong(_ length: Int, _ isTaken: Bool) throws {
    let path = "/" + String(repeating: "s", count: length - 1)
    if isTaken {
      #expect(try plan { $0.socket = path }.socket == path)
    } else {
      #expect(throws: LaunchError.self) { try plan { $0.socket = path } }
    }
  }

  @Test func theHistoryIsTheOptionsThenTheConfigs() throws {
    let own = HistoryStore.Place.file(folder.file("state/patchbay/history.sqlite"))
    for mode in [WorkbenchPlan.Mode.run, .attach, .listen] {
      #expect(try plan(mode).history == own)
      #expect(
        try plan(mode, { $0.history = "/h.sqlite" }, config: { $0.history.path = "/c.sqlite" }).history
          == .file("/h.sqlite"))
      #expect(try plan(mode, config: { $0.history.path = "/c.sqlite" }).history == .file("/c.sqlite"))
      #expect(try plan(mode, config: { $0.history.path = ":memory:" }).history == .memory)
      #expect(try plan(mode, { $0.history = ":memory:" }, config: { $0.history.path = "/c.sqlite" }).history == .memory)
    }
    for mode in [WorkbenchPlan.Mode.demo, .open] {
      #expect(try plan(mode, config: { $0.history.path = "/c.sqlite" }).history == .memory)
      #expect(try plan(mode, { $0.history = "/h.sqlite" }).history == .file("/h.sqlite"))
    }
    let home = NSString(string: "~/h.sqlite").expandingTildeInPath
    #expect(try plan { $0.history = "~/h.sqlite" }.history == .file(home))
  }

  @Test func whereNoHistoryCanBeMadeItIsKeptInMemoryAndTold() throws {
    _ = try folder.write("", to: "state")
    let plan = try plan()
    #expect(plan.history == .memory)
    #expect(plan.retention.count == Retention.memory.count && plan.retention.bytes == Retention.memory.bytes)
    #expect(plan.notices.count == 1 && plan.notices[0].hasSuffix(". Exchanges are kept in memory only."))
  }

  @Test func howMuchIsKept() throws {
    func kept(_ plan: WorkbenchPlan) -> [Int64] { [Int64(plan.retention.count), plan.retention.bytes] }
    let memory = [Int64(Retention.memory.count), Retention.memory.bytes]
    #expect(try kept(plan { $0.history = ":memory:" }) == memory)
    #expect(try kept(plan(config: { $0.history.count = 7 })) == [7, 8 << 30])
    #expect(try kept(plan(config: { $0.history.size = 9 << 20 })) == [1_000_000, 9 << 20])
    #expect(try kept(plan(.demo, config: { $0.history.count = 7 })) == [7, memory[1]])
  }

  @Test func stubFilesOfTheOptionsStandInThePlaceOfTheConfigs() throws {
    #expect(try plan(config: { $0.stubs = ["/c.yaml"] }).stubFiles == ["/c.yaml"])
    #expect(
      try plan(.run, { $0.stubs = ["/o.yaml", "/p.yaml"] }, config: { $0.stubs = ["/c.yaml"] }).stubFiles == [
        "/o.yaml", "/p.yaml",
      ])
    #expect(try plan(.demo, extraStubs: ["/d.yaml"], { $0.stubs = ["/o.yaml"] }).stubFiles == ["/d.yaml", "/o.yaml"])
    #expect(
      try plan(.demo, extraStubs: ["/d.yaml"], config: { $0.stubs = ["/c.yaml"] }).stubFiles == ["/d.yaml", "/c.yaml"])
    #expect(
      try plan(.open, extraStubs: ["/d.yaml"], { $0.stubs = ["/o.yaml"] }, config: { $0.stubs = ["/c.yaml"] }).stubFiles
        == [])
  }

  @Test(arguments: [(nil, false), (false, false), (true, true)] as [(Bool?, Bool)])
  func switchesAreOnWhereEitherTurnsThemOn(_ config: Bool?, _ isOn: Bool) throws {
    for option in [false, true] {
      let plan = try plan {
        ($0.keepStubs, $0.redact, $0.timeoutsRunWhileHeld) = (option, option, option)
      } config: {
        ($0.keepStubs, $0.redact, $0.timeoutsRunWhileHeld) = (config, config, config)
      }
      #expect(plan.settings.keepStubs == (option || isOn))
      #expect(plan.settings.timeoutRunsWhileHeld == (option || isOn))
      #expect(plan.redacts == (option || isOn))
    }
    #expect(try plan(config: { $0.keepStubs = true }).settings.timeoutRunsWhileHeld == false)
    #expect(try plan(config: { $0.redact = true }).settings.keepStubs == false)
    #expect(try plan(config: { $0.timeoutsRunWhileHeld = true }).redacts == false)
    #expect(try plan { $0.trustPeer = true }.trustsPeers)
    #expect(try plan { $0.withSecrets = true }.withSecrets)
  }

  @Test func whatHappensToUnmatchedRequests() throws {
    #expect(try plan(config: { $0.unmatched = .fail }).unmatched == .fail)
    #expect(try plan(.run, { $0.unmatched = .hold }, config: { $0.unmatched = .fail }).unmatched == .hold)
    #expect(try plan(.run, { $0.unmatched = .pass }, config: { $0.unmatched = .fail }).unmatched == .pass)
  }

  @Test func whoOnlyLooksOnCanStopNothing() throws {
    #expect(try plan { $0.observe = true }.settings.degree == .observe)
    #expect(
      try plan(.run, { ($0.observe, $0.unmatched) = (true, .pass) }, config: { $0.unmatched = .fail }).unmatched
        == .pass)
    for (option, config) in [(.fail, nil), (.hold, nil), (nil, .fail)] as [(StubSet.Unmatched?, StubSet.Unmatched?)] {
      let error = #expect(throws: RuntimeError.self) {
        try plan(.run, { ($0.observe, $0.unmatched) = (true, option) }, config: { $0.unmatched = config })
      }
      #expect(
        error?.description
          == "--observe intercepts nothing, so that nothing can be made to \(option ?? config ?? .pass): leave it out, or "
          + "add --unmatched pass.")
    }
  }

  @Test func hostsHaveTheDegreesOfTheConfig() throws {
    let hosts = try plan(config: {
      $0.hosts = ConfigFile.Degree.allCases.map { ConfigFile.HostRule(host: "\($0).example", degree: $0) }
    }).settings.hosts
    #expect(
      hosts == [
        .init(host: "full.example", degree: .full), .init(host: "observe.example", degree: .observe),
        .init(host: "bypass.example", degree: .bypass),
      ])
  }

  @Test func aLimitOfBodiesIsForBothSides() throws {
    func limits(_ plan: WorkbenchPlan) -> [UInt64] { [plan.settings.requestBodyLimit, plan.settings.bodyLimit] }
    let usual = HookSettings()
    #expect(try limits(plan()) == [usual.requestBodyLimit, usual.bodyLimit])
    #expect(try limits(plan { $0.bodyLimit = try BodyLimit(bytes: 7) }) == [7, 7])
    #expect(try limits(plan(config: { $0.bodyLimit = 0 })) == [0, 0])
    #expect(try limits(plan(.run, { $0.bodyLimit = try BodyLimit(bytes: 7) }, config: { $0.bodyLimit = 9 })) == [7, 7])
    #expect(throws: RuntimeError.self) { try plan(config: { $0.bodyLimit = -1 }) }
    #expect(throws: RuntimeError.self) { try plan(config: { $0.bodyLimit = 128 << 20 + 1 }) }
  }

  @Test(
    arguments: [
      ("0", 0), ("0B", 0), ("1", 1), ("500kB", 500_000), ("16MiB", 16 << 20), ("128MiB", 128 << 20),
      ("134217728", 128 << 20),
      ("1.5kB", 1_500),
    ] as [(String, UInt64)])
  func sizes(_ text: String, _ bytes: UInt64) throws {
    #expect(try BodyLimit(parsing: text).bytes == bytes)
  }

  @Test(arguments: ["", "x", "-1", "134217729", "129MiB", "1GiB", "1.5B", "99999999999999999999GB", "1 2"])
  func whatIsNoSize(_ text: String) {
    let error = #expect(throws: RuntimeError.self) { try BodyLimit(parsing: text) }
    #expect(error?.description == "A limit of bodies is a size of at most 128MiB, such as 500kB or 16MiB")
  }

  // MARK: Filters and paths

  @Test func aFilterIsRead() throws {
    #expect(try plan { $0.filter = "host:a" }.filter.text == "host:a")
    #expect(try FilterArgument.parse(nil).text == Filter.everything.text)
    let error = #expect(throws: RuntimeError.self) { try plan { $0.filter = "host:a statsu:200" } }
    #expect(
      error?.description
        == "--filter “host:a statsu:200” cannot be read at column 8: unknown key \"statsu\"; did you mean “status”?")
    #expect(error?.isUsage == true)
    let other = #expect(throws: RuntimeError.self) { try FilterArgument.parse("(") }
    #expect(other?.description.hasPrefix("the filter “(” cannot be read at column ") == true)
    #expect(other?.description.hasSuffix(".") == true)
  }

  @Test(arguments: [
    ("/a/b", "/a/b"), ("x", FileManager.default.currentDirectoryPath + "/x"),
    ("./x", FileManager.default.currentDirectoryPath + "/./x"), ("~", Path.home),
    ("~/x", Path.home + "/x"),
    ("a~", FileManager.default.currentDirectoryPath + "/a~"),
  ])
  func pathsAreMadeWhole(_ path: String, _ whole: String) {
    #expect(AbsolutePath.of(path) == whole)
  }

  // MARK: The config file

  @Test func theHistoryOfCommandsIsTheNamedOneOrTheConfigs() throws {
    var config = ConfigFile()
    let usual = folder.file("state/patchbay/history.sqlite")
    #expect(try ConfigLoading.history(of: config, folders: folders) == usual)
    config.history.path = ":memory:"
    #expect(try ConfigLoading.history(of: config, folders: folders) == usual)
    config.history.path = "/c.sqlite"
    #expect(try ConfigLoading.history(of: config, folders: folders) == "/c.sqlite")
    #expect(try ConfigLoading.history("/x.sqlite") == "/x.sqlite")
  }

  private func write(_ config: String) throws {
    try FileManager.default.createDirectory(
      atPath: folder.file("config/patchbay"), withIntermediateDirectories: true)
    _ = try folder.write(config, to: "config/patchbay/config.yaml")
  }

  @Test func aConfigThatIsNotThereIsEmpty() throws {
    #expect(try ConfigLoading.load(folders: folders) == ConfigFile())
    let screen = try ScreenConfig(folders: folders)
    #expect(screen.config == ConfigFile() && screen.slips == [] && screen.notice == nil && screen.theme == nil)
  }

  @Test func aScreenStartsWithWhatIsRightInItsConfig() throws {
    try write(
      """
      filter: "statsu:5xx"
      theme: nope
      keys:
        nosuch: q
        help: ctrl-k
      redact: true

      """)
    let screen = try ScreenConfig(folders: folders)
    #expect(screen.config.theme == nil && screen.config.filter == nil && screen.config.redact == true)
    let name = folder.file("config/patchbay/config.yaml")
    let themes = ThemeCatalog(folders: folders).names.joined(separator: ", ")
    #expect(
      screen.slips.map(\.description) == [
        "\(name):1:9: `filter` “statsu:5xx” cannot be read at column 1: unknown key \"statsu\"; did you mean “status”?",
        "\(name):2:8: There is no theme nope: choose one of \(themes).",
        "\(name):4:3: there is no command nosuch to give a key to; press ? in the console for the names of all commands.",
      ])
    #expect(
      screen.notice
        == "config.yaml:1:9: `filter` “statsu:5xx” cannot be read at column 1: unknown key \"statsu\"; did you mean "
        + "“status”? And 2 more: patchbay doctor lists them.")
  }

  @Test func oneSlipIsOneSentence() throws {
    try write("keys: { nosuch: q }\n")
    #expect(
      try ScreenConfig(folders: folders).notice
        == "config.yaml:1:9: there is no command nosuch to give a key to; press ? in the console for the names of all commands."
    )
  }

  @Test func whatConcernsTheRecordIsNotGuessed() throws {
    try write("redact: maybe\n")
    #expect(throws: FilesError.self) { try ConfigLoading.load(folders: folders) }
    #expect(throws: FilesError.self) { try ScreenConfig(folders: folders) }
  }
}
