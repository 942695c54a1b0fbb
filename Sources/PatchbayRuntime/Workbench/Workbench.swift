import Dispatch
import PatchbayHistory
import PatchbayInspect
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
  let stubFiles: StubFileSet
  /// What went wrong on the way and is to be told, such as a history that could not be opened.
  let notices: [String]
  private let controlLink = Mutex<ControlSocketLink?>(nil)

  /// Opens the history (in memory where the file cannot be used) and reads the stub files.
  ///
  /// - Throws: a sentence when a stub file has mistakes.
  init(_ plan: WorkbenchPlan) throws {
    self.plan = plan
    var notices = plan.notices
    do {
      history = try HistoryStore.open(plan.history, retention: plan.retention)
    } catch {
      notices.append("\(error) Exchanges are kept in memory only.")
      history = try HistoryStore.open(.memory)
    }
    self.notices = notices
    stubFiles = try StubFileSet(plan.stubFiles)
    var configuration = ServerConfiguration(
      socket: plan.socket, socketNamedByHand: plan.isSocketNamedByHand,
      controlSocket: ServerConfiguration.controlSocket(beside: plan.socket), settings: plan.settings,
      unmatched: plan.unmatched)
    configuration.firstExchangeID = history.nextID
    configuration.limits.body = Int(clamping: plan.settings.bodyLimit)
    server = ConsoleServer(
      configuration: configuration, delegate: ControlBridge(history: history),
      masking: plan.redacts ? Redaction.standard.redacted : nil)
    // The first subscriber: what others learn of is in the record's queue already.
    server.events.subscribe { [history] events in
      for case .exchanges(let exchanges) in events where !history.record(exchanges) { Self.waitForRoom(in: history) }
    }
  }

  /// Binds the sockets and puts the stubs of the files in force.
  func start() async throws {
    try await server.start()
    if plan.isSocketNamedByHand, let folder = plan.runtimeFolder {
      let control = ServerConfiguration.controlSocket(beside: plan.socket)
      controlLink.withLock { $0 = ControlSocketLink(in: folder, to: control) }
    }
    try stubFiles.putInForce(on: server)
  }

  /// Ends the links, writes what is left, and removes the sockets.
  func stop() async {
    stubFiles.stop()
    controlLink.withLock { $0?.remove() }
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
