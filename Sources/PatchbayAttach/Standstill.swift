import CAttach
import Foundation

/// Something is done while all threads of a process stand.
///
/// They are seized by a thread of ours that ends afterwards: what a thread has seized the kernel lets go of when it ends, in
/// one step in which nobody is given its processor. Let go of one by one, each that went on could be given ours, and the last of
/// 13 stood for a tick or two (4 ms each) longer then: on two busy processors in a third of the stops.
struct Standstill<Result> {
  /// What it came to; nil where one of them did not stand in time.
  private(set) var result: Result?
  /// How long they stood, in microseconds, in vain, too. The end of our thread is not in it: 13 to 60 more (traced, two
  /// busy processors).
  private(set) var microseconds: Int64 = 0

  /// - Parameter limit: how long they may take to stand, in microseconds.
  init(
    of target: TargetProcess, within limit: Int64, _ body: () throws(AttachError) -> Result
  ) throws(AttachError) {
    // Written before the thread ends, read afterwards.
    nonisolated(unsafe) var outcome = Swift.Result<Self, AttachError>.success(Self())
    withoutActuallyEscaping(body) { body in
      nonisolated(unsafe) let body = body
      nonisolated(unsafe) var tracing: pid_t = 0
      let begun = DispatchSemaphore(value: 0)
      Thread {
        tracing = attach_own_thread()
        begun.signal()
        let tracer = Tracer(target)
        outcome = Swift.Result { () throws(AttachError) in try Self(tracer, within: limit, body) }
        tracer.finish()
        // Nobody is woken now: it might be given the processor before this thread has ended.
      }.start()
      begun.wait()
      while attach_is_thread(tracing) != 0 { attach_pause(100) }
    }
    self = try outcome.get()
  }

  private init() {}

  /// On the thread that ends afterwards.
  private init(
    _ tracer: Tracer, within limit: Int64, _ body: () throws(AttachError) -> Result
  ) throws(AttachError) {
    var known: Set<pid_t> = []
    func seizeNew() throws(AttachError) -> [pid_t] {
      var new: [pid_t] = []
      for thread in tracer.target.threads() where known.insert(thread).inserted {
        if try tracer.seize(thread) { new.append(thread) }
      }
      return new
    }
    var new = try seizeNew()
    tracer.hurry()
    let began = Tracer.now
    var standing: [pid_t] = []
    defer {
      for thread in standing { tracer.mend(thread) }
      // One that is late has to be mended when it stands, so this thread does not end yet.
      if tracer.hasLate { for thread in standing { tracer.release(thread) } }
      microseconds = Tracer.now - began
    }
    // Those that were made before all stood; who stands makes none.
    while !new.isEmpty {
      for thread in new { _ = tracer.interrupt(thread) }
      for thread in new {
        let left = max(0, limit - (Tracer.now - began))
        if tracer.waitUntilStanding(thread, within: Int32(left)) { standing.append(thread) }
      }
      guard !tracer.hasLate else { return }
      new = try seizeNew()
    }
    result = try body()
  }
}
