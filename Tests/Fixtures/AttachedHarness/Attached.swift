import Foundation
import Patchbay

/// Attaching as on a machine that is not busy.
enum Attached {
  /// Attaches and, when a console has taken the connection, waits for its stubs however long that takes (but for a
  /// minute): the hook itself waits 250 ms, which a busy machine may need for less.
  static func begin() {
    let deadline = ContinuousClock.now + .seconds(60)
    Patchbay.attach()
    while Patchbay.state.link == .connecting, ContinuousClock.now < deadline { usleep(1000) }
  }
}
