import Dispatch
import PatchbayHistory
import PatchbayInspect
import PatchbayServer
import PatchbayStubs
import PatchbayWire
import Synchronization

/// A console without its face: the sockets, the record and the stub files. A screen or a printer listens to its fan.
package final class Workbench: Sendable {
  package let plan: WorkbenchPlan
  package let server: ConsoleServer
  let history: HistoryStore
  let stubFiles: StubFileSet
  let fan: EventFan
  /// What went wrong on the way and is to be told, such as a history that could not be opened.
  let notices: [String]
  private let signpost = Mutex<Signpost?>(nil)

  /// Opens the history (in memory where the file cannot be used) and reads the stub files.
  ///
  /// - Throws: a sentence when a stub file has mistakes.
  init(_ plan: WorkbenchPlan) throws {
    self.plan = plan
    let fan = EventFan()
    self.fan = fan
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
    let redacts = plan.redacts
    server = ConsoleServer(configuration: configuration, delegate: ControlBridge(history: history)) { event in
      guard redacts, case .exchanges(let exchanges) = event else { return fan.deliver(event) }
      fan.deliver(.exchanges(exchanges.map(Redaction.standard.redacted)))
    }
    fan.add { [history] event in
      guard case .exchanges(let exchanges) = event, !history.record(exchanges) else { return }
      Self.waitForRoom(in: history)
    }
  }

  /// Binds the sockets and puts the stubs of the files in force.
  func start() async throws {
    try await server.start()
    if plan.isSocketNamedByHand, let folder = plan.runtimeFolder {
      let control = ServerConfiguration.controlSocket(beside: plan.socket)
      signpost.withLock { $0 = Signpost(in: folder, to: control) }
    }
    try stubFiles.putInForce(on: server)
  }

  /// Ends the links, writes what is left, and removes the sockets.
  func stop() async {
    stubFiles.stop()
    signpost.withLock { $0?.remove() }
    await server.stop()
    await history.close()
  }

  /// The sink may block: then the harnesses' reports wait, and nothing else does.
  private static func waitForRoom(in history: HistoryStore) {
    let gate = DispatchSemaphore(value: 0)
    Task {
      await history.room()
      gate.signal()
    }
    gate.wait()
  }
}
