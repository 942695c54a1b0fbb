import Dispatch
import Foundation
import PatchbayFiles
import PatchbayHistory
import PatchbayInspect
import PatchbayLaunch
import PatchbayServer
import PatchbayStubs
import PatchbayWire
import Synchronization

/// A console without its face: the sockets, the record and the stub files. A screen or a printer subscribes to its
/// server's events.
package final class Workbench: Sendable {
  package let plan: WorkbenchPlan
  package let server: ConsoleServer
  let history: HistoryStore
  /// What is browsed, where that is a file and no program.
  let opened: OpenedFile?
  let stubFiles: StubFileSet
  /// The programs that this console was attached to.
  package let guests = Guests()
  /// What went wrong on the way and is to be told, such as a history that could not be opened.
  let notices: [String]
  private let controlLink = Mutex<ControlSocketLink?>(nil)
  private let historyWatch = Mutex<FileWatcher?>(nil)

  /// Opens the history (in memory where the file cannot be used) and reads the stub files.
  ///
  /// - Throws: a sentence when a stub file has mistakes.
  init(_ plan: WorkbenchPlan, opened: OpenedFile? = nil) throws {
    self.plan = plan
    self.opened = opened
    var notices = plan.notices + (opened?.notices ?? [])
    do {
      history = try opened?.history ?? HistoryStore.open(plan.history, retention: plan.retention)
    } catch {
      notices.append("\(error) Exchanges are kept in memory only.")
      history = try HistoryStore.open(.memory)
    }
    self.notices = notices
    stubFiles = try StubFileSet(plan.stubFiles)
    var configuration = ServerConfiguration(
      socket: plan.socket, trustsPeers: plan.trustsPeers,
      controlSocket: ServerConfiguration.controlSocket(beside: plan.socket), settings: plan.settings,
      unmatched: plan.unmatched)
    configuration.firstExchangeID = history.nextID
    configuration.newExchangeID = { [history] in history.reserveIDs(1) }
    configuration.run = history.session
    configuration.otherUser = plan.otherUser
    configuration.limits.body = Int(clamping: plan.settings.bodyLimit)
    server = ConsoleServer(
      configuration: configuration, delegate: ControlBridge(history: history, guests: guests),
      masking: plan.redacts ? Redaction.standard.redacted : nil)
    // The first subscriber: what others learn of is in the record's queue already.
    server.events.subscribe { [history] events in
      for case .exchanges(let exchanges) in events where !history.record(exchanges) { Self.waitForRoom(in: history) }
    }
  }

  /// Puts the stubs of the files in force, then binds the sockets: whoever links has them from the first push on.
  func start() async throws {
    guard opened == nil else { return }
    try stubFiles.putInForce(on: server)
    do {
      try await server.start()
    } catch {
      stubFiles.stop()
      throw error
    }
    // One that lies elsewhere is to be found by controllers all the same.
    if let folder = plan.runtimeFolder {
      let control = ServerConfiguration.controlSocket(beside: plan.socket)
      controlLink.withLock { $0 = ControlSocketLink(in: folder, to: control) }
    }
    if case .file(let path) = history.place {
      let watch = FileWatcher([path, path + "-wal"], everyWrite: true) { [history] _ in history.look() }
      historyWatch.withLock { $0 = watch }
    }
  }

  /// Ends the links, writes what is left, and removes the sockets.
  func stop() async {
    guests.leave()
    stubFiles.stop()
    controlLink.withLock { $0?.remove() }
    historyWatch.withLock { $0.take() }?.cancel()
    await server.stop()
    await history.close()
  }

  /// Nothing of the record may be lost: while its queue is full no events are delivered, and then no links are read.
  private static func waitForRoom(in history: HistoryStore) {
    let gate = DispatchSemaphore(value: 0)
    Task {
      await history.room()
      gate.signal()
    }
    gate.wait()
  }
}

/// What a console is to be: the options, with folders and the config file worked out.
package struct WorkbenchPlan: Sendable {
  package enum Mode: String, Sendable {
    case run
    case attach
    case listen
    case demo
    /// A file is browsed: there are no sockets.
    case open
  }

  var mode: Mode
  package var socket: String
  /// The user of the program that is attached to, where that is another one.
  var otherUser: uid_t?
  var trustsPeers: Bool
  /// Where controllers look for consoles; nil where there can be no such folder.
  var runtimeFolder: String?
  var history: HistoryStore.Place
  var retention: Retention
  var stubFiles: [String]
  var settings: HookSettings
  var unmatched: StubSet.Unmatched
  var redacts: Bool
  /// Secrets are left as they are in what is exported.
  var withSecrets: Bool
  var filter: Filter
  /// What cannot be as usual and is to be told.
  var notices: [String] = []

  /// - Parameters:
  ///   - extraStubs: stub files that come before those of the options.
  ///   - target: what `attach` attends to.
  init(
    _ mode: Mode, options: ConsoleOptions, config: ConfigFile, folders: PrivateFolders, extraStubs: [String] = [],
    target: AttachTarget? = nil
  ) throws {
    self.mode = mode
    trustsPeers = options.trustPeer
    runtimeFolder = try? folders.runtime()
    otherUser = target?.otherUser
    if let socket = target?.socket {
      guard options.socket == nil else {
        throw RuntimeError("\(target?.title ?? "The program") would not find that socket: leave --socket out.")
      }
      self.socket = try SocketPath.checked(socket)
    } else if let socket = options.socket {
      self.socket = try SocketPath.checked(AbsolutePath.of(socket))
    } else {
      socket = try mode == .listen ? folders.defaultSocket() : folders.privateSocket(for: mode.rawValue)
    }
    let named = options.history ?? (mode == .demo || mode == .open ? ":memory:" : config.history.path)
    do {
      history = try named == ":memory:" ? .memory : .file(named.map(AbsolutePath.of) ?? folders.history())
    } catch {
      history = .memory
      notices.append("\(error). Exchanges are kept in memory only.")
    }
    retention = config.retention(else: history == .memory ? .memory : Retention())
    stubFiles = mode == .open ? [] : extraStubs + (options.stubs.isEmpty ? config.stubs : options.stubs)
    settings = HookSettings(
      degree: options.observe ? .observe : .full, hosts: config.hostDegrees,
      keepStubs: options.keepStubs || config.keepStubs == true,
      timeoutRunsWhileHeld: options.timeoutsRunWhileHeld || config.timeoutsRunWhileHeld == true)
    let limit = try options.bodyLimit ?? config.bodyLimit.map(BodyLimit.init(bytes:))
    if let limit { (settings.requestBodyLimit, settings.bodyLimit) = (limit.bytes, limit.bytes) }
    unmatched = options.unmatched ?? config.unmatched ?? .pass
    if unmatched != .pass, options.observe {
      throw RuntimeError(
        "--observe intercepts nothing, so that nothing can be made to \(unmatched): leave it out, or add --unmatched pass."
      )
    }
    withSecrets = options.withSecrets
    redacts = options.redact || config.redact == true
    filter = try FilterArgument.parse(options.filter, option: "--filter")
  }
}

/// What controllers ask of the record.
private struct ControlBridge: ControlDelegate {
  let history: HistoryStore
  let guests: Guests

  func letGo(of process: Int32) -> Int32? { guests.detach(process) }

  func exchangePredicate(_ filter: String) throws -> @Sendable (Exchange) -> Bool {
    let filter = try FilterArgument.parse(filter)
    return { filter.matches($0) }
  }

  func exchangeJSON(_ exchange: Exchange) -> String { JSONLines.line(exchange) }

  var historyFile: String? {
    guard case .file(let path) = history.place else { return nil }
    return path
  }

  func history(filter: String, limit: Int?) async throws -> [String] {
    try await history.flush()
    let filter = try FilterArgument.parse(filter)
    return try await HistoryQuery(history: history).exchanges(filter, limit: limit).map(JSONLines.line)
  }
}
