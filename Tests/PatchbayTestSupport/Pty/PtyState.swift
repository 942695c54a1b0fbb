import Dispatch
import Synchronization

/// What a session knows, behind its lock.
struct PtyState: Sendable {
  var screen: VTScreen
  var output: [UInt8] = []
  var exit: ExitStatus?
  private var waiters: [any PtyWaiting] = []

  init(screen: VTScreen) {
    self.screen = screen
  }

  mutating func received(_ bytes: ArraySlice<UInt8>) {
    output.append(contentsOf: bytes)
    screen.feed(bytes)
    wake()
  }

  mutating func ended(_ status: ExitStatus) {
    exit = status
    wake()
    for waiter in waiters {
      waiter.fail(.ended(status, waitingFor: waiter.what, screen: screen.text))
    }
    waiters = []
  }

  mutating func add(_ waiter: any PtyWaiting) {
    if waiter.resumes(self) { return }
    if let exit { return waiter.fail(.ended(exit, waitingFor: waiter.what, screen: screen.text)) }
    waiters.append(waiter)
  }

  mutating func giveUp(_ waiter: any PtyWaiting) {
    guard let index = waiters.firstIndex(where: { $0 === waiter }) else { return }
    waiters.remove(at: index)
    waiter.fail(.timedOut(waitingFor: waiter.what, screen: screen.text))
  }

  private mutating func wake() {
    let state = self
    waiters.removeAll { $0.resumes(state) }
  }
}
