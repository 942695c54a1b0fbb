import PatchbayFiles
import PatchbayHistory
import PatchbayInspect
import PatchbayLaunch
import PatchbayServer
import PatchbayStubs
import PatchbayWire

/// What a console is to be: the options, with folders and the config file worked out.
package struct WorkbenchPlan: Sendable {
  package enum Mode: String, Sendable {
    case run
    case listen
    case demo
  }

  var mode: Mode
  package var socket: String
  var isSocketNamedByHand: Bool
  /// Where controllers look for consoles; nil where there can be no such folder.
  var runtimeFolder: String?
  var history: HistoryStore.Place
  var retention: Retention
  var stubFiles: [String]
  var settings: HookSettings
  var unmatched: StubSet.Unmatched
  var redacts: Bool
  var filter: Filter
  /// What cannot be as usual and is to be told.
  var notices: [String] = []

  /// - Parameter extraStubs: stub files that come before those of the options.
  init(
    _ mode: Mode, options: ConsoleOptions, config: ConfigFile, folders: PrivateFolders, extraStubs: [String] = []
  ) throws {
    self.mode = mode
    isSocketNamedByHand = options.socket != nil
    runtimeFolder = try? folders.runtime()
    if let socket = options.socket {
      self.socket = try SocketPath.checked(AbsolutePath.of(socket))
    } else {
      socket = try mode == .listen ? folders.defaultSocket() : folders.privateSocket(for: mode.rawValue)
    }
    let named = options.history ?? (mode == .demo ? ":memory:" : config.history.path)
    do {
      history = try named == ":memory:" ? .memory : .file(named.map(AbsolutePath.of) ?? folders.history())
    } catch {
      history = .memory
      notices.append("\(error). Exchanges are kept in memory only.")
    }
    retention = config.retention(else: history == .memory ? .memory : Retention())
    stubFiles = extraStubs + (options.stubs.isEmpty ? config.stubs : options.stubs)
    settings = HookSettings(
      degree: options.observe ? .observe : .full, hosts: config.hostDegrees,
      keepStubs: options.keepStubs || config.keepStubs == true,
      timeoutRunsWhileHeld: options.timeoutsRunWhileHeld || config.timeoutsRunWhileHeld == true)
    let limit = try options.bodyLimit ?? config.bodyLimit.map(BodyLimit.init(bytes:))
    if let limit { (settings.requestBodyLimit, settings.bodyLimit) = (limit.bytes, limit.bytes) }
    unmatched = options.unmatched ?? config.unmatched ?? .pass
    redacts = options.redact || config.redact == true
    filter = try FilterArgument.parse(options.filter, option: "--filter")
  }
}
