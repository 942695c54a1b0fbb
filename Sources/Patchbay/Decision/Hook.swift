import PatchbayWire
import Synchronization

/// The hook's parts that steer it: what decides (the controller), and the link to a console. A forked child gets new ones.
struct Hook: Sendable {
  let controller: HookController
  let link: ConsoleLink

  private static let shared = Mutex(Hook())

  private init(code: CodeStubs = CodeStubs()) {
    controller = HookController(code: code)
    link = ConsoleLink(address: .resolve(), controller: controller)
  }

  /// The parts in force in this process.
  static var current: Hook {
    if ProcessHooks.takeForked() { restart() }
    return shared.withLock { $0 }
  }

  /// Called at each request while the hook may be dormant: attaches, or looks for a console.
  static func knock() { current.link.knock() }

  /// In a forked child: nothing of the parent's link is left, its stubs in code are.
  private static func restart() {
    let code = shared.withLock { $0.controller.code }
    let new = Hook(code: code)
    shared.withLock { $0 = new }
    new.controller.publish()
  }
}
