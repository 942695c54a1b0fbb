import Foundation
import PatchbayConsole
import PatchbayFiles
import PatchbayGrid
import PatchbayInspect
import PatchbayLaunch
import PatchbayServer
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayRuntime
@testable import PatchbayTerminal

/// A console on a made-up terminal, from its start to its status. Signals and what it prints are this process's, so it runs
/// alone.
@MainActor
@Suite(
  "A console on the terminal", .alone, .bounded,
  .disabled(if: dlsym(nil, "__tsan_init") != nil, "a sanitizer's runtime cannot be preloaded beside the hook"))
final class ScreenSessionTests {
  private let place: TestFolders
  private let terminal = TerminalDouble()

  init() throws { place = try TestFolders() }

  private func write(config: String) throws {
    try FileManager.default.createDirectory(
      atPath: place.folder.file("config/patchbay"), withIntermediateDirectories: true)
    try place.folder.write(config, to: "config/patchbay/config.yaml")
  }

  /// Runs it; what is not ended meanwhile is left by `q`.
  private func run(
    _ mode: WorkbenchPlan.Mode = .listen, words: [String]? = nil, opened: OpenedFile? = nil,
    _ change: (inout ConsoleOptions) -> Void = { _ in },
    begins: (Workbench) async throws -> Void = { _ in },
    act: (@Sendable (Workbench) async throws -> Void)? = nil, meanwhile: (Workbench) async throws -> Void = { _ in }
  ) async throws -> (status: Int32, said: [String]) {
    var options = ConsoleOptions()
    options.history = ":memory:"
    change(&options)
    let screen = try ScreenConfig(folders: place.folders)
    let plan = try WorkbenchPlan(mode, options: options, config: screen.config, folders: place.folders)
    let bench = try Workbench(plan, opened: opened)
    try await begins(bench)
    let command = try words.map { try HookedCommand(words: $0, plan: bench.plan, folders: place.folders) }
    defer { command?.forget() }
    let (given, folders) = (options, place.folders)
    let (status, text) = try await written {
      let running = Task { @MainActor [terminal] in
        var session = ScreenSession(
          bench: bench, options: given, screen: try ScreenConfig(folders: folders), folders: folders)
        session.openTerminal = { _ in terminal }
        return try await session.run(command: command, target: nil, act: act)
      }
      do {
        try await until("the first frame") { !terminal.frames.isEmpty }
        try await meanwhile(bench)
      } catch {
        terminal.hangUp()
        _ = try? await running.value
        throw error
      }
      if !isClosed { terminal.type("q") }
      return try await running.value
    }
    TerminalDouble.forgetSignals()
    terminal.takeAway()
    #expect(!FileManager.default.fileExists(atPath: bench.plan.socket))
    return (status, text.split(separator: "\n").map(String.init))
  }

  private var isClosed: Bool { terminal.done.contains { $0.hasPrefix("close") } }

  private func until(_ what: String, _ condition: () -> Bool) async throws {
    let limit = ContinuousClock.now + Patience.usual
    while !condition() {
      guard ContinuousClock.now < limit else {
        throw WaitedInVain(description: "waited in vain for \(what): \(terminal.done) \(terminal.frames.last ?? "")")
      }
      try await Task.sleep(for: .milliseconds(2))
    }
  }

  private func hasShown(_ text: String) -> Bool { terminal.frames.contains { $0.contains(text) } }

  // MARK: The end

  @Test func itShowsWhatComesUntilItIsLeft() async throws {
    let (status, said) = try await run { _ in
    } meanwhile: { bench in
      #expect(FileManager.default.fileExists(atPath: bench.plan.socket))
      let hook = try MadeUpHook(bench.plan.socket, name: "shop", pid: 7)
      hook.send(
        .exchange(
          ExchangeUpdate(
            key: 1,
            start: .init(
              at: .now, request: RecordedRequest(method: "GET", url: "http://a.example/seen"), task: .data, revision: 1),
            head: .init(at: 5, status: 418, headers: []), end: .init(at: 9, outcome: .responded))))
      try await until("the request") { hasShown("/seen") }
      try await until("it is recorded") { bench.history.count == 1 }
      _ = hook
    }
    #expect(status == 0 && said == [])
    #expect(
      terminal.done.filter { !$0.hasPrefix("mouse") && !$0.hasPrefix("title") } == [
        "errors patchbay.log", "size", "close [\(SIGHUP), \(SIGINT), \(SIGTERM)]", "report -1",
      ])
    #expect(terminal.done.contains("title patchbay"))
  }

  /// Who suspends or leaves it at once does so before there is a keeper, which is to know it all the same.
  @Test func itsKeeperHearsOfTheScreenFromTheFirstFrameOn() async throws {
    let nowhere = open("/dev/null", O_RDWR | O_CLOEXEC)
    defer { close(nowhere) }
    let undo = "undo \(UUID().uuidString)"
    terminal.undo = Terminal.Undo(terminal: nowhere, bytes: undo, ours: "", found: "")
    func keepers() -> [pid_t] { Processes.children(of: getpid()).filter { Processes.arguments(of: $0).contains(undo) } }
    _ = try await run { _ in
    } meanwhile: { _ in
      try await until("the keeper") { keepers().count == 1 }
    }
    let done = terminal.done.filter { !$0.hasPrefix("mouse") && !$0.hasPrefix("title") }
    let told = try #require(done.dropFirst().first)
    #expect(told.hasPrefix("report ") && told != "report -1")
    #expect(
      done == [
        "errors patchbay.log", told, "size", "close [\(SIGHUP), \(SIGINT), \(SIGTERM)]", "report -1",
      ])
    #expect(keepers().isEmpty)
  }

  @Test func theEndOfTheTerminalIsItsStatus() async throws {
    let (status, _) = try await run { _ in
    } meanwhile: { _ in
      terminal.hangUp()
      try await until("the end") { isClosed }
    }
    #expect(status == 128 + SIGHUP)
  }

  @Test func itEndsAfterItsTimeAndSaysWhatWasNotAsExpected() async throws {
    let (status, said) = try await run {
      $0.duration = .milliseconds(200)
      $0.expect = ["is:bad"]
    } meanwhile: { _ in
      try await until("the end") { isClosed }
    }
    #expect(status == 3 && said == ["patchbay: no exchange fits --expect 'is:bad'."])
  }

  /// It is done beside the screen, and stopped with it.
  @Test func whatIsDoneBesideIsStopped() async throws {
    let acted = SeenLock<[String]>([])
    let (status, _) = try await run(.demo) { _ in
    } act: { bench in
      acted.withLock { $0.append("\(bench.plan.mode)") }
      do { try await Task.sleep(for: .seconds(600)) } catch { acted.withLock { $0.append("stopped") } }
    } meanwhile: { _ in
      try await until("it began") { !acted.withLock { $0.isEmpty } }
    }
    #expect(status == 0 && acted.withLock { $0 } == ["demo", "stopped"])
    #expect(terminal.done.contains("title patchbay demo"))
  }

  // MARK: A command

  @Test func theCommandsOutputIsThereAfterwards() async throws {
    let (status, printed) = try await written(to: STDOUT_FILENO) {
      try await run(.run, words: ["sh", "-c", "echo one; echo two; exit 5"]) { _ in
      } meanwhile: { _ in
        try await until("its end") { hasShown("sh ended with status 5.") }
      }.status
    }
    #expect(status == 5)
    #expect(printed.contains("one\ntwo\n"), "\(printed)")
    #expect(terminal.done.contains("title patchbay · sh -c echo one; echo two; exit 5"))
  }

  @Test func aCommandThatRunsIsEndedWithTheScreen() async throws {
    let (status, said) = try await run(.run, words: ["sh", "-c", "exec sleep 60"]) {
      $0.duration = .milliseconds(300)
    } meanwhile: { _ in
      try await until("the end") { isClosed }
    }
    #expect(status == 143)
    #expect(said.count == 1 && said[0].hasPrefix("patchbay: Nothing linked: sh made no URLSession"))
  }

  @Test func aCommandThatCannotBeStartedLeavesTheTerminalAsItWas() async throws {
    let program = try place.folder.write("#!/bin/sh\n", to: "program")
    chmod(program, 0o755)
    let plan = try place.plan()
    let bench = try Workbench(plan)
    let command = try HookedCommand(words: [program], plan: plan, folders: place.folders)
    unlink(program)
    var session = ScreenSession(
      bench: bench, options: ConsoleOptions(), screen: try ScreenConfig(folders: place.folders), folders: place.folders)
    session.openTerminal = { [terminal] _ in terminal }
    await #expect(throws: LaunchError.self) { _ = try await session.run(command: command, target: nil, act: nil) }
    #expect(terminal.done.suffix(2) == ["close []", "report -1"] && terminal.frames.isEmpty)
    #expect(!FileManager.default.fileExists(atPath: plan.socket))
    command.forget()
    terminal.takeAway()
  }

  @Test func whereThereIsNoTerminalNothingIsLeft() async throws {
    let bench = try Workbench(try place.plan(.listen))
    var session = ScreenSession(
      bench: bench, options: ConsoleOptions(), screen: try ScreenConfig(folders: place.folders), folders: place.folders)
    let asked = SeenLock<[TerminalOptions]>([])
    session.openTerminal = { options in
      asked.withLock { $0.append(options) }
      throw TerminalError.outputIsNotATerminal
    }
    await #expect(throws: TerminalError.self) { _ = try await session.run(command: nil, target: nil, act: nil) }
    #expect(!FileManager.default.fileExists(atPath: bench.plan.socket))
    #expect(asked.withLock { $0.map(\.usesMouse) } == [true] && asked.withLock { $0.map(\.showsPictures) } == [true])
    terminal.takeAway()
  }

  // MARK: What it begins with

  @Test func whatIsNotAsUsualIsShown() async throws {
    try write(config: "keys: { nosuch: q }\n")
    _ = try await run { _ in
    } meanwhile: { _ in
      try await until("the notice") { hasShown("there is no command nosuch") }
    }
  }

  @Test func aHistoryThatCannotBeMadeIsShown() async throws {
    try place.folder.write("", to: "state")
    _ = try await run {
      $0.history = nil
    } meanwhile: { _ in
      try await until("the notice") { hasShown("kept in memory only") || hasShown("Exchanges are kept in") }
    }
  }

  @Test func theThemeOfAnEarlierSessionThatHasGoneIsShownToHave() async throws {
    let store = ViewStore(folders: place.folders)
    store.save(ViewSettings(theme: "nowhere"))
    _ = try await run { _ in
    } meanwhile: { _ in
      try await until("the notice") { hasShown("There is no theme nowhere") }
    }
    await #expect(throws: RuntimeError.self) {
      let bench = try Workbench(try place.plan(.listen))
      var options = ConsoleOptions()
      options.theme = "elsewhere"
      let session = ScreenSession(
        bench: bench, options: options, screen: try ScreenConfig(folders: place.folders), folders: place.folders)
      _ = try await session.run(command: nil, target: nil, act: nil)
    }
  }

  /// What is named on the command line is meant, whatever the config file says.
  @Test func aThemeThatWasNamedAndIsNotThereIsNotReplaced() async throws {
    try write(config: "theme: mine\nmouse: false\n")
    try FileManager.default.createDirectory(
      atPath: place.folder.file("config/patchbay/themes"), withIntermediateDirectories: true)
    try place.folder.write(
      "name: mine\ncolors: { back: { rgb: \"#101418\", ansi: 0 } }\nroles: { text: { fg: back, bg: back } }\n",
      to: "config/patchbay/themes/mine.yaml")
    let config = try ScreenConfig(folders: place.folders)
    #expect(config.theme?.name == "mine" && config.slips.isEmpty)
    let asked = SeenLock<[TerminalOptions]>([])
    func begin(_ theme: String?) async throws {
      var options = ConsoleOptions()
      options.theme = theme
      var session = ScreenSession(
        bench: try Workbench(try place.plan(.listen)), options: options, screen: config, folders: place.folders)
      session.openTerminal = { options in
        asked.withLock { $0.append(options) }
        throw TerminalError.outputIsNotATerminal
      }
      _ = try await session.run(command: nil, target: nil, act: nil)
    }
    await #expect(throws: RuntimeError.self) { try await begin("elsewhere") }
    #expect(asked.withLock { $0.count } == 0)
    // Without one it begins, and the mouse is left to the terminal as the file wants.
    await #expect(throws: TerminalError.self) { try await begin(nil) }
    #expect(asked.withLock { $0.map(\.usesMouse) } == [false])
    terminal.takeAway()
  }

  /// A program's requests are to be seen, not those of yesterday.
  @Test(
    arguments: [
      (.run, 1, nil, nil, "run:last"), (.run, 0, nil, nil, nil), (.demo, 1, nil, nil, "run:last"),
      (.listen, 1, nil, nil, nil), (.run, 1, "host:b", nil, "host:b"), (.run, 1, nil, "host:c", "run:last"),
      (.listen, 1, nil, "host:c", "host:c"), (.run, 1, "host:b", "host:c", "host:b"),
    ] as [(WorkbenchPlan.Mode, Int, String?, String?, String?)])
  func theListBeginsWithThePresentRun(
    _ mode: WorkbenchPlan.Mode, _ before: Int, _ option: String?, _ config: String?, _ shown: String?
  ) async throws {
    if let config { try write(config: "filter: \"\(config)\"\n") }
    _ = try await run(mode, words: mode == .run ? ["sh", "-c", "exit 0"] : nil) {
      $0.filter = option
    } begins: { bench in
      for _ in 0..<before {
        bench.history.record([.answered(bench.history.reserveIDs(1), "http://a.example/before", body: Data("x".utf8))])
        try await bench.history.flush()
      }
    } meanwhile: { _ in
      if let shown { try await until("the filter") { hasShown(shown) } }
      for other in ["run:last", "host:b", "host:c"]
      where other != shown && !(other == config && mode == .run && option == nil) {
        #expect(!hasShown(other), "\(other)")
      }
      if mode == .run { try await until("the command's end") { hasShown("ended with status 0") } }
    }
  }

  @Test func aFileIsBrowsedWithoutASocket() async throws {
    let path = place.folder.file("in.jsonl")
    let line = JSONLines.line(.answered(3, "http://a.example/browsed", body: Data("x".utf8)))
    try place.folder.write(line + "\n", to: "in.jsonl")
    let opened = try await OpenedFile(path)
    let (status, _) = try await run(.open, opened: opened) { _ in
    } meanwhile: { bench in
      try await until("what is in it") { hasShown("/browsed") }
      #expect(!FileManager.default.fileExists(atPath: bench.plan.socket))
    }
    #expect(status == 0 && terminal.done.contains("title in.jsonl · patchbay"))
    #expect(!FileManager.default.fileExists(atPath: place.folder.file("state/patchbay/stubs")))
  }

  // MARK: Stubs that are kept

  private var kept: [String] {
    let folder = place.folder.file("state/patchbay/stubs")
    return ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).filter { $0.hasSuffix(".json") }
  }

  @Test(arguments: [(.listen, true), (.run, true), (.demo, false)] as [(WorkbenchPlan.Mode, Bool)])
  func whatWasMadeOnScreenIsKeptForTheNextOfItsKind(_ mode: WorkbenchPlan.Mode, _ isKept: Bool) async throws {
    let stub = Stub(name: "made here", then: .hold(.both))
    _ = try await run(mode, words: mode == .run ? ["sh", "-c", "exit 0"] : nil) {
      // Leaving asks where something would be lost.
      $0.duration = .milliseconds(400)
    } meanwhile: { bench in
      try bench.server.edit(.add(stub, at: nil), by: .person)
      #expect(kept.count == 1, "as soon as it is in force")
      try await until("the end") { isClosed }
    }
    #expect(kept.count == (isKept ? 1 : 0))
    // One for other stub files is not offered it.
    let next = try KeptStubsStore(
      folder: try place.folders.state(),
      place: FileManager.default.currentDirectoryPath + "\nstubs")
    #expect(next.found().map { $0.board.stubs.map(\.name) } == (isKept ? [["made here"]] : []))
    next.end(forgetting: true)
  }

  /// The name of its file says what it belongs to.
  @Test(arguments: [(.listen, "stubs", true), (.demo, "demo", false)] as [(WorkbenchPlan.Mode, String, Bool)])
  func whatIsKeptBelongsToTheFolderAndTheStubFiles(
    _ mode: WorkbenchPlan.Mode, _ kind: String, _ hasFiles: Bool
  ) async throws {
    let file = try place.folder.write("patchbay: 1\nstubs:\n- name: a\n  then: { fail: offline }\n", to: "s.yaml")
    let elsewhere = try TemporaryFolder()
    let belongs = FileManager.default.currentDirectoryPath + "\n" + kind + (hasFiles ? "\n" + file : "")
    let store = try KeptStubsStore(folder: elsewhere.path, place: belongs)
    let lock = try FileManager.default.contentsOfDirectory(atPath: elsewhere.path + "/stubs")
    store.end(forgetting: true)
    #expect(lock.count == 1)
    _ = try await run(mode) {
      $0.duration = .milliseconds(400)
      $0.stubs = [file]
    } meanwhile: { bench in
      try bench.server.edit(.add(Stub(name: "made here", then: .hold(.both)), at: nil), by: .person)
      #expect(kept.map { $0 + ".lock" } == lock)
      try await until("the end") { isClosed }
    }
  }

  // MARK: Pages that only the start needed

  @Test func codeThatWasNeverWrittenToIsGivenBack() {
    let maps = """
      55d000-55e000 r--p 00000000 fe:00 1 /bin/app
      Size:                  4 kB
      Anonymous:             0 kB
      55e000-560000 r-xp 00001000 fe:00 1 /bin/app
      Size:                  8 kB
      Anonymous:             0 kB
      AnonHugePages:         0 kB
      560000-561000 r-xp 00001000 fe:00 1 /bin/written
      Anonymous:             4 kB
      561000-562000 r-xp 00000000 00:00 0
      Anonymous:             0 kB
      562000-563000 rw-p 00000000 fe:00 1 /bin/app
      Anonymous:             0 kB
      7f00000000-7f00002000 r-xp 00000000 fe:00 2 /lib/one.so
      Anonymous:             0 kB
      7f00002000-7f00002000 r-xp 00000000 fe:00 2 /lib/none.so
      Anonymous:             0 kB
      nonsense-more r-xp /x
      7f00003000 r-xp /x
      7f00004000-7f00005000 r-xp 00000000 fe:00 2 /lib/last.so
      """
    #expect(StartUpPages.untouched(maps) == [0x55e000..<0x560000, 0x7f_0000_0000..<0x7f_0000_2000])
    #expect(StartUpPages.untouched("") == [])
  }
}
