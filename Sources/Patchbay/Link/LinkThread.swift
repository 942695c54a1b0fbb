import Foundation
import PatchbayWire

/// The hook's one thread: reads from the console, writes to it, and looks for it when it is gone. It sleeps without a
/// timer while there is nothing to do. All state here is touched by that thread alone.
final class LinkThread {
  private let link: ConsoleLink
  private let waker: Waker
  private var watch: FolderWatch?

  private init(_ link: ConsoleLink, _ waker: Waker) {
    self.link = link
    self.waker = waker
    watch = FolderWatch(link.address)
    ProcessHooks.remember(waker, watch)
  }

  /// Starts it with the signals that are sent to a process blocked, so that the program's handlers run on the program's threads.
  static func start(_ link: ConsoleLink) -> Bool {
    guard let waker = link.waker else { return false }
    AddressSpace.spare()
    let context = Unmanaged.passRetained(Start(link: link, waker: waker))
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setstacksize(&attributes, 1 << 20)
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    var all = sigset_t()
    var before = sigset_t()
    sigfillset(&all)
    // Faults are a thread's own, and the runtime's crash reports stop each thread by SIGPROF.
    for signal in [SIGILL, SIGTRAP, SIGFPE, SIGBUS, SIGSEGV, SIGSYS, SIGABRT, SIGPROF] { sigdelset(&all, signal) }
    pthread_sigmask(SIG_SETMASK, &all, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    var thread = pthread_t()
    let result = pthread_create(&thread, &attributes, { LinkThread.main($0) }, context.toOpaque())
    if result != 0 { context.release() }
    return result == 0
  }

  private final class Start {
    let link: ConsoleLink
    let waker: Waker

    init(link: ConsoleLink, waker: Waker) {
      self.link = link
      self.waker = waker
    }
  }

  /// What `top` and debuggers show.
  private static func setName() {
    let file = open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
    guard file >= 0 else { return }
    _ = write(file, "patchbay", 8)
    Foundation.close(file)
  }

  /// A thread that wakes to send reports is not to push the program's own off their processors: it has its share of the
  /// processors, but takes it when it is its turn.
  private static func giveWay() {
    var parameter = sched_param()
    _ = sched_setscheduler(0, batch, &parameter)
  }

  /// The program waits for this thread: it gives way no more.
  static func hurry(_ thread: pthread_t) {
    var parameter = sched_param()
    pthread_setschedparam(thread, other, &parameter)
  }

  /// `SCHED_BATCH` and `SCHED_OTHER` of sched(7), macros that Swift does not see.
  private static let batch: Int32 = 3
  private static let other: Int32 = 0

  private static func main(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let context else { return nil }
    Self.setName()
    Self.giveWay()
    let start = Unmanaged<Start>.fromOpaque(context).takeRetainedValue()
    let thread = LinkThread(start.link, start.waker)
    let own = pthread_self()
    start.link.state.withLock { $0.thread = own }
    defer {
      start.link.state.withLock { $0.thread = nil }
      thread.close()
    }
    var looks = true
    while !start.link.isEnded {
      guard start.waker.isWhole || start.waker.renew(), let socket = thread.nextSocket(looks) else { return nil }
      let began = DispatchTime.now()
      let wasRefused = LinkConversation(thread.link, thread.waker, socket).run()
      // A console that does not want us is tried again only when a request is made, or a new one comes; one that hangs
      // up at once, after a second.
      looks = !wasRefused
      let lasted = Int32(clamping: (DispatchTime.now().uptimeNanoseconds - began.uptimeNanoseconds) / 1_000_000)
      if looks && lasted < 1000 { Poll.wait([start.waker.receiving], timeout: 1000 - lasted) }
    }
    return nil
  }

  /// What the thread had open; what the program has under these numbers is left alone.
  private func close() {
    ProcessHooks.remember(nil, nil)
    watch?.close()
    link.takeHandover()?.close()
    waker.close()
  }

  /// Waits for a connection: one that a request has made, or one to a console that has just appeared.
  ///
  /// - Parameter looks: Whether to look at once: a console may have come while nobody watched.
  /// - Returns: nil where nothing can wake this thread any more.
  private func nextSocket(_ looks: Bool) -> LinkSocket? {
    _ = looks ? false : watch?.drain()
    var mayBeThere = looks
    while true {
      var isFull = false
      if let socket = link.takeHandover() { return socket }
      if mayBeThere {
        do throws(LinkSocket.Failure) {
          return try retry()
        } catch {
          link.noteFailure(error)
          isFull = error == .later
        }
      }
      // A console whose queue is full is there, and does not make its socket once more.
      let looksByItself = isFull || watch == nil
      let ready = Poll.wait([waker.receiving, watch?.descriptor ?? -1], timeout: looksByItself ? 1000 : nil)
      guard attend(ready), !link.isEnded else { return nil }
      link.flushed()
      // There may be nothing to watch with: Linux has 128 watches for all programs of a user.
      if watch == nil {
        watch = FolderWatch(link.address)
        ProcessHooks.remember(waker, watch)
      }
      let hasAppeared = watch?.drain() ?? link.address.exists
      mayBeThere = hasAppeared || isFull
      // Where a folder above is watched, others may be busy in it: look at most four times a second.
      if !mayBeThere && !link.hasHandover { Poll.wait([waker.receiving], timeout: 250) }
    }
  }

  /// What the program has closed under us is opened again; the watch is the loop's to renew.
  private func attend(_ ready: [Poll.Ready]) -> Bool {
    guard waker.attend(ready[0]) else { return false }
    if ready[1].isGone || watch?.isOurs == false { watch = nil }
    ProcessHooks.remember(waker, watch)
    return true
  }

  /// The socket's file is there; whoever made it may not listen yet.
  private func retry() throws(LinkSocket.Failure) -> LinkSocket {
    var failure = LinkSocket.Failure.absent
    for pause: Int32 in [20, 80, 400] where link.address.exists {
      Poll.wait([waker.receiving], timeout: pause)
      waker.drain()
      if let socket = link.takeHandover() { return socket }
      do throws(LinkSocket.Failure) {
        // Another thread may have left a connection of its own meanwhile, and then this one is closed.
        _ = link.handOver(try LinkSocket.connect(to: link.address))
        if let socket = link.takeHandover() { return socket }
      } catch {
        failure = error
        if case .unfit = error { throw error }
      }
    }
    throw failure
  }
}
