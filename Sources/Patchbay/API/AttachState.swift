/// Whether a console steers this process. Printed, it is a sentence.
public struct AttachState: Hashable, Sendable, CustomStringConvertible {
  /// How the link to the console stands.
  public var link: Link
  /// Where the console is, or is looked for.
  public var socket: String

  /// How a link to a console can stand.
  public enum Link: Hashable, Sendable {
    /// Neither ``Patchbay/attach()`` nor ``PatchbayURLProtocol`` has been used.
    case notAttached
    /// No console is there. One that is started later is found by itself.
    case waiting
    /// A console took the connection and has not sent its stubs within 250 ms; they apply as soon as they come.
    case connecting
    /// The console's stubs are in force.
    case linked
    /// The console cannot be used, and why, in a sentence.
    case refused(String)
  }

  /// A sentence for a log.
  public var description: String {
    switch link {
    case .notAttached: "Patchbay is not attached: call Patchbay.attach()."
    case .waiting: "Patchbay waits for a console at \(socket): start one with `patchbay listen`."
    case .connecting: "Patchbay is connected to \(socket) and waits for its stubs."
    case .linked: "Patchbay is linked to the console at \(socket)."
    case .refused(let reason): reason
    }
  }
}
