import PatchbayLaunch
import PatchbaySystem

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Brings the hook into a program that runs.
package struct Attachment: Sendable {
  /// What came of it.
  package struct Report: Equatable, Sendable {
    /// Sessions that were alive and have the hook now.
    package var sessions = 0
    /// Calls of the program and its libraries that lead to the hook now, for sessions that are made from now on.
    package var slots = 0
    /// Each time that one or all of its threads stood, in microseconds; also where that was in vain.
    package var standstills: [Int64] = []
    /// How long the thread that was borrowed did what we sent it to do, in microseconds.
    package var away: Int64 = 0

    package init() {}
  }

  let target: TargetProcess
  let facts: TargetFacts
  /// As the program sees them.
  let libraries: HookLibraries
  /// `NAME=HEX,NAME=HEX`: what the hook was built for.
  let runtime: String
  /// Where the hook is to find its consoles, as the program sees it.
  let rendezvous: String

  /// How long a thread is waited for that may be borrowed, in microseconds.
  private static let patience: Int64 = 10_000_000
  /// How long a thread that certainly holds no lock is waited for, in microseconds.
  private static let choosing: Int64 = 500_000
  /// How long the library may take to load, in microseconds.
  private static let loading: Int64 = 20_000_000
  /// A search that takes so many microseconds is not done twice.
  private static let longSearch: Int64 = 200_000
  /// How many candidates are checked while the program stands: about 1 ms.
  private static let batch = 1_000
  /// How long its threads may take to stand, in microseconds. Where one does not, those that do are let go of one by one, and we
  /// may have to wait for the processor meanwhile: a tick, 4 ms on most systems.
  private static let standing: Int64 = 400
  /// How long a program is left in peace whose threads did not stand, in microseconds: twice as long each time.
  private static let shortestRest: UInt32 = 5_000, longestRest: UInt32 = 200_000

  package init(facts: TargetFacts, libraries: HookLibraries, runtime: String, rendezvous: String) {
    target = TargetProcess(facts.process)
    self.facts = facts
    self.libraries = libraries
    self.runtime = runtime
    self.rendezvous = rendezvous
  }

  /// Blocks, on a thread of its own: the kernel lets go of what a thread has seized only when that thread ends.
  ///
  /// - Parameter isStopped: asked while no thread of the program has been borrowed yet: afterwards it does not take long.
  package func begin(unless isStopped: () -> Bool = { false }) throws(AttachError) -> Report {
    let tracer = Tracer(target)
    defer { tracer.finish() }
    guard target.startedAt == facts.startedAt else { throw target.hasEnded }
    let maps = target.maps()
    let memory = target.memory
    let layout = aside {
      maps.image(named: "libFoundationNetworking.so").flatMap { TargetImage(base: $0.base, in: memory) }
        .flatMap { SessionSearch.Layout($0, in: memory) }
    }
    guard let layout else {
      throw AttachError("FoundationNetworking of process \(target.process) is another one than Patchbay knows.")
    }
    var report = Report()
    let request = try bringIn(tracer, maps, isStopped, &report)
    var isWhole = false
    defer { request.order(isWhole ? .done : .leave) }
    let usesSystemAllocator = aside { Self.usesSystemAllocator(maps, memory) }
    guard var search = SessionSearch(memory: memory, layout: layout, usesSystemAllocator: usesSystemAllocator) else {
      throw AttachError(
        "The sessions of process \(target.process) cannot be told from other memory, so only those that it makes from now on are seen."
      )
    }
    // One that was just being made when the calls were led to the hook is whole the second time. Of much memory only what
    // was no session is looked at again, after a while in which whoever was making one has come to its end.
    var hooked: Set<UInt64> = []
    let began = Tracer.now
    var places = search.candidatesAside(in: target)
    let isLong = Tracer.now - began > Self.longSearch
    try hook(places, search, request, tracer, &report) { hooked.formUnion($0) }
    if !isLong { places = search.candidatesAside(in: target) }
    try hook(places.filter { !hooked.contains($0) }, search, request, tracer, &report) { _ in }
    report.sessions = request.hooked
    isWhole = true
    return report
  }

  /// Has the library loaded, and waits until it leads the program's calls to the hook.
  private func bringIn(
    _ tracer: Tracer, _ maps: ProcessMaps, _ isStopped: () -> Bool, _ report: inout Report
  ) throws(AttachError) -> AttachRequest {
    let calls = try aside { [target] () throws(AttachError) in try TargetCalls(of: target, maps) }
    let errand = Errand(
      library: libraries.preload, function: "patchbay_preload_attach", requestSize: AttachRequest.size
    ) { [self] plan in
      AttachRequest.bytes(
        hook: libraries.hook, runtime: runtime, rendezvous: rendezvous, mapping: plan.code..<plan.code + plan.size)
    }
    let locked = ThreadChoice.LockedCode(maps)
    let began = Tracer.now
    let deadline = began + Self.patience
    var loan: Tracer.Loan?
    repeat {
      loan = try tracer.send(errand, calls: calls, locked: locked, isLast: Tracer.now - began > Self.choosing)
      guard loan != nil || !isStopped() else {
        throw AttachError("Attaching to process \(target.process) was stopped. It is as it was.")
      }
      if loan == nil { usleep(5_000) }
    } while loan == nil && Tracer.now < deadline
    guard let loan else {
      throw tracer.missed
        ?? AttachError(
          "No thread of process \(target.process) waited in a place where it can be borrowed for 10 s. It is as it was; try "
            + "again, or start it with: patchbay run")
    }
    report.standstills = tracer.stops
    report.away = loan.microseconds
    let request = AttachRequest(memory: target.memory, address: loan.plan.block + AttachPlan.headSize)
    if !loan.isBack { request.keepMapped() }
    do {
      try waitUntilLoaded(request, loan.plan)
    } catch {
      request.order(.leave)
      throw error
    }
    report.slots = request.slots
    return request
  }

  private func hook(
    _ places: [UInt64], _ search: SessionSearch, _ request: AttachRequest, _ tracer: Tracer, _ report: inout Report,
    _ done: ([UInt64]) -> Void
  ) throws(AttachError) {
    // Most that are none are told while the program runs.
    var left = search.sessions(at: places).map(\.place)[...]
    var began = Tracer.now
    var rest = Self.shortestRest
    while !left.isEmpty {
      let some = left.prefix(Self.batch)
      let waited = Tracer.now - began
      let stop =
        tracer.letGoOfLate()
        ? try Standstill(of: target, within: Self.standing) { () throws(AttachError) -> [UInt64] in
          let sessions = search.sessions(at: some)
          // The list first: a session on it that is not retained yet is not touched, for nobody has ordered it.
          try request.list(sessions.map(\.place))
          for session in sessions { try search.retain(session) }
          if !sessions.isEmpty { request.order(.hook) }
          return sessions.map(\.place)
        } : nil
      if let stop { report.standstills.append(stop.microseconds) }
      guard let sessions = stop?.result else {
        guard waited < Self.patience else {
          throw AttachError(
            "The threads of process \(target.process) did not stand for 10 s when they were asked to, so its sessions could not be "
              + "hooked; those that it makes from now on are seen. Attach again.")
        }
        usleep(rest)
        rest = min(2 * rest, Self.longestRest)
        continue
      }
      left = left.dropFirst(some.count)
      began = Tracer.now
      rest = Self.shortestRest
      if !sessions.isEmpty { try wait("hook its sessions") { request.isListDone } }
      done(sessions)
    }
  }

  /// Whether nobody but the C library defines `malloc`.
  static func usesSystemAllocator(_ maps: ProcessMaps, _ memory: TargetMemory) -> Bool {
    !maps.images.contains { path, base in
      let name = Path.name(of: path)
      guard !name.hasPrefix("libc.so"), !name.hasPrefix("libc-2"), !name.hasPrefix("ld-") else { return false }
      return TargetImage(base: base, in: memory)?.address(of: "malloc") != nil
    }
  }

  private func waitUntilLoaded(_ request: AttachRequest, _ plan: AttachPlan) throws(AttachError) {
    let memory = target.memory
    try wait("load the hook") {
      request.phase != .begun || memory.half(at: plan.block + AttachPlan.stateOffset) == 3
    }
    if let text = memory.word(at: plan.block + AttachPlan.errorOffset), text != 0 {
      throw AttachError(
        "Process \(target.process) could not load \(libraries.preload): \(memory.text(at: text, atMost: 400)).")
    }
    if request.phase == .failed {
      throw AttachError("The hook could not be used in process \(target.process): \(request.reason).")
    }
  }

  private func wait(_ what: String, until condition: () -> Bool) throws(AttachError) {
    let deadline = Tracer.now + Self.loading
    while !condition() {
      guard target.startedAt == facts.startedAt else { throw target.hasEnded }
      guard Tracer.now < deadline else {
        throw AttachError("Process \(target.process) took longer than 20 s to \(what). It runs on; try again.")
      }
      usleep(200)
    }
  }
}
