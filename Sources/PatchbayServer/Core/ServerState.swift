import NIOCore
import PatchbayStubs
import PatchbayWire

/// Everything that the server knows; guarded by the core's lock.
struct ServerState {
  var keeper: StubKeeper
  var gatherer: ExchangeGatherer
  var links: [LinkID: LinkEntry] = [:]
  var pending = PendingEvents()
  var acknowledgements = Acknowledgements()
  /// Links that have gone, the newest last.
  var gone: [LinkInfo] = []
  var settings: HookSettings
  /// What all links sent since the sink took the last batch, in bytes.
  var undelivered = 0
  var nextLink: UInt64 = 1
  var nextToken: UInt64 = 1
  /// The key of the next request that the console sends by itself.
  var nextOwnKey: UInt64 = 1
  var watchesStalls = false
  /// All connections to both sockets.
  var channels: [ObjectIdentifier: any Channel] = [:]
  var stubProgress: [HarnessProcess: [String: StubProgress]] = [:]

  init(_ configuration: ServerConfiguration) {
    keeper = StubKeeper(unmatched: configuration.unmatched, holdAll: configuration.holdAll)
    gatherer = ExchangeGatherer(firstID: configuration.firstExchangeID, limits: configuration.limits)
    settings = configuration.settings
  }

  var linkInfos: [LinkInfo] { links.values.map(\.info).sorted { $0.id < $1.id } }

  var hasPending: Bool { !pending.isEmpty || gatherer.hasChanges }

  /// One batch of events; empty where there is nothing to tell.
  mutating func takeBatch(now: Timestamp) -> [ServerEvent] {
    gatherer.wakeSnapshots(now: now)
    let exchanges = gatherer.takeChanged(now: now)
    let taken = pending
    pending = PendingEvents()
    return taken.events(exchanges: exchanges) { links[$0]?.info }
  }

  /// What the sink has taken no longer counts against its link. Returns the links to read again.
  mutating func forgive() -> [LinkID] {
    var resumed: [LinkID] = []
    undelivered = 0
    for (id, entry) in links where entry.undelivered > 0 || entry.info.isThrottled {
      links[id]?.undelivered = 0
      links[id]?.undeliveredMessages = 0
      guard entry.info.isThrottled else { continue }
      links[id]?.info.isThrottled = false
      pending.changed(id)
      resumed.append(id)
    }
    return resumed
  }
}
