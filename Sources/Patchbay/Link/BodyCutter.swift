import Foundation
import PatchbayStubs
import PatchbayWire

/// Takes the bodies out of what is told, counts them, and says at the end of an exchange that they are not whole. After
/// one piece of a body the pieces that follow go too, so that no body arrives with a hole in it.
struct BodyCutter {
  /// Whether bodies are taken out; while not, only the rest of those that were cut.
  var isOn: Bool
  /// What was taken out since the last `takeShed`.
  private var shed = Shed()
  /// Exchanges whose response was cut, until their end.
  private var cut: Set<UInt64> = []

  init(isOn: Bool = false) { self.isOn = isOn }

  /// Whether everything passes as it is.
  var isIdle: Bool { !isOn && cut.isEmpty }

  mutating func takeShed() -> Shed {
    defer { shed = Shed() }
    return shed
  }

  /// The update without bodies; nil where nothing else is in it.
  mutating func cut(_ update: ExchangeUpdate) -> ExchangeUpdate? {
    var update = update
    if isOn {
      if let start = update.start { update.start?.request = cut(start.request) }
      if let edited = update.answer?.edited { update.answer?.edited = cut(edited) }
    }
    if let data = update.data, !data.isEmpty, isOn || cut.contains(update.key) {
      update.data = nil
      shed.bytes += UInt64(data.count)
      if cut.insert(update.key).inserted { shed.bodies += 1 }
    }
    if update.end != nil, cut.remove(update.key) != nil { update.end?.responseTruncated = true }
    return update == ExchangeUpdate(key: update.key) ? nil : update
  }

  /// Counts a request's body that was not read at all.
  mutating func leftOut(_ body: RequestBody) {
    guard let bytes = body.length, bytes > 0 else { return }
    shed.bodies += 1
    shed.bytes += UInt64(bytes)
  }

  private mutating func cut(_ request: RecordedRequest) -> RecordedRequest {
    guard let body = request.body, !body.isEmpty else { return request }
    shed.bodies += 1
    shed.bytes += UInt64(body.count)
    var request = request
    request.body = Data()
    request.truncated = true
    return request
  }
}
