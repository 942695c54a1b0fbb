#if os(Linux)
  import Foundation
  import PatchbayTestSupport

  @testable import PatchbayLaunch

  /// The program `session-maker` with the real preload library in it, in a folder of one test's own.
  struct PreloadedProgram {
    static let builtIn = "_HTTPURLProtocol,_FTPURLProtocol,_WebSocketURLProtocol"
    static let hooked = "PatchbayURLProtocol," + builtIn
    static let preload = BuiltProduct.path(HookLibraries.preloadName)
    static let hook = BuiltProduct.path(HookLibraries.hookName)

    let place: TemporaryFolder
    private let temporary: TemporaryFolder
    let notes: String
    var environment: ChildEnvironment

    /// - Parameter unmatched: What was promised of requests that no stub takes.
    init(unmatched: String? = nil) throws {
      place = try TemporaryFolder("pb preload")
      temporary = try TemporaryFolder("pb-preload")
      notes = try place.file("notes")
      let folders = PrivateFolders(environment: { _ in nil }, temporary: temporary.path, user: geteuid())
      environment = try HookLibraries(preload: Self.preload, hook: Self.hook)
        .environment(socket: "\(place.path)/none.sock", notes: notes, unmatched: unmatched, folders: folders)
    }

    /// What it says, line by line, and its status.
    func run(_ words: String...) async throws -> (lines: [String], status: Int32) {
      let all = [BuiltProduct.path("session-maker")] + words
      let recorder = try CommandRecorder(all.map { ByteString($0) }, environment: environment)
      let (status, output) = await recorder.end()
      return (output.split(whereSeparator: \.isNewline).map(String.init), status)
    }

    /// What was noted since this was last asked: program, reason and detail.
    func noted() throws -> [String] {
      let lines = try String(contentsOfFile: notes, encoding: .utf8).split(separator: "\n")
      try Data().write(to: URL(fileURLWithPath: notes))
      return lines.map {
        $0.split(separator: "\t", omittingEmptySubsequences: false).dropFirst().joined(separator: " ")
      }
    }
  }
#endif
