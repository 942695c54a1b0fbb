import Foundation
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Synchronization
import Testing

/// A console for tests: listens at a socket of its own, welcomes whoever comes, and keeps what it hears.
final class FakeConsole: Sendable {
  private struct State {
    var listener: ServerSocket?
    var links: [ServerSocket] = []
    /// The newest link that has been told what each is told first.
    var welcomed: ServerSocket?
    var heard: [HookMessage] = []
    var broken: [WireError] = []
    var ended = 0
    var isReading = true
    var stopsAfter: HookMessage?
    var isStopped = false
  }

  let path: String
  private let push: StubPush?
  private let settings: HookSettings
  private let state = SeenLock(State())
  private let changed = DispatchSemaphore(value: 0)

  /// - Parameter push: The first stubs that each link gets; nil sends none.
  init(
    path: String = FakeConsole.freshPath(), push: StubPush? = StubPush(set: StubSet(revision: 1)),
    settings: HookSettings = HookSettings(), listening: Bool = true
  ) {
    self.path = path
    self.push = push
    self.settings = settings
    if listening { listen() }
  }

  deinit { stop() }

  /// In a folder of its own, which goes with this process.
  static func freshPath() -> String {
    let folder = root + "/\(number.add(1, ordering: .relaxed).newValue)"
    try? FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    return folder + "/a.sock"
  }

  private static let number = Atomic(0)
  private static let root: String = {
    var name = Array("/tmp/pb-XXXXXX".utf8CString)
    let folder = mkdtemp(&name).map { String(cString: $0) } ?? "/tmp/pb-\(getpid())"
    atexit { try? FileManager.default.removeItem(atPath: FakeConsole.root) }
    return folder
  }()

  func listen() {
    unlink(path)
    // What it says where that cannot be had fails the test. On a busy machine many may come before it accepts the first.
    guard let listener = try? ServerSocket(listeningSocket(path, backlog: 1024)) else { return }
    state.withLock { state in
      state.listener = listener
      state.isStopped = false
    }
    Thread.detachNewThread { [weak self] in
      while let link = listener.accepted(), let self {
        Thread.detachNewThread { self.serve(link) }
      }
    }
  }

  /// As a killed console: every socket is gone, the file stays. The listener goes first, or a hook that is quick would
  /// be taken in again.
  func stop() {
    let sockets = state.withLock { state in
      defer {
        state.listener = nil
        state.links = []
        state.welcomed = nil
        state.isStopped = true
      }
      return [state.listener].compactMap { $0 } + state.links
    }
    for socket in sockets { socket.shutDown() }
  }

  /// To who linked last, after the welcome: waits for who is just about to link, and fails the test where nobody does.
  func send(_ message: ConsoleMessage, sourceLocation: SourceLocation = #_sourceLocation) {
    sendRaw(Self.bytes(message), sourceLocation: sourceLocation)
  }

  func sendRaw(_ bytes: [UInt8], sourceLocation: SourceLocation = #_sourceLocation) {
    let isLinked = waits { console in console.state.withLock { $0.welcomed != nil && $0.welcomed === $0.links.last } }
    #expect(isLinked, "nobody is linked who could be told", sourceLocation: sourceLocation)
    state.withLock { $0.welcomed }?.write(bytes)
  }

  private static func bytes(_ message: ConsoleMessage) -> [UInt8] {
    var encoder = FrameEncoder()
    encoder.append(message)
    return encoder.bytes
  }

  /// While false nothing is read from the links, as if the console were stopped.
  var isReading: Bool {
    get { state.withLock { $0.isReading } }
    set { state.withLock { $0.isReading = newValue } }
  }

  /// Reads no more as soon as that was heard.
  func stopsReading(after message: HookMessage) { state.withLock { $0.stopsAfter = message } }

  var heard: [HookMessage] { state.withLock { $0.heard } }
  var broken: [WireError] { state.withLock { $0.broken } }
  var linkCount: Int { state.withLock { $0.links.count } }
  /// Links that the other end has closed.
  var ended: Int { state.withLock { $0.ended } }

  var updates: [ExchangeUpdate] {
    heard.compactMap { if case .exchange(let update) = $0 { update } else { nil } }
  }

  /// Waits until the condition holds; false when it does not in time.
  func waits(_ condition: (FakeConsole) -> Bool) -> Bool {
    let deadline = DispatchTime.now() + Patience.seconds
    while !condition(self) {
      guard DispatchTime.now() < deadline else { return false }
      _ = changed.wait(timeout: .now() + 0.02)
    }
    return true
  }

  func hears(_ message: HookMessage) -> Bool { waits { $0.heard.contains(message) } }

  private func serve(_ link: ServerSocket) {
    let isStopped = state.withLock { state in
      state.links.append(link)
      return state.isStopped
    }
    if isStopped { link.shutDown() }
    var decoder = FrameDecoder<HookMessage>()
    defer {
      state.withLock { state in
        state.links.removeAll { $0 === link }
        if state.welcomed === link { state.welcomed = nil }
        state.ended += 1
      }
      changed.signal()
    }
    while true {
      while !isReading { usleep(1000) }
      let bytes = link.read(atMost: 1 << 16)
      guard !bytes.isEmpty else { return }
      decoder.feed(bytes)
      reading: while true {
        switch decoder.next() {
        case .message(let message): hear(message, from: link)
        case .skipped: continue
        case .needMore: break reading
        case .broken(let error):
          state.withLock { $0.broken.append(error) }
          return
        }
      }
    }
  }

  private func hear(_ message: HookMessage, from link: ServerSocket) {
    state.withLock { state in
      state.heard.append(message)
      if message == state.stopsAfter { state.isReading = false }
    }
    changed.signal()
    guard case .hello = message else { return }
    link.write(Self.bytes(.welcome(Welcome(settings: settings))))
    if let push { link.write(Self.bytes(.stubs(push))) }
    state.withLock { $0.welcomed = link }
    changed.signal()
  }
}
