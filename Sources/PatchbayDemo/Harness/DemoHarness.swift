import Foundation
import Patchbay

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The demo's harness: an app of a bookshop that talks to its API for as long as the console lives.
package struct DemoHarness: Sendable {
  private let shop: DemoShop

  /// - Parameter port: where the demo's server listens on loopback.
  package init(port: Int) {
    shop = DemoShop(port: port)
  }

  /// Goes through its day again and again until the task is cancelled.
  package func run() async {
    while !Task.isCancelled {
      async let news: Void = shop.followNews()
      for step in shop.day {
        if Task.isCancelled { break }
        await step()
        try? await Task.sleep(for: .milliseconds(350))
      }
      await news
    }
  }
}

extension DemoHarness {
  /// Attaches this process to the console that `PATCHBAY_SOCKET` names.
  package static func attach() {
    ProcessInfo.processInfo.processName = "demo"
    Patchbay.attach()
  }
}
