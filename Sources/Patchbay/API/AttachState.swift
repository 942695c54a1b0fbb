/// Whether a console steers this process, and which sessions it can reach. Printed, it is one or two sentences.
public struct AttachState: Hashable, Sendable, CustomStringConvertible {
  /// How the link to the console stands.
  public var link: Link
  /// Whether requests of `URLSession.shared` are seen.
  public var sharedSession: SharedSession
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

  /// Whether `URLSession.shared` goes through the hook.
  public enum SharedSession: Hashable, Sendable {
    /// Not looked at yet.
    case unknown
    /// Its requests are seen.
    case hooked
    /// A `URLSession` was made before ``Patchbay/attach()`` was called. From then on Foundation no longer listens, so
    /// that requests of `URLSession.shared` are **not seen**.
    case tooLate
  }

  /// Whether requests of `URLSession.shared` are missed because ``Patchbay/attach()`` was called too late.
  public var isTooLate: Bool { sharedSession == .tooLate }

  /// One or two sentences for a log.
  public var description: String {
    let sentence =
      switch link {
      case .notAttached: "Patchbay is not attached: call Patchbay.attach()."
      case .waiting: "Patchbay waits for a console at \(socket): start one with `patchbay listen`."
      case .connecting: "Patchbay is connected to \(socket) and waits for its stubs."
      case .linked: "Patchbay is linked to the console at \(socket)."
      case .refused(let reason): reason
      }
    return isTooLate ? "\(sentence) \(Self.lateSentence)" : sentence
  }

  static let lateSentence =
    """
    URLSession.shared is NOT seen, because a URLSession was made before Patchbay.attach(): call it first thing in main, \
    give the session a configuration made by .patched(), or start the program with `patchbay run`.
    """
}
