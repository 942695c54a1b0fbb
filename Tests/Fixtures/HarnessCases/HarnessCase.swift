import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// One thing that a program does with `URLSession`, and the telling of what it saw.
public struct HarnessCase: Sendable {
  public let name: String
  /// It is over when a second has passed.
  let waits: Bool
  let body: @Sendable (HarnessContext) async throws -> Void

  init(_ name: String, waits: Bool = false, _ body: @escaping @Sendable (HarnessContext) async throws -> Void) {
    self.name = name
    self.waits = waits
    self.body = body
  }

  public static let all =
    DataCases.all + DelegateCases.all + DownloadCases.all + UploadCases.all + RedirectCases.all + ErrorCases.all
    + StateCases.all + SessionCases.all + OddCases.all + MethodCases.all + LifeCases.all + MockCases.all
    + HostileCases.all + TaskCases.all + QueueCases.all + RequestCases.all + ContentCases.all + StorageCases.all
    + CallbackCases.all + TransferCases.all + StreamCases.all + WrapperCases.all + LeakCases.all + SocketCases.all
    + OwnProtocolCases.all + LibraryCases.all

  /// Runs the case; it is given up after 20 seconds.
  public func run(base: String, configure: @escaping HarnessContext.Configure = { _ in }) async -> [String] {
    let host = URL(string: base).map { "\($0.host ?? ""):\($0.port ?? 80)" } ?? base
    let transcript = Transcript(host: host)
    let context = HarnessContext(base: base, transcript: transcript, configure: configure)
    await withTaskGroup(of: Bool.self) { group in
      group.addTask {
        do { try await body(context) } catch { context.note(error) }
        return true
      }
      group.addTask {
        try? await Task.sleep(for: .seconds(20))
        return false
      }
      if await group.next() == false {
        // The case cannot be stopped, so what it has said so far is all there is.
        print("== \(name)\n\((transcript.lines + ["GIVEN UP"]).joined(separator: "\n"))")
        exit(3)
      }
      group.cancelAll()
    }
    return transcript.lines
  }
}

/// The command line of a harness: `BASE-URL [CASE…]` runs all cases or those, `--list` names them.
public enum HarnessMain {
  public static func run(configure: @escaping HarnessContext.Configure = { _ in }) async {
    var arguments = Array(CommandLine.arguments.dropFirst())
    if arguments.first == "--list" { return print(HarnessCase.all.map(\.name).joined(separator: "\n")) }
    guard !arguments.isEmpty else {
      print("usage: plain-harness BASE-URL [CASE…] | --list")
      exit(64)
    }
    let base = arguments.removeFirst()
    MockCases.register()
    let wanted = HarnessCase.all.filter { arguments.isEmpty || arguments.contains($0.name) }
    // Those that wait do it together: Foundation keeps a processor busy for each meanwhile.
    await withTaskGroup(of: (String, [String]).self) { group in
      for item in wanted where item.waits {
        group.addTask { (item.name, await item.run(base: base, configure: configure)) }
      }
      for await (name, lines) in group { tell(name, lines) }
    }
    for item in wanted where !item.waits { tell(item.name, await item.run(base: base, configure: configure)) }
  }

  private static func tell(_ name: String, _ lines: [String]) {
    print("== \(name)")
    for line in lines { print(line) }
    fflush(nil)
  }
}
