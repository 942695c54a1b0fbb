import Foundation
import PatchbayConsole
import PatchbayGrid
import PatchbayHistory
import PatchbayInspect
import PatchbayLaunch
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayFiles
@testable import PatchbayRuntime

/// A screen that notes what it is told, a line for each event.
@MainActor final class ScreenDouble: ScreenHost {
  var state = ConsoleState(size: Size(width: 40, height: 8), now: Timestamp(microseconds: 1))
  var colorDepth = ColorDepth.palette256
  var size = Size(width: 40, height: 8)
  /// What each turn brought.
  var turns: [[ConsoleEvent]] = []
  var events: [ConsoleEvent] { turns.flatMap { $0 } }
  var copies: [String] = []
  var programs: [[String]] = []
  /// What another program does that has the terminal.
  var program: ([String]) throws -> Int32 = { _ in 0 }

  func send(_ events: [ConsoleEvent], isInput: Bool) {
    turns.append(events)
    for event in events { _ = state.update(event, at: Timestamp(microseconds: 1)) }
  }

  func copy(_ text: String, label: String) { copies.append("\(label): \(text)") }

  func runExternally(_ command: [String]) async throws -> Int32 {
    programs.append(command)
    return try program(command)
  }

  /// What was told since this was asked last.
  func taken() -> [String] {
    defer { turns = [] }
    return events.map(Self.line)
  }

  private static func line(_ event: ConsoleEvent) -> String {
    switch event {
    case .resized(let size): "resized \(size.width)x\(size.height)"
    case .recorded(let count): "recorded \(count)"
    case .runs(let runs):
      "runs " + runs.map { "\($0.number) from \($0.first) \($0.count.map(String.init) ?? "-")" }.joined(separator: ", ")
    case .summaries(let rows): "summaries \(rows.map(\.id))"
    case .gone(let ids): "gone \(ids)"
    case .retired(let count, let below): "retired \(count) below \(below)"
    case .ids(let batch): "ids \(batch.token) \(batch.ids)\(batch.isLast ? " last" : "") \(batch.failure ?? "")"
    case .exchange(let id, let exchange): "exchange \(id) \(exchange?.request.url ?? "nil")"
    case .retries(let id, let rows): "retries \(id) \(rows.map(\.id))"
    case .fetched(let exchanges, let purpose): "fetched \(exchanges.map(\.id)) for \(purpose)"
    case .board(let board, let by): "board \(board.stubs.map(\.name)) \(by ?? "-")"
    case .switches(let unmatched, let hold): "switches \(unmatched) \(hold.map { "\($0)" } ?? "-")"
    case .stubFileLoaded(let path, let count, let isNew, let isOffline):
      "loaded \((path as NSString).lastPathComponent) \(count)\(isNew ? " new" : "")\(isOffline ? " offline" : "")"
    case .traffic(let token, let report): "traffic \(token) \(report.endpoints.count) \(report.hosts.count)"
    case .trafficDetail(let token, _): "traffic detail \(token)"
    case .stubDetail(let detail): "stub \(detail.stub.name) \(detail.last.map(\.id)) \(detail.yaml.count)"
    case .preview(let token, let result): "preview \(token) \(result.matching) of \(result.of) \(result.newest)"
    case .editorReturned(let token, let result): "editor \(token) \(result)"
    case .kept(let kept): "kept \(kept.id)"
    case .compared(_, let exchanges, let purpose): "compared \(exchanges.map(\.id)) for \(purpose)"
    case .notice(let notice): "\(notice.kind): \(notice.text)"
    case .work(_, let title, _): "work \(title)"
    case .workEnded: "work ended"
    case .imported(let report): "imported \(report.name) \(report.ids.count) \(report.leftOut) \(report.problem ?? "-")"
    case .pathCompletions(let text, let found): "completions of \(text): \(found)"
    case .theme(let theme): "theme \(theme.name)"
    case .themes(let names): "themes \(names)"
    case .swatches(let themes): "swatches \(themes.keys.sorted())"
    default: "another"
    }
  }
}

/// What the screen asks for, done on a history in memory and a server that nobody links to.
@MainActor @Suite("The screen's worker", .bounded) final class ScreenWorkerTests {
  private let folder: TemporaryFolder
  private let bench: Workbench
  private let worker: ScreenWorker
  private let screen = ScreenDouble()

  init() throws {
    folder = try TemporaryFolder()
    let path = folder.path
    let folders = PrivateFolders { name in
      [
        "XDG_RUNTIME_DIR": path + "/run", "XDG_STATE_HOME": path + "/state", "XDG_CONFIG_HOME": path + "/config",
      ][name]
    }
    try FileManager.default.createDirectory(
      atPath: path + "/run", withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    var options = ConsoleOptions()
    options.history = ":memory:"
    bench = try Workbench(WorkbenchPlan(.run, options: options, config: ConfigFile(), folders: folders))
    let feed = LiveFeed()
    worker = ScreenWorker(
      bench: bench, feed: feed, themes: ThemeCatalog(folders: folders), settings: ViewStore(folders: folders),
      output: CommandOutput(feed: feed), kept: nil)
  }

  private func exchange(_ id: Int64, _ path: String = "/x", _ change: (inout Exchange) -> Void = { _ in }) -> Exchange {
    var exchange = Exchange.answered(id, "http://a.example\(path)", body: Data("answer".utf8))
    change(&exchange)
    return exchange
  }

  private func record(_ exchanges: Exchange...) async throws {
    bench.history.record(exchanges)
    try await bench.history.flush()
  }

  private func stub(_ name: String) -> Stub {
    Stub(name: name, when: RequestPattern(methods: ["GET"]), then: .fail(Fault(.named("timedOut"))))
  }

  /// Does that, and waits for so many events.
  private func doing(_ effect: ConsoleEffect, _ count: Int = 1) async throws -> [String] {
    worker.perform(effect, for: screen)
    return try await told(count)
  }

  /// `eventually`, on the main actor.
  private func until(_ what: String, _ condition: () throws -> Bool) async throws {
    let limit = ContinuousClock.now + Patience.usual
    while try !condition() {
      guard ContinuousClock.now < limit else {
        throw WaitedInVain(description: "waited in vain for \(what): \(screen.taken())")
      }
      try await Task.sleep(for: .milliseconds(2))
    }
  }

  private func told(_ count: Int) async throws -> [String] {
    try await until("\(count) events") { screen.events.count >= count }
    return screen.taken()
  }

  @Test func searchesTellTheirTokenAndWhatIsWrongWithTheFilter() async throws {
    try await record(exchange(1), exchange(2, "/y"), exchange(3))
    func found(_ filter: String = "", after: Int64 = 0, sort: PatchbayConsole.SortOrder = .arrival) async throws
      -> [Int64]
    {
      worker.perform(.runQuery(ExchangeQuery(token: 4, filter: filter, after: after, sort: sort)), for: screen)
      var ids: [Int64] = []
      var isLast = false
      while !isLast {
        try await until("a batch") { !screen.events.isEmpty }
        for case .ids(let batch) in screen.events {
          #expect(batch.token == 4 && batch.failure == nil && !isLast)
          ids += batch.ids
          isLast = batch.isLast
        }
        _ = screen.taken()
      }
      return ids
    }
    #expect(try await found() == [3, 2, 1])
    #expect(try await found("path:/x") == [3, 1])
    #expect(try await found("path:/x", after: 1) == [3])
    #expect(try await found(sort: PatchbayConsole.SortOrder(.path, descending: true)) == [2, 1, 3])
    let wrong = try await doing(.runQuery(ExchangeQuery(token: 7, filter: "hots:a")))
    #expect(wrong.count == 1 && wrong[0].hasPrefix("ids 7 [] last ") && wrong[0].contains("hots"))
  }

  @Test func whatIsAskedForByIdComes() async throws {
    try await record(exchange(1), exchange(2, "/y"), exchange(3))
    #expect(try await doing(.loadSummaries([1, 3])) == ["summaries [1, 3]"])
    #expect(try await doing(.loadSummaries([9, 3, 7]), 2) == ["summaries [3]", "gone [7, 9]"])
    #expect(try await doing(.watchExchange(2)) == ["exchange 2 http://a.example/y"])
    #expect(try await doing(.watchExchange(9)) == ["exchange 9 nil"])
    #expect(try await doing(.loadRetries(3)) == ["retries 3 [1, 3]"])
    #expect(try await doing(.fetch([3, 9, 1], for: .stubs)) == ["fetched [3, 1] for stubs"])
    #expect(try await doing(.fetchWithPrevious(3, for: .compare)) == ["fetched [1, 3] for compare"])
    #expect(
      try await doing(.fetchWithPrevious(2, for: .compare)) == [
        "info: Nothing earlier of this endpoint is recorded."
      ])
    #expect(try await doing(.fetchWithPrevious(3, for: .answerHeld)) == ["fetched [1, 3] for answerHeld"])
    #expect(try await doing(.fetchWithPrevious(2, for: .answerHeld)) == ["fetched [2] for answerHeld"])
    let pair = [exchange(1), exchange(3)]
    #expect(try await doing(.compare(pair, for: .compare)) == ["compared [1, 3] for compare"])
    // Nothing comes of a watch that ends, and of anything but two.
    worker.perform(.watchExchange(nil), for: screen)
    worker.perform(.compare([exchange(1)], for: .compare), for: screen)
    #expect(try await doing(.loadSummaries([2])) == ["summaries [2]"])
  }

  @Test func countsAndDetails() async throws {
    try await record(exchange(1), exchange(2, "/y"), exchange(3))
    #expect(try await doing(.loadTraffic(token: 3, filter: "")) == ["traffic 3 2 1"])
    #expect(try await doing(.loadTraffic(token: 4, filter: "path:/y")) == ["traffic 4 1 1"])
    #expect(try await doing(.loadTraffic(token: 4, filter: "(")).first?.hasPrefix("error: ") == true)
    #expect(try await doing(.loadTrafficDetail(token: 5, filter: "path:/x")) == ["traffic detail 5"])
    #expect(try await doing(.loadStubDetail(stub("a"), filter: "path:/x")) == ["stub a [3, 1] \(yaml("a").count)"])
    #expect(try await doing(.loadStubDetail(stub("a"), filter: "(")) == ["stub a [] \(yaml("a").count)"])
    let pattern = RequestPattern(methods: ["GET"], url: .glob("*/x"))
    #expect(try await doing(.preview(token: 6, pattern)) == ["preview 6 2 of 3 [3, 1]"])
  }

  private func yaml(_ name: String) -> String { StubFile.yaml(stub(name)) }

  @Test func whatAPersonNotesIsKeptUnlessTheFileIsOnlyRead() async throws {
    try await record(exchange(1), exchange(2))
    func ids(_ filter: String) async throws -> [Int64] {
      try await HistoryQuery(history: bench.history).ids(try Filter(parsing: filter), limit: nil)
    }
    worker.perform(.setMarked([2], true), for: screen)
    while try await ids("marked:yes") != [2] { try await Task.sleep(for: .milliseconds(2)) }
    worker.perform(.setMarked([2], false), for: screen)
    while try await ids("marked:yes") != [] { try await Task.sleep(for: .milliseconds(2)) }
    worker.perform(.setRemarks([1: Remark(tags: ["odd"], note: "n")]), for: screen)
    while try await ids("tag:odd") != [1] { try await Task.sleep(for: .milliseconds(2)) }
    worker.perform(.setDeleted([1], true), for: screen)
    while try await ids("") != [2] { try await Task.sleep(for: .milliseconds(2)) }
    worker.perform(.setDeleted([1], false), for: screen)
    while try await ids("") != [1, 2] { try await Task.sleep(for: .milliseconds(2)) }
    #expect(screen.taken() == [])
  }

  @Test func stubsAreEditedAndARefusalComesWithTheBoardAsItIs() async throws {
    worker.perform(.editStubs([.add(stub("a"), at: 0), .add(stub("b"), at: 1)]), for: screen)
    #expect(bench.server.board.stubs.map(\.name) == ["a", "b"] && screen.taken() == [])
    let refused = try await doing(.editStubs([.add(stub("a"), at: 0)]))
    #expect(refused.count == 2 && refused[0].hasPrefix("error: ") && refused[1] == "board [\"a\", \"b\"] -")
    worker.perform(.setUnmatched(.fail), for: screen)
    worker.perform(.setHoldAll(.request), for: screen)
    #expect(bench.server.unmatched == .fail && bench.server.holdAll == .request)
    worker.perform(.setHoldAll(nil), for: screen)
    #expect(bench.server.holdAll == nil)
  }

  @Test func aStubFileIsLoadedOnceAndForgotten() async throws {
    func file(_ name: String, _ stub: String) throws -> String {
      try folder.write(
        "patchbay: 1\nstubs:\n- name: \(stub)\n  when: { path: /x }\n  then: { fail: offline }\n", to: name)
    }
    let path = try file("a.yaml", "one")
    #expect(try await doing(.loadStubFile(path), 2) == ["board [\"one\"] -", "loaded a.yaml 1 new"])
    #expect(try await doing(.loadStubFile(path), 2) == ["board [\"one\"] -", "loaded a.yaml 1"])
    worker.perform(.forgetStubFile(path), for: screen)
    try await until("it is forgotten") { bench.server.board.stubs.isEmpty }
    worker.perform(.loadStubFile(path, isAgain: true), for: screen)
    try await until("it is back") { bench.server.board.stubs.count == 1 }
    #expect(screen.taken() == [], "what only comes back is not told")
    let none = try await doing(.loadStubFile(folder.file("none.yaml")))
    #expect(none.count == 1 && none[0].hasPrefix("error: ") && none[0].contains("none.yaml"))
    bench.stubFiles.stop()
  }

  @Test func whatCannotBeDoneIsSaid() async throws {
    try await record(exchange(1))
    #expect(
      try await doing(.replay(9, nil)) == [
        "error: Exchange 9 is no longer recorded, so it cannot be sent again."
      ])
    #expect(
      try await doing(.copyExchange(9, .curl)) == [
        "error: Exchange 9 is no longer recorded, so there is nothing to copy."
      ])
    #expect(
      try await doing(.saveBody(9, .request, opens: false)) == [
        "error: Exchange 9 is no longer recorded, so there is no body to save."
      ])
    #expect(
      try await doing(.saveBody(1, .request, opens: false)) == ["info: There is no request body."])
    #expect(
      try await doing(.copyExchange(1, .requestBody)) == [
        "error: The request has no body, so there is nothing to copy."
      ])
    #expect(try await doing(.setDegree(instance: 5, .observe)).first?.hasPrefix("error: ") == true)
    #expect(try await doing(.decide([HeldDecision(id: 1, decision: .drop)])).first?.hasPrefix("error: ") == true)
    #expect(
      try await doing(.sendToCommand(Data("x".utf8))) == ["error: The command takes no input any more."])
    #expect(!worker.pass(signal: SIGUSR1))
  }

  @Test func copiesSayWhatTheyAre() async throws {
    try await record(exchange(1))
    for kind in CopyKind.allCases where kind != .requestBody {
      worker.perform(.copyExchange(1, kind), for: screen)
      let (text, label) = try CopyText.make(try #require(await bench.history.exchange(1)), kind)
      try await until("a copy of \(kind)") { !screen.copies.isEmpty }
      #expect(screen.copies == ["\(label): \(text)"])
      screen.copies = []
    }
    worker.perform(.copyStubs([stub("a")]), for: screen)
    worker.perform(.copyStubs([stub("a"), stub("b")]), for: screen)
    worker.perform(.copyStubs([Stub(name: "c", when: RequestPattern(), then: .code)]), for: screen)
    #expect(
      screen.copies == [
        "the stub: " + StubFile.yaml([stub("a")]), "the stubs: " + StubFile.yaml([stub("a"), stub("b")]),
        "the stub: " + StubFile.copy([Stub(name: "c", when: RequestPattern(), then: .code)]),
      ])
    #expect(screen.taken() == [])
  }

  @Test func themesAreShownAsTheTerminalCan() async throws {
    let themes = folder.file("config/patchbay/themes")
    try FileManager.default.createDirectory(atPath: themes, withIntermediateDirectories: true)
    func write(_ name: String) throws {
      try folder.write(
        "name: \(name)\ncolors: { back: { rgb: \"#101418\", ansi: 0 } }\nroles: { text: { fg: back, bg: back } }\n",
        to: "config/patchbay/themes/mine.yaml")
    }
    try write("mine")
    try folder.write("nam: x\n", to: "config/patchbay/themes/wrong.yaml")
    #expect(try await doing(.useTheme("mine")) == ["theme mine"])
    let wrong = try await doing(.useTheme("wrong"))
    #expect(wrong.count == 1 && wrong[0].hasPrefix("error: ") && wrong[0].contains("wrong.yaml"))
    let none = try await doing(.useTheme("nowhere"))
    #expect(none.count == 1 && none[0].hasPrefix("error: There is no theme nowhere: choose one of "))
    let swatches = try await doing(.loadSwatches)
    #expect(swatches.count == 1 && swatches[0].contains("\"mine\"") && !swatches[0].contains("\"wrong\""))
    // A file that is in force is read again when it is saved.
    #expect(try await doing(.useTheme("mine")) == ["theme mine"])
    try write("other")
    try await until("the theme as it is now") { screen.taken().last == "theme other" }
  }

  @Test func theEditorHasTheTextAndWhatItMadeOfItComesBack() async throws {
    var texts: [String] = []
    func editor(_ change: @escaping (String) -> String?, status: Int32 = 0) {
      screen.program = { command in
        let file = command.last ?? ""
        texts.append((file as NSString).pathExtension + ":" + (try String(contentsOfFile: file, encoding: .utf8)))
        if let text = change(texts.last.map { String($0.drop { $0 != ":" }.dropFirst()) } ?? "") {
          try Data(text.utf8).write(to: URL(fileURLWithPath: file))
        }
        return status
      }
    }
    func edit(_ content: EditorJob.Content, draft: String? = nil) async throws -> [String] {
      try await doing(.openEditor(EditorJob(token: 4, content: content, draft: draft)), 1)
    }
    editor { _ in nil }
    #expect(try await edit(.stub(stub("a"))) == ["editor 4 \(EditorResult.unchanged)", "resized 40x8"])
    #expect(texts == ["yaml:" + StubFile.yaml([stub("a")])])
    editor { $0.replacing("name: a", with: "name: b") }
    #expect(try await edit(.stub(stub("a")))[0] == "editor 4 \(EditorResult.stub(stub("b")))")
    editor { $0.replacing("name: a", with: "nam: a") }
    let broken = try await edit(.stub(stub("a")))
    #expect(broken[0].contains("broken") && broken[0].contains("unknown key `nam`"))
    // What could not be read is what is begun with; left as it is it is broken still.
    texts = []
    editor { _ in nil }
    #expect(try await edit(.stub(stub("a")), draft: "nam: a\n")[0].contains("broken"))
    #expect(texts == ["yaml:nam: a\n"])
    #expect(try await edit(.stub(stub("a")), draft: yaml("c"))[0] == "editor 4 \(EditorResult.stub(stub("c")))")
    editor { $0 + "more" }
    #expect(
      try await edit(.text("one\n", fileExtension: "json"))[0] == "editor 4 \(EditorResult.text("one\nmore"))")
    #expect(texts.last == "json:one\n")
    editor { _ in nil }
    #expect(
      try await edit(.text("one", fileExtension: "txt"), draft: "two")[0] == "editor 4 \(EditorResult.unchanged)")
    #expect(
      try await edit(.text("one", fileExtension: "txt"), draft: "one")[0] == "editor 4 \(EditorResult.unchanged)")
    // One that fails changes nothing.
    for (status, told) in [
      (1, "ended with status 1"), (128, "ended with status 128"), (129, "was ended by signal 1"),
      (143, "was ended by signal 15"),
    ] as [(Int32, String)] {
      editor({ _ in nil }, status: status)
      #expect(
        try await edit(.stub(stub("a"))) == ["error: The editor \(told): nothing was changed here."])
    }
    for status in [126, 127] as [Int32] {
      editor({ _ in nil }, status: status)
      let said = try await edit(.stub(stub("a")))
      #expect(said.count == 1 && said[0].hasPrefix("error: The editor "))
      #expect(said[0].hasSuffix(" cannot be started: set $VISUAL or $EDITOR to one that is there."))
    }
    editor({ _ in "lost?" }, status: 1)
    let kept = try await edit(.stub(stub("a")))
    let file = try #require(kept.first?.firstMatch(of: /what it wrote is in (.+)\.$/)).1
    #expect(try String(contentsOfFile: String(file), encoding: .utf8) == "lost?")
    try FileManager.default.removeItem(atPath: String(file))
    // The files of all the others are gone.
    #expect(screen.programs.count == 15)
    #expect(screen.programs.allSatisfy { !FileManager.default.fileExists(atPath: $0.last ?? "") })
  }

  @Test func aFileIsBrowsedByAnotherConsole() async throws {
    let path = try folder.write("{}", to: "in.har")
    screen.program = { _ in 0 }
    #expect(try await doing(.openFile(path)) == ["resized 40x8"])
    #expect(screen.programs.map { Array($0.dropFirst()) } == [["open", path]])
    screen.program = { _ in 1 }
    let failed = try await doing(.openFile(path), 2)
    #expect(failed.count == 2 && failed[0] == "resized 40x8" && failed[1].hasPrefix("error: "))
    screen.program = { _ in 7 }
    let good = try folder.write(#"{"log":{"entries":[]}}"#, to: "good.har")
    #expect(try await doing(.openFile(good), 2) == ["resized 40x8", "error: \(good) was closed with status 7."])
    let none = folder.file("none")
    #expect(
      try await doing(.openFile(none)) == [
        "error: \(none) cannot be read: name a history, HAR or JSON Lines file."
      ])
    #expect(screen.programs.count == 3)
  }

  @Test func anArchiveIsRecorded() async throws {
    let line = JSONLines.line(exchange(1))
    let path = try folder.write(line + "\n" + line + "\nnothing\n", to: "in.jsonl")
    var said = try await doing(.importFile(path), 2)
    while said.last != "work ended" { said += try await told(1) }
    let reports = said.filter { $0.hasPrefix("imported") }
    #expect(reports.count == 1 && reports[0].hasPrefix("imported in.jsonl 2 1 "), "\(said)")
    #expect(bench.history.count == 2)
    said = try await doing(.importFile(folder.file("none.har")), 2)
    #expect(said.count == 2 && said[0].hasPrefix("error: ") && said[1] == "work ended", "\(said)")
  }

  /// However early, and however little there is to be read.
  @Test(arguments: [1, 2_000]) func anArchiveOfWhichTheReadingIsStoppedIsNotKept(_ lines: Int) async throws {
    let line = JSONLines.line(exchange(1)) + "\n"
    let path = try folder.write(String(repeating: line, count: lines), to: "in.jsonl")
    for _ in 0..<5 {
      worker.perform(.importFile(path), for: screen)
      await worker.stopWorks()
      let said = screen.taken()
      #expect(said.contains("info: The import was stopped; nothing of in.jsonl was kept."), "\(said)")
      #expect(try await bench.history.ids(from: 0, count: 10).isEmpty)
    }
  }

  @Test func pathsAreCompletedByWhatFitsThere() async throws {
    try FileManager.default.createDirectory(atPath: folder.file("paths/deep"), withIntermediateDirectories: true)
    for name in ["a.har", "A.HAR", "a.txt", "b.sqlite", "b.jsonl", ".a.har", "s.yaml", "s.yml", "s.json"] {
      try folder.write("", to: "paths/" + name)
    }
    try folder.write("", to: "paths/deep/only.txt")
    let head = folder.file("paths") + "/"
    func completed(_ text: String, _ isStubFile: Bool) async throws -> [String] {
      worker.perform(.completePath(head + text, isStubFile: isStubFile), for: screen)
      try await until("completions") { !screen.events.isEmpty }
      guard case .pathCompletions(let of, let found)? = screen.events.first else { return ["nothing"] }
      _ = screen.taken()
      #expect(of == head + text)
      return found.map { String($0.dropFirst(head.count)) }
    }
    #expect(try await completed("", false) == ["A.HAR", "a.har", "b.jsonl", "b.sqlite", "deep/"])
    #expect(try await completed("", true) == ["deep/", "s.json", "s.yaml", "s.yml"])
    #expect(try await completed("a", false) == ["a.har"])
    #expect(try await completed("a.t", false) == ["a.txt"], "where nothing fits, what is there")
    #expect(try await completed(".", false) == [".a.har"])
    #expect(try await completed("deep", false) == ["deep/"])
    #expect(try await completed("deep/", false) == ["deep/only.txt"])
    #expect(try await completed("none/", false) == [])
    #expect(try await completed("z", false) == [])
  }

  @Test func theScreenIsToldWhatIsThereAlready() async throws {
    try await record(exchange(1), exchange(2))
    worker.begin(screen)
    try await until("the runs") { screen.events.contains { if case .runs = $0 { true } else { false } } }
    let told = screen.taken()
    #expect(told[0] == "board [] -" && told[1] == "recorded 2" && told[2].hasPrefix("themes ["))
    #expect(told[3] == "switches pass -")
    #expect(told[4...] == ["runs 1 from 1 -"])
    await bench.history.close()
    await worker.ended()
  }

  /// A person types on, and moves down a list, faster than the record is read.
  @Test func ofEachQuestionOnlyTheNewestIsAnswered() async throws {
    try await record(exchange(1), exchange(2, "/y"), exchange(3))
    for token in 1...3 {
      worker.perform(.runQuery(ExchangeQuery(token: token, filter: "path:/x")), for: screen)
      worker.perform(.loadTrafficDetail(token: token, filter: "path:/x"), for: screen)
      worker.perform(.preview(token: token, RequestPattern(methods: ["GET"])), for: screen)
      worker.perform(.loadStubDetail(stub("stub-\(token)"), filter: "path:/x"), for: screen)
    }
    func newest() -> Int {
      screen.events.filter { event in
        switch event {
        case .ids(let batch): batch.token == 3 && batch.isLast
        case .trafficDetail(let token, _), .preview(let token, _): token == 3
        case .stubDetail(let detail): detail.stub.name == "stub-3"
        default: false
        }
      }.count
    }
    try await until("the answers") { newest() == 4 }
    var said = screen.taken()
    said += try await doing(.loadSummaries([2]))
    #expect(said.last == "summaries [2]" && said.allSatisfy { $0.hasPrefix("ids 3 ") || !$0.hasPrefix("ids ") })
    #expect(said.filter { $0.hasPrefix("traffic detail ") } == ["traffic detail 3"])
    #expect(said.filter { $0.hasPrefix("preview ") } == ["preview 3 3 of 3 [3, 2, 1]"])
    #expect(said.filter { $0.hasPrefix("stub ") } == ["stub stub-3 [3, 1] \(yaml("stub-3").count)"])
  }

  /// However it marks them, and where it leaves none.
  @Test func whatTheEditorLeavesIsReadAsText() async throws {
    var files: [String] = []
    func edited(_ bytes: [UInt8]?) async throws -> [String] {
      screen.program = { command in
        let file = command.last ?? ""
        files.append(file)
        if let bytes { try Data(bytes).write(to: URL(fileURLWithPath: file)) } else { unlink(file) }
        return 0
      }
      return try await doing(.openEditor(EditorJob(token: 4, content: .text("one", fileExtension: "txt"))))
    }
    for bytes in [
      [0x32, 0xC3, 0xA9], [0xEF, 0xBB, 0xBF, 0x32, 0xC3, 0xA9], [0xFF, 0xFE, 0x32, 0, 0xE9, 0],
      [0xFE, 0xFF, 0, 0x32, 0, 0xE9],
    ] as [[UInt8]] {
      #expect(try await edited(bytes)[0] == "editor 4 \(EditorResult.text("2é"))")
    }
    #expect(files.allSatisfy { !FileManager.default.fileExists(atPath: $0) })
    var said = try await edited([0x32, 0xFF])
    let kept = try #require(files.last)
    #expect(
      said == ["error: What the editor wrote is not UTF-8 text: nothing was changed here; it is in \(kept)."])
    #expect(FileManager.default.contents(atPath: kept) == Data([0x32, 0xFF]))
    try FileManager.default.removeItem(atPath: kept)
    said = try await edited(nil)
    #expect(said == ["error: The editor took \(files.last ?? "") away: nothing was changed."])
  }

  /// What was written before and could not be read is not lost by it.
  @Test func anEditorThatCannotBeStartedIsSaidBesideTheDraft() async throws {
    screen.program = { _ in throw RuntimeError("no terminal") }
    let sentence = "The editor cannot be started (no terminal): set $VISUAL or $EDITOR to one that is there."
    let content = EditorJob.Content.stub(stub("a"))
    #expect(try await doing(.openEditor(EditorJob(token: 4, content: content))) == ["error: " + sentence])
    #expect(
      try await doing(.openEditor(EditorJob(token: 5, content: content, draft: "nam: a"))) == [
        "editor 5 \(EditorResult.broken(sentence, text: "nam: a"))", "resized 40x8",
      ])
    #expect(screen.programs.count == 2)
    #expect(screen.programs.allSatisfy { !FileManager.default.fileExists(atPath: $0.last ?? "") })
  }

  @Test func theThemeThatItBeginsWithIsReadAgainWhenItIsSaved() async throws {
    let themes = folder.file("config/patchbay/themes")
    try FileManager.default.createDirectory(atPath: themes, withIntermediateDirectories: true)
    let name = screen.state.view.theme
    func write(_ inside: String) throws {
      try folder.write(
        "name: \(inside)\ncolors: { back: { rgb: \"#101418\", ansi: 0 } }\nroles: { text: { fg: back, bg: back } }\n",
        to: "config/patchbay/themes/\(name).yaml")
    }
    try write("first")
    worker.begin(screen)
    try write("second")
    try await until("the theme as it is now") { screen.taken().contains("theme second") }
    await bench.history.close()
    await worker.ended()
  }

  /// Nobody reads more; the state of each is asked of the disk.
  @Test func aThousandCompletionsAreEnough() async throws {
    try FileManager.default.createDirectory(atPath: folder.file("many"), withIntermediateDirectories: true)
    for number in 1000..<2001 {
      _ = FileManager.default.createFile(atPath: folder.file("many/\(number).har"), contents: nil)
    }
    worker.perform(.completePath(folder.file("many") + "/", isStubFile: false), for: screen)
    try await until("completions") { !screen.events.isEmpty }
    guard case .pathCompletions(_, let found)? = screen.events.first else { return #expect(Bool(false)) }
    #expect(found.count == 1_000 && found.last?.hasSuffix("/1999.har") == true)
  }

  private func enterWorkingFolder() throws -> String {
    let work = folder.file("work")
    try FileManager.default.createDirectory(atPath: work, withIntermediateDirectories: true)
    #expect(FileManager.default.changeCurrentDirectoryPath(work))
    return work
  }

  @Test(.alone) func stubsMadeOnScreenGoToANewFileInTheWorkingFolder() async throws {
    let before = FileManager.default.currentDirectoryPath
    let work = try enterWorkingFolder()
    defer { _ = FileManager.default.changeCurrentDirectoryPath(before) }
    worker.perform(.editStubs([.add(stub("a"), at: 0), .add(stub("b"), at: 1)]), for: screen)
    #expect(try await doing(.writeStubs).count == 1)
    defer { bench.stubFiles.stop() }
    #expect(try FileManager.default.contentsOfDirectory(atPath: work) == ["patchbay-stubs.yaml"])
    let file = work + "/patchbay-stubs.yaml"
    #expect(try StubFile.read(file).stubs.map(\.name) == ["a", "b"])
    // Whoever edits it goes on here.
    let text = "patchbay: 1\nstubs:\n- name: c\n  then: { fail: offline }\n"
    try text.write(toFile: file, atomically: true, encoding: .utf8)
    try await until("it is read again") { bench.server.board.stubs.map(\.name) == ["c"] }
  }

  /// All of it goes to the folder in which the console was started.
  @Test(.alone) func whatIsWrittenLiesInTheWorkingFolder() async throws {
    let before = FileManager.default.currentDirectoryPath
    let work = try enterWorkingFolder()
    defer { _ = FileManager.default.changeCurrentDirectoryPath(before) }
    var said = try await doing(.export(.jsonl, filter: ""), 2)
    #expect(said == ["info: There is no request to write.", "work ended"])
    try await record(exchange(1), exchange(2, "/y"), exchange(3))
    func ended() async throws -> [String] {
      var all: [String] = []
      while all.last != "work ended" { all += try await told(1) }
      return all.filter { !$0.hasPrefix("work") }
    }
    worker.perform(.export(.jsonl, filter: ""), for: screen)
    said = try await ended()
    #expect(said.count == 1 && said[0].wholeMatch(of: /good: Wrote 3 exchanges to .+, secrets masked\./) != nil)
    worker.perform(.export(.jsonl, filter: "path:/y"), for: screen)
    said = try await ended()
    #expect(said.count == 1 && said[0].wholeMatch(of: /good: Wrote 1 exchange to .+, secrets masked\./) != nil)
    worker.perform(.export(.jsonl, filter: "("), for: screen)
    said = try await ended()
    #expect(said.count == 1 && said[0].hasPrefix("error: "))
    worker.perform(.playOffline(filter: "path:/y"), for: screen)
    said = try await ended()
    #expect(said.count == 2 && said[0].hasPrefix("board [") && said[1].hasSuffix(" 1 new offline"))
    bench.stubFiles.stop()
    said = try await doing(.saveBody(1, .response, opens: false))
    let first = try #require(said[0].firstMatch(of: /^good: Saved 6 B to (.*)\.$/)).1
    #expect(try String(contentsOfFile: String(first), encoding: .utf8) == "answer" && first.hasPrefix(work + "/"))
    said = try await doing(.saveBody(1, .response, opens: false))
    let second = try #require(said[0].firstMatch(of: /^good: Saved 6 B to (.*)\.$/)).1
    #expect(first != second && (first as Substring).hasSuffix(".txt") == second.hasSuffix(".txt"))
    try await record(exchange(4) { $0.response?.truncated = true })
    said = try await doing(.saveBody(4, .response, opens: false))
    #expect(said[0].hasSuffix(". Only a part of it was recorded."))
    #expect(
      try await doing(.saveScreen) == [
        "good: Saved the screen to patchbay-screen.txt and patchbay-screen.svg."
      ])
    #expect(
      try await doing(.saveScreen) == [
        "good: Saved the screen to patchbay-screen-2.txt and patchbay-screen-2.svg."
      ])
    let text = try String(contentsOfFile: work + "/patchbay-screen.txt", encoding: .utf8)
    #expect(text == screen.state.draw().grid.text + "\n" && text.count > 10)
    #expect(try String(contentsOfFile: work + "/patchbay-screen.svg", encoding: .utf8).hasPrefix("<svg"))
  }

  @Test(.alone) func aRequestsBodyIsSavedAsItCame() async throws {
    let before = FileManager.default.currentDirectoryPath
    let work = try enterWorkingFolder()
    defer { _ = FileManager.default.changeCurrentDirectoryPath(before) }
    try await record(
      exchange(1) { $0.request.body = Data("question".utf8) },
      exchange(2) {
        $0.request.body = Data("quest".utf8)
        $0.request.truncated = true
      },
      exchange(3) { $0.response?.body = Data() })
    var said = try await doing(.saveBody(1, .request, opens: false))
    let path = try #require(said[0].firstMatch(of: /^good: Saved 8 B to (.*)\.$/)).1
    #expect(path.hasPrefix(work + "/1-request"))
    #expect(FileManager.default.contents(atPath: String(path)) == Data("question".utf8))
    said = try await doing(.saveBody(2, .request, opens: false))
    #expect(said[0].hasPrefix("good: Saved 5 B to ") && said[0].hasSuffix(". Only a part of it was recorded."))
    said = try await doing(.saveBody(2, .response, opens: false))
    #expect(said[0].hasPrefix("good: Saved 6 B to ") && !said[0].hasSuffix("recorded."), "that of the answer is whole")
    #expect(try await doing(.saveBody(3, .response, opens: false)) == ["info: There is no response body."])
    #expect(try FileManager.default.contentsOfDirectory(atPath: work).count == 3)
  }
}
