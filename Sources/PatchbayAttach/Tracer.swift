import CAttach

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Stops threads of another process and reads and sets their registers. Used on one thread of ours from beginning to end:
/// the kernel allows it to the thread that has seized.
///
/// At every moment, if we are killed, the target goes on: seized threads are let go by the kernel, and a thread whose
/// registers were changed has a way back that needs nobody (`AttachPlan`).
final class Tracer {
  let target: TargetProcess
  /// Threads that were asked to stand and did not in time (they are in the middle of what cannot be interrupted). They will
  /// stand one day, and must be let go then.
  private var late: Set<pid_t> = []
  /// What each thread waited in when it was last asked to stand, where its registers do not tell (`Registers.call`).
  private var waits: [pid_t: SystemCall] = [:]

  /// How long each thread stood that was asked to stand alone, in microseconds: from the asking until it went on.
  private(set) var stops: [Int64] = []
  private var stopped: [pid_t: Int64] = [:]

  /// Why the last thread that was borrowed went back without having done anything, as the sentence for when it stays so.
  var missed: AttachError?
  /// What was mapped for one that went back before it was sent on: the next one's (`AttachPlan`).
  var unused: UInt64?

  init(_ target: TargetProcess) { self.target = target }

  var hasLate: Bool { !late.isEmpty }

  /// Lets go of threads that have come to stand too late. False while there are any left.
  ///
  /// - Parameter microseconds: how long each is waited for.
  @discardableResult
  func letGoOfLate(within microseconds: Int32 = 0) -> Bool {
    for thread in late {
      switch attach_await(thread, microseconds) {
      case 0:
        late.remove(thread)
        letGo(thread)
      case ETIMEDOUT: break
      default: late.remove(thread)
      }
    }
    return late.isEmpty
  }

  /// Waits until every thread is let go of. One that is in what nothing interrupts may not stand for hours: the kernel lets go
  /// of it when our thread ends, and takes back that it was asked to.
  func finish() {
    let deadline = Self.now + Self.finishing
    while !letGoOfLate(within: 2_000), Self.now < deadline {}
  }

  /// In microseconds.
  private static let finishing: Int64 = 2_000_000

  /// Goes before others from now on, until it is told otherwise or ends. Who has waited before is given the processor when it is woken;
  /// who has just worked has to wait for it.
  func hurry() {
    attach_hurry(1)
    attach_pause(2_000)
  }

  // MARK: One thread

  /// - Returns: false where it has ended.
  func seize(_ thread: pid_t) throws(AttachError) -> Bool {
    switch attach_seize(thread) {
    case 0: return true
    case ESRCH: return false
    // It is ours already, a late one.
    case EPERM where late.contains(thread): return false
    case EPERM: throw refused
    case let code: throw .system("seize a thread of process \(target.process)", code)
    }
  }

  /// Has a seized thread stand, or gives it up.
  func stop(_ thread: pid_t, within microseconds: Int32) -> Bool {
    let asked = Self.now
    guard interrupt(thread) == 0, waitUntilStanding(thread, within: microseconds) else { return false }
    stopped[thread] = asked
    return true
  }

  /// Lets a thread that stands alone go on, still seized.
  func goOn(_ thread: pid_t) throws(AttachError) {
    try check(attach_continue(thread), "let go on")
    noteStop(of: thread)
  }

  private func noteStop(of thread: pid_t) {
    if let asked = stopped.removeValue(forKey: thread) { stops.append(Self.now - asked) }
  }

  func interrupt(_ thread: pid_t) -> Int32 {
    if Processor.own == .arm64 { waits[thread] = target.systemCall(of: thread).flatMap(SystemCall.init(words:)) }
    return attach_interrupt(thread)
  }

  func waitUntilStanding(_ thread: pid_t, within microseconds: Int32) -> Bool {
    let result = attach_await(thread, microseconds)
    if result == ETIMEDOUT { late.insert(thread) }
    return result == 0
  }

  /// Lets go of a thread, which stands or runs.
  func letGo(_ thread: pid_t) {
    mend(thread)
    release(thread)
  }

  /// Has a thread that stands go on with its system call afterwards, where the stop has ended that.
  func mend(_ thread: pid_t) {
    if let mended = (try? registers(of: thread))?.mended, !hasSignal(thread) { try? set(mended, of: thread) }
  }

  /// Lets go of a thread that is mended.
  func release(_ thread: pid_t) {
    switch attach_detach(thread) {
    // It may have come to stand since it was late. Nobody hears of that any more, and of a child of ours not even that it is
    // not traced.
    case 0:
      late.remove(thread)
      noteStop(of: thread)
    case ESRCH: if interrupt(thread) == 0 { late.insert(thread) }
    default: break
    }
  }

  /// Whether a signal waits for the thread: it has interrupted its system call then, and not we.
  private func hasSignal(_ thread: pid_t) -> Bool {
    guard let masks = target.signals(of: thread) else { return false }
    return masks.coming != 0
  }

  /// Whether one waits for it for which the program has a handler.
  func hasHandler(_ thread: pid_t) -> Bool {
    guard let masks = target.signals(of: thread) else { return false }
    return masks.coming & masks.caught != 0
  }

  func registers(of thread: pid_t) throws(AttachError) -> Registers {
    var words = [UInt64](repeating: 0, count: Processor.own.registerCount)
    var size = words.count * 8
    try check(words.withUnsafeMutableBytes { attach_registers(thread, $0.baseAddress, &size) }, "read the registers")
    return Registers(words: words, call: waits[thread])
  }

  /// All at once, so that whoever is killed has set all or none.
  func set(_ registers: Registers, of thread: pid_t) throws(AttachError) {
    try check(
      registers.words.withUnsafeBytes { attach_set_registers(thread, $0.baseAddress, $0.count) }, "set the registers")
  }

  func vectors(of thread: pid_t) throws(AttachError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 32 << 10)
    var size = bytes.count
    try check(bytes.withUnsafeMutableBytes { attach_vectors(thread, $0.baseAddress, &size) }, "read the registers")
    return Array(bytes.prefix(size))
  }

  func check(_ code: Int32, _ what: String) throws(AttachError) {
    guard code != 0 else { return }
    throw code == ESRCH ? target.hasEnded : .system("\(what) of a thread of process \(target.process)", code)
  }

  private var refused: AttachError {
    AttachError(
      "The system does not allow attaching to process \(target.process) (ptrace: operation not permitted), as in a "
        + "container without CAP_SYS_PTRACE. Start the program with: patchbay run")
  }

  /// Of the monotonic clock, in microseconds.
  static var now: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
  }
}
