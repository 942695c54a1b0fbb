import Foundation

/// Does what takes a while of processor time on a thread of its own that goes after all others, and waits for it: reading
/// symbols and going through a heap must not take the processor from the program that is attached to. (A thread that has
/// made itself nicer may not go back to what it was; the one that traces stays as it is.)
func aside<Result, Failure: Error>(_ body: @escaping @Sendable () throws(Failure) -> Result) throws(Failure) -> Result {
  // Written before the semaphore is signalled, read afterwards.
  nonisolated(unsafe) var outcome: Swift.Result<Result, Failure>?
  let done = DispatchSemaphore(value: 0)
  let thread = Thread {
    #if os(Linux)
      // Of this thread alone (setpriority(2)).
      setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, niceness)
    #endif
    outcome = Swift.Result(catching: body)
    done.signal()
  }
  thread.start()
  done.wait()
  return try outcome!.get()
}

private let niceness: Int32 = 10
