import Foundation

/// What the hook's threads take of a process's addresses.
enum AddressSpace {
  /// Where a process may have few addresses (`ulimit -v`), the C library is told to make no more arenas for its threads:
  /// each keeps 64 MB of addresses, and what the hook's own threads take would else be missing for the stacks of others,
  /// of which Dispatch waits for seconds. At 400,000 kB that took 20 requests 5.8 s in two of three runs, and 0.5 s
  /// natively; an arena less is more than all that the hook needs.
  static func spare() {
    #if os(Linux)
      var limit = rlimit()
      guard getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0, limit.rlim_cur < few,
        let found = dlsym(nil, "mallopt")
      else { return }
      typealias Call = @convention(c) (Int32, Int32) -> Int32
      _ = unsafeBitCast(found, to: Call.self)(arenaMax, 1)
    #endif
  }

  /// Eight arenas a processor are made natively (mallopt(3)); this is enough for those of four, and for all threads.
  private static let few: rlim_t = 4 << 30
  /// `M_ARENA_MAX` of malloc.h, a macro that Swift does not see.
  private static let arenaMax: Int32 = -8
}
