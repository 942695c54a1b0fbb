import Foundation

/// `fork(2)`, which Swift does not offer: a server that forks its workers calls it from C.
enum Forking {
  private typealias Fork = @convention(c) () -> pid_t

  /// Runs the body in a child and waits for its end.
  static func run(_ body: () -> Void) {
    guard let symbol = dlsym(nil, "fork") else { return say("no fork") }
    let child = unsafeBitCast(symbol, to: Fork.self)()
    if child == 0 {
      body()
      exit(0)
    }
    var status: Int32 = 0
    waitpid(child, &status, 0)
    say("child ended \(status)")
  }
}
