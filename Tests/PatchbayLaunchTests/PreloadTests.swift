#if os(Linux)
  import Foundation
  import PatchbayTestSupport
  import Testing

  @testable import PatchbayLaunch

  /// The real libraries in a program that knows nothing of them.
  @Suite(
    .bounded,
    .disabled(if: dlsym(nil, "__tsan_init") != nil, "a sanitizer's runtime cannot be preloaded beside ours"))
  struct PreloadTests {
    static let builtIn = "_HTTPURLProtocol,_FTPURLProtocol,_WebSocketURLProtocol"
    static let hooked = "PatchbayURLProtocol," + builtIn

    let place: TemporaryFolder
    private let temporary: TemporaryFolder
    let folders: PrivateFolders

    init() throws {
      place = try TemporaryFolder("pb preload")
      temporary = try TemporaryFolder("pb-preload")
      folders = PrivateFolders(environment: { _ in nil }, temporary: temporary.path, user: geteuid())
    }

    /// In which no console is, so that the hook sleeps.
    private func environment(
      _ libraries: HookLibraries? = nil, notes: LaunchNotes? = nil
    ) throws -> ChildEnvironment {
      let libraries =
        libraries
        ?? HookLibraries(
          preload: BuiltProduct.path(HookLibraries.preloadName), hook: BuiltProduct.path(HookLibraries.hookName))
      return try libraries.environment(socket: "\(place.path)/none.sock", notes: notes?.path, folders: folders)
    }

    private func run(_ words: [String], _ environment: ChildEnvironment) async throws -> (
      status: Int32, lines: [String]
    ) {
      let recorder = try CommandRecorder(words.map { ByteString($0) }, environment: environment)
      let (status, output) = await recorder.end()
      return (status, output.split(whereSeparator: \.isNewline).map(String.init))
    }

    private func expectHooked(_ lines: [String]) {
      let ways = Dictionary(
        uniqueKeysWithValues: lines.map { line in
          let parts = line.split(separator: " ", maxSplits: 1).map(String.init)
          return (parts[0], parts.count > 1 ? parts[1] : "")
        })
      for way in ["default", "ephemeral", "delegate", "queue"] { #expect(ways[way] == Self.hooked, "\(way)") }
      #expect(ways["mocked"] == "OwnMock," + Self.hooked)
      for way in ["shared", "again"] {
        #expect(ways[way]?.hasPrefix("PatchbayURLProtocol") == true, "\(way): \(ways[way] ?? "")")
      }
      #expect(ways["untouched"] == "OwnMock," + Self.builtIn, "the program's own configuration stays as it was")
    }

    @Test func everyWayToMakeASessionIsMet() async throws {
      let (status, lines) = try await run([BuiltProduct.path("session-maker")], environment())
      #expect(status == 0)
      expectHooked(lines)
    }

    @Test func withoutThePreloadNothingIsThere() async throws {
      let (_, lines) = try await run([BuiltProduct.path("session-maker")], .current())
      #expect(lines.contains("default " + Self.builtIn))
    }

    @Test func shellsAndPipesInBetweenPassItOn() async throws {
      let script = "'\(BuiltProduct.path("session-maker"))' | cat; exit 5"
      let (status, lines) = try await run(["sh", "-c", script], environment())
      #expect(status == 5)
      expectHooked(lines)
    }

    @Test func aFolderWithSpacesColonsAndDollarsIsNoHindrance() async throws {
      let folder = try place.folder("a b:c $LIB")
      for name in [HookLibraries.preloadName, HookLibraries.hookName] {
        try FileManager.default.createSymbolicLink(
          atPath: "\(folder)/\(name)", withDestinationPath: BuiltProduct.path(name))
      }
      let libraries = try HookLibraries.find(beside: "\(folder)/patchbay")
      let environment = try environment(libraries)
      #expect(HookLibraries.canBePreloaded(try #require(environment["LD_PRELOAD"])))
      let (status, lines) = try await run([BuiltProduct.path("session-maker")], environment)
      #expect(status == 0)
      expectHooked(lines)
      unlink(try libraries.preloadPath(in: folders))
      unlink(try libraries.hookPath(in: folders))
    }

    @Test func foundationsOwnLoadsGoThroughTheHookUnchanged() async throws {
      let server = try LoopbackServer()
      defer { server.stop() }
      let there = "http://127.0.0.1:\(server.port)/json"
      let gone = "http://127.0.0.1:1/"
      for address in [there, gone] {
        let bare = try await run([BuiltProduct.path("session-maker"), address], .current())
        let hooked = try await run([BuiltProduct.path("session-maker"), address], environment())
        #expect(bare.lines.count >= 3)
        #expect(bare.lines == hooked.lines)
      }
    }

    @Test func aHookThatIsGoneIsNotedAndNothingIsSaid() async throws {
      let notes = try LaunchNotes(folders: folders)
      let libraries = HookLibraries(
        preload: BuiltProduct.path(HookLibraries.preloadName), hook: "\(place.path)/gone.so")
      let (status, lines) = try await run([BuiltProduct.path("session-maker")], environment(libraries, notes: notes))
      #expect(status == 0)
      #expect(lines.contains("default " + Self.builtIn))
      #expect(lines.count == 8)
      let note = try #require(notes.read().first)
      #expect(note.reason == .notLoaded)
      #expect(note.name == "session-maker")
      #expect(note.detail.contains("gone.so"))
    }

    @Test func theHookStaysOutOfAnotherRuntime() async throws {
      let notes = try LaunchNotes(folders: folders)
      var environment = try environment(notes: notes)
      #expect(environment["PATCHBAY_RUNTIME"]?.contains("libswiftCore.so=") == true)
      environment["PATCHBAY_RUNTIME"] = "libswiftCore.so=0123456789abcdef"
      let (status, lines) = try await run([BuiltProduct.path("session-maker")], environment)
      #expect(status == 0)
      #expect(lines.contains("default " + Self.builtIn))
      #expect(notes.read().map(\.reason) == [.differentRuntime])
      #expect(notes.read().first?.detail == "libswiftCore.so")
    }

    @Test func otherProgramsDoNotNoticeIt() async throws {
      let (status, lines) = try await run(["sh", "-c", "echo one; ls / > /dev/null; echo two"], environment())
      #expect(status == 0)
      #expect(lines == ["one", "two"])
    }
  }
#endif
