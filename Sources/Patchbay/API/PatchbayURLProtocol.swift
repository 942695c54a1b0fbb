import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The hook: the class that takes a session's requests. Put it into a configuration by
/// `configuration.protocolClasses = [PatchbayURLProtocol.self] + (configuration.protocolClasses ?? [])`.
///
/// Foundation makes one object for each task and calls it on the task's work queue. With no console and no stubs in
/// code it takes nothing, and requests go their usual way.
public class PatchbayURLProtocol: URLProtocol {
  private var run: RequestRun?
  private var waiting: Waiting?

  /// Before it is known what becomes of the request.
  private struct Waiting {
    let arrival = RequestRun.Arrival()
    var place: (room: WaitingRoom, ticket: UInt64)?
  }

  /// Whether only one scope's sessions have this class.
  class var marksScope: Bool { false }

  /// The scope that this class is the mark of; nil for all sessions.
  class var scope: SessionScope.Mark? { nil }

  /// What this class decides by.
  class var snapshot: HookSnapshot { HookState.shared.snapshot }

  /// Whether the hook takes the request: a look into the local snapshot, which asks nobody.
  public override class func canInit(with request: URLRequest) -> Bool {
    Admission.takes(request, by: snapshot, scope: scope)
  }

  /// Never called by Foundation on Linux.
  public override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

  /// Called by Foundation, on the task's work queue; again after a suspension.
  public override func startLoading() {
    // A cancel may overtake the start; the framework has ended the task then, and must not hear of it again.
    guard let task else { return }
    let state = TaskInternals.state(of: task)
    guard state != .canceling, state != .completed else { return }
    if run == nil {
      let snapshot = type(of: self).snapshot
      if snapshot.awaitsStubs, let room = snapshot.room, TaskInternals.workQueue(of: task) != nil {
        return wait(in: room)
      }
      run = begin(task, snapshot)
    }
    run?.start(self)
  }

  private func begin(_ task: URLSessionTask, _ snapshot: HookSnapshot) -> RequestRun? {
    guard let waiting else { return RequestRun(self, snapshot) }
    // When it was taken nobody knew whether the console wants it.
    let isWanted = task.originalRequest.map { Admission.takes($0, by: snapshot, scope: type(of: self).scope) } ?? true
    return RequestRun(self, isWanted ? snapshot : .dormant, arrival: waiting.arrival)
  }

  /// Begins anew when there is something to be decided by. On the task's work queue.
  func wait(in room: WaitingRoom) {
    guard let task, let queue = TaskInternals.workQueue(of: task) else { return }
    run = nil
    leave()
    var waiting = waiting ?? Waiting()
    let goOn = WorkQueueClosure { [weak self] in self?.goOn() }
    waiting.place = room.enter { queue.async { goOn.call() } }.map { (room, $0) }
    self.waiting = waiting
  }

  private func goOn() {
    // A suspended one begins when it is resumed.
    guard run == nil, waiting != nil, let task, TaskInternals.state(of: task) != .suspended else { return }
    startLoading()
  }

  private func leave() {
    if let place = waiting?.place { place.room.leave(place.ticket) }
    waiting?.place = nil
  }

  /// Called by Foundation when the task is cancelled or suspended.
  public override func stopLoading() {
    if run == nil, waiting != nil, let task {
      let state = TaskInternals.state(of: task)
      // Suspended and resumed at once.
      guard state != .running else { return }
      leave()
      guard state != .suspended else { return }
      // So that it is told as any other that is cancelled.
      run = begin(task, type(of: self).snapshot)
    }
    run?.stop()
  }

  deinit {
    leave()
    run?.abandon()
  }
}
