import Foundation
import PatchbayConsole
import PatchbayGrid
import PatchbayHistory
import PatchbayInspect
import PatchbayLaunch
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayRuntime

/// Small parts of the runtime.
@Suite(.bounded) struct RuntimePartsTests {
  @Test func statusesAreThoseThatThePagesName() {
    #expect([ExitStatus.success, ExitStatus.failed, ExitStatus.broken, ExitStatus.unacknowledged] == [0, 1, 3, 4])
    #expect(ExitStatus.signal(SIGTERM) == 143 && ExitStatus.signal(SIGINT) == 130)
  }

  @Test(arguments: [
    ("", "patchbay: \n", "\n"), ("one", "patchbay: one\n", "one\n"),
    ("a\nb", "patchbay: a␊b\n", "a\nb\n"), ("a\n", "patchbay: a␊\n", "a\n\n"),
    ("\u{1B}[2J", "patchbay: ␛[2J\n", "␛[2J\n"),
  ])
  func whatIsSaidDoesNothingToTheTerminal(_ text: String, _ sentence: String, _ lines: String) {
    #expect(StandardError.line(text) == sentence)
    #expect(StandardError.lines(text) == lines)
  }

  @Test func theSystemsReasonIsFoundBehindOtherErrors() {
    let own = RuntimeError("a sentence")
    #expect(SystemCause.code(own) == nil && SystemCause.reason(own) == nil && own.errorDescription == "a sentence")
    #expect(!own.isUsage && RuntimeError("x", isUsage: true).isUsage)
    let plain = POSIXError(.ENOSPC)
    #expect(SystemCause.code(plain) == ENOSPC && SystemCause.reason(plain) == "No space left on device")
    func wrapped(_ error: NSError) -> NSError {
      NSError(domain: "other", code: 5, userInfo: [NSUnderlyingErrorKey: error])
    }
    #expect(SystemCause.code(wrapped(wrapped(plain as NSError))) == ENOSPC)
    #expect(SystemCause.code(wrapped(NSError(domain: "third", code: ENOENT.asInt))) == nil)
  }

  @Test func whatIsCheckedMakesTheStatusThatOfTheChecks() {
    func has(_ change: (inout ConsoleOptions) -> Void) -> Bool {
      var options = ConsoleOptions()
      change(&options)
      return options.hasChecks
    }
    #expect(!has { _ in })
    #expect(has { $0.expect = ["a"] } && has { $0.forbid = ["a"] } && has { $0.expectStubsUsed = true })
    #expect(!has { ($0.report, $0.record, $0.log) = ("r", "r", "l") })
    var checks = ConsoleOptions()
    checks.expect = ["a"]
    for (reason, status, isExcused) in [
      (.time, 143, true), (.idle, 143, true), (.time, 137, true), (.signal(SIGINT), 143, true), (.time, 1, false),
      (.time, 130, false), (.commandEnded, 143, false),
    ] as [(EndCondition.Reason, Int32, Bool)] {
      #expect(reason.excuses(status, of: checks) == isExcused && !reason.excuses(status, of: ConsoleOptions()))
    }
    let usual = ConsoleOptions()
    #expect(!usual.trustPeer && !usual.observe && !usual.keepStubs && !usual.redact && !usual.timeoutsRunWhileHeld)
    #expect(!usual.headless && !usual.expectStubsUsed && !usual.force && !usual.withSecrets)
  }

  @Test func aMomentIsNamedBySince() throws {
    #expect(try FilterArgument.since("2024-01-02").text == "since:2024-01-02")
    let error = #expect(throws: RuntimeError.self) { try FilterArgument.since("whenever") }
    #expect(error?.description.hasPrefix("--since “whenever” cannot be read: ") == true && error?.isUsage == true)
    #expect(error?.description.hasSuffix(".") == true)
  }

  // MARK: Themes

  @Test func themesOfThePersonComeBeforeTheOthers() throws {
    let place = try TestFolders()
    let folder = place.folder.file("config/patchbay/themes")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let catalog = ThemeCatalog(folders: place.folders)
    #expect(catalog.folders.first == folder)
    #expect(catalog.folders.count == 6 && catalog.folders[1].hasSuffix("/share/patchbay/themes"))
    #expect(catalog.folders[2...].allSatisfy { $0.hasSuffix("/Themes") })
    let lengths = catalog.folders[2...].map(\.count)
    #expect(lengths == lengths.sorted(by: >))
    let shipped = catalog.names
    #expect(shipped == shipped.sorted() && shipped.contains("dark") && Set(shipped).count == shipped.count)
    let text = "colors: { back: { rgb: \"#101418\", ansi: 0 } }\nroles: { text: { fg: back, bg: back } }\n"
    for name in ["mine", "dark"] {
      try place.folder.write("name: \(name)\n" + text, to: "config/patchbay/themes/\(name).yaml")
    }
    try place.folder.write("", to: "config/patchbay/themes/notes.txt")
    #expect(catalog.names == (shipped + ["mine"]).sorted())
    #expect(catalog.file("mine") == folder + "/mine.yaml" && catalog.file("dark") == folder + "/dark.yaml")
    #expect(catalog.shippedFile("dark")?.hasSuffix("/Themes/dark.yaml") == true && catalog.shippedFile("mine") == nil)
    #expect(catalog.file("nowhere") == nil && catalog.file("/a/b") == "/a/b")
    #expect(catalog.file("x.yaml") == FileManager.default.currentDirectoryPath + "/x.yaml")
    #expect(try catalog.load("mine").name == "mine")
    let error = #expect(throws: RuntimeError.self) { try catalog.load("nowhere") }
    #expect(error?.description == "There is no theme nowhere: choose one of \(catalog.names.joined(separator: ", ")).")
  }

  /// The one that is always there is the shipped file's, which people copy.
  @Test func theBuiltInThemeIsTheOneThatIsShipped() throws {
    let place = try TestFolders()
    let shipped = try ThemeCatalog(folders: place.folders).load("dark")
    for role in ThemeRole.allCases { #expect(shipped[role] == Theme.builtIn[role], "\(role)") }
    #expect(shipped.name == Theme.builtIn.name)
  }

  @Test func aThemesLooksAreThoseOfItsFile() throws {
    let place = try TestFolders()
    let path = try place.folder.write(
      """
      name: mine
      colors:
        back: { rgb: "#101418", ansi: 4, palette: 17 }
        plain: 9
        high: 200
      roles:
        text: { fg: plain, bg: back, bold: true, underline: true }
        selection: { fg: high, bg: default, dim: true, italic: true, reverse: true }

      """, to: "mine.yaml")
    let catalog = ThemeCatalog(folders: place.folders)
    let theme: Theme
    do { theme = try catalog.load(path) } catch {
      Issue.record("\(error)")
      return
    }
    #expect(theme.name == "mine")
    #expect(theme[.text].foreground == .ansi(9) && theme[.text].background == .rgb(0x101418, fallback: 4))
    #expect(theme[.text].attributes == [.bold, .underline])
    #expect(theme[.selection].foreground == .palette(200) && theme[.selection].background == .default)
    #expect(theme[.selection].attributes == [.dim, .italic, .reverse])
    #expect(theme.reduced(to: .palette256)[.text].background == .palette(17))
  }

  /// The first sixteen are the terminal's own.
  @Test func numbersOfAThemeAreColoursOfTheTerminalUpToFifteen() throws {
    let place = try TestFolders()
    let path = try place.folder.write(
      "name: mine\ncolors:\n  edge: 15\n  next: 16\nroles:\n  text: { fg: edge, bg: next }\n", to: "mine.yaml")
    let theme = try ThemeCatalog(folders: place.folders).load(path)
    #expect(theme[.text].foreground == .ansi(15) && theme[.text].background == .palette(16))
  }

  // MARK: Rest

  @Test @MainActor func restBeginsWhenNothingHasHappenedForAWhile() async throws {
    var log: [String] = []
    let rest = RestWatch(after: .milliseconds(60), suspend: { log.append("rest") }, resume: { log.append("wake") })
    func until(_ count: Int) async throws {
      let limit = ContinuousClock.now + Patience.usual
      while log.count < count {
        guard ContinuousClock.now < limit else { throw WaitedInVain(description: "waited in vain: \(log)") }
        try await Task.sleep(for: .milliseconds(2))
      }
    }
    for round in 1...2 {
      rest.stir()
      rest.stir()
      #expect(log.count == 2 * round - 1)
      var last = ContinuousClock.now
      for _ in 0..<10 {
        try await Task.sleep(for: .milliseconds(15))
        guard log.count == 2 * round - 1 else { break }
        last = .now
        rest.stir()
      }
      try await until(2 * round)
      #expect(ContinuousClock.now - last >= .milliseconds(60))
    }
    #expect(log == ["wake", "rest", "wake", "rest"])
  }
}

extension Int32 {
  fileprivate var asInt: Int { Int(self) }
}
