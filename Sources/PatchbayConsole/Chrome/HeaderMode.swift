import PatchbayStubs

/// What a person must not overlook: it changes what becomes of requests, or of what is shown of them.
struct HeaderMode: Equatable {
  /// As it is said where there is room, and in as few cells as can be.
  var text: String
  var short: String

  /// The most grave first.
  static func all(of state: ConsoleState) -> [HeaderMode] {
    var modes: [HeaderMode] = []
    if let fault = faultForEverything(in: state) {
      modes.append(HeaderMode(text: "✗ EVERYTHING: \(fault.title)", short: "✗ ALL"))
    }
    if let point = state.stubs.holdAll {
      modes.append(
        HeaderMode(text: "HOLDING \(point == .request ? "ALL" : "ALL \(point.rawValue)")", short: "HOLD ALL"))
    }
    if !state.held.isEmpty {
      let text = "\(Wording.count(state.held.count)) held"
      modes.append(HeaderMode(text: text, short: text))
    }
    if state.requests.isPaused { modes.append(HeaderMode(text: "PAUSED", short: "PAUSED")) }
    if state.stubs.unmatched != .pass {
      let what = state.stubs.unmatched.rawValue
      modes.append(HeaderMode(text: "unmatched: \(what)", short: "else \(what)"))
    }
    return modes
  }

  /// The airplane switch, where it is on.
  private static func faultForEverything(in state: ConsoleState) -> FaultPreset? {
    state.stubs.board.entries.lazy.map(\.stub)
      .filter { $0.enabled && $0.when == RequestPattern() && !state.isUsedUp($0, for: nil) }
      .compactMap { FaultPreset.of($0.then) }.first
  }
}
