import Foundation
import PatchbayStubs
import PatchbayWire

/// What a console's server needs to know before it starts.
package struct ServerConfiguration: Sendable {
  /// The path of the harness socket.
  package var socket: String
  /// Peers of another user are taken too, on both sockets: in containers the same person may have another number.
  package var trustsPeers: Bool
  /// Another user whose hooks may link, too: that of a program that root has attached to.
  package var otherUser: uid_t?
  /// The path of the socket for controllers; nil has none.
  package var controlSocket: String?
  /// What hooks are told when they link.
  package var settings: HookSettings
  package var unmatched: StubSet.Unmatched
  package var holdAll: Action.HoldPoint?
  /// The id of the first exchange; the next ones rise by one.
  package var firstExchangeID: Int64
  /// Gives each exchange its id, where others take ids from the same numbers meanwhile, as an import does; they rise.
  package var newExchangeID: (@Sendable () -> Int64)?
  /// The run to which its exchanges belong.
  package var run: Int64?
  package var limits: ServerLimits
  /// How long a hook gathers reports before it sends them, at most (28 ms), and a little more: so long the links are heard at
  /// the end, that an answer which the program has had already is not recorded as abandoned.
  package var gathering: Duration = .milliseconds(35)
  /// For how long whoever changes the stubs waits until each link has them in force; what has not then is named.
  package var acknowledgement: Duration = .seconds(2)

  package init(
    socket: String, trustsPeers: Bool = false, controlSocket: String? = nil,
    settings: HookSettings = HookSettings(), unmatched: StubSet.Unmatched = .pass,
    holdAll: Action.HoldPoint? = nil, firstExchangeID: Int64 = 1, limits: ServerLimits = ServerLimits()
  ) {
    self.socket = socket
    self.trustsPeers = trustsPeers
    self.controlSocket = controlSocket
    self.settings = settings
    self.unmatched = unmatched
    self.holdAll = holdAll
    self.firstExchangeID = firstExchangeID
    self.limits = limits
  }

  /// The path of the control socket that lies beside that harness socket.
  package static func controlSocket(beside socket: String) -> String { socket + ".control" }
}

/// The bounds of what the server keeps for its links, in bytes unless said otherwise. Together they are about 400 MB, which
/// only links that mean harm reach; with the history's queue the console stays below 512 MB.
package struct ServerLimits: Hashable, Sendable {
  /// Of one response body; what is longer is cut and marked.
  package var body = 64 << 20
  /// Of one exchange without its bodies: header fields, URLs, redirects. What is beyond is left out.
  package var facts = 16 << 20
  /// Of all bodies of exchanges that have not ended; one link may have three quarters of it. What comes then is cut.
  package var openBodies = 160 << 20
  /// Of everything else of exchanges that have not ended; then the oldest of the link that has most are given up.
  package var openFacts = 64 << 20
  /// Of all messages whose end has not come; then the longest are skipped.
  package var unfinished = 96 << 20
  /// Of the stubs in code that one link declares, as they were sent; those of a link that sends more are not shown.
  package var declared = 32 << 20
  /// Of the stubs in code of all links.
  package var declaredInAll = 64 << 20
  /// Exchanges of one link that have not ended, a count; beyond it the oldest is given up as abandoned.
  package var openExchanges = 50_000
  /// What one link may send before all subscribers have had it; then the link is not read until they have.
  package var undelivered = 8 << 20
  /// What all links together may send before all subscribers have had it.
  package var undeliveredInAll = 64 << 20
  /// What one link may send, as a count of messages.
  package var undeliveredMessages = 8_192
  /// What waits to be sent to one link, besides its newest stubs; beyond it the link is closed.
  package var outgoing = 64 << 20
  /// One line of a controller.
  package var controlLine = 64 << 20
  /// What waits to be sent to one controller; beyond it lines of its log are shed and counted.
  package var controlBacklog = 8 << 20
  /// A connection to the harness socket that has not said hello by then is closed.
  package var helloTime: Duration = .seconds(10)

  package init() {}
}
