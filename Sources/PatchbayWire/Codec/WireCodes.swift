import PatchbayStubs

/// An enumeration on the wire: each value's number is its place in the list, from 1. Lists only ever grow at the end.
protocol WireCoded: Hashable {
  static var wireOrder: [Self] { get }
}

extension WireCoded {
  var wireCode: UInt64 { UInt64((Self.wireOrder.firstIndex(of: self) ?? 0) + 1) }

  /// nil where this build does not know the number.
  init?(wireCode: UInt64) {
    guard wireCode >= 1, wireCode <= UInt64(Self.wireOrder.count) else { return nil }
    self = Self.wireOrder[Int(wireCode) - 1]
  }
}

extension Hello.Entry: WireCoded {
  static let wireOrder: [Self] = [.preload, .attach, .configuration]
}

extension Exchange.TaskKind: WireCoded {
  static let wireOrder: [Self] = [.data, .upload, .download, .stream, .unknown]
}

extension Exchange.Answerer: WireCoded {
  static let wireOrder: [Self] = [.network, .stub, .code, .person, .console]
}

extension Exchange.Outcome: WireCoded {
  static let wireOrder: [Self] = [.responded, .failed, .cancelled, .abandoned]
}

extension ExchangeUpdate.Held: WireCoded {
  static let wireOrder: [Self] = [.request, .response, .released]
}

extension StubSet.Unmatched: WireCoded {
  static let wireOrder: [Self] = [.pass, .fail, .hold]
}

extension Action.HoldPoint: WireCoded {
  static let wireOrder: [Self] = [.request, .response, .both]
}

extension HookSettings.Degree: WireCoded {
  static let wireOrder: [Self] = [.full, .observe, .bypass]
}
