import PatchbayWire
import Synchronization

/// The hook's parts that steer it: what decides (the controller), and the link to a console. A forked child gets new ones.
struct Hook: Sendable {
  let controller: HookController
  let link: ConsoleLink

  private static let shared = Mutex(Hook())

  private init(code: CodeStubs = CodeStubs()) {
    controller = HookController(code: code, promise: .ofEnvironment)
    link = ConsoleLink(address: .resolve(), controller: controller)
    controller.expectStubs(by: link)
  }

  /// The parts in force in this process.
  static var current: Hook {
    shared.withLock { hook in
      // Before any other thread of the child asks: what the parent decided by is not the child's.
      if ProcessHooks.isForked {
        hook = Hook(code: hook.controller.code)
        hook.controller.publish()
        ProcessHooks.startedAnew()
      }
      return hook
    }
  }

  /// Called at each request while the hook may be dormant: attaches, or looks for a console.
  static func knock() { current.link.knock() }
}
