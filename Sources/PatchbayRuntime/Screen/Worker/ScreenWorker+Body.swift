import PatchbayConsole
import PatchbayWire

extension ScreenWorker {
  /// Compares two exchanges with large bodies, away from the keys.
  func compare(_ exchanges: [Exchange], _ purpose: FetchPurpose, _ runtime: ScreenRuntime) {
    guard exchanges.count == 2 else { return }
    let work = Task.detached { ComparePage(exchanges[0], exchanges[1]) }
    Task { [weak runtime] in runtime?.send(.compared(await work.value, exchanges, for: purpose)) }
  }
}
