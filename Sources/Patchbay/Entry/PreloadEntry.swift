import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

// What the preload library finds by name, or is told when this image is loaded. See `PatchbayPreload.h`. Public only so
// that the symbols are there; nothing else is to call them.

/// Puts the hook into a session that is alive, and begins the link.
///
/// - Parameter session: A borrowed `URLSession`; nil only begins the link.
/// - Returns: 1 if the hook is asked for the session's next task, 0 if not.
@_cdecl("patchbay_hook_session")
public func _patchbayHookSession(_ session: UnsafeMutableRawPointer?) -> Int32 {
  PreloadEntry.hook(session, isNew: false)
}

/// The same for a session that nobody but the caller has yet.
@_cdecl("patchbay_hook_new_session")
public func _patchbayHookNewSession(_ session: UnsafeMutableRawPointer?) -> Int32 {
  PreloadEntry.hook(session, isNew: true)
}

/// Is there in an image that is a hook.
@_cdecl("patchbay_hook_claim")
public func _patchbayHookClaim() -> Int32 { 1 }

/// What the preload library, if there is one, asks of the hook and has kept for it.
enum PreloadEntry {
  fileprivate static func hook(_ session: UnsafeMutableRawPointer?, isNew: Bool) -> Int32 {
    Hook.current.link.begin(.preload)
    guard let session else { return 0 }
    let object = Unmanaged<URLSession>.fromOpaque(session).takeUnretainedValue()
    if HookInsertion.insert(into: object, isNew: isNew) { return 1 }
    if let promise = StubPromise.ofEnvironment, promise.unmatched != .pass { note("not-taken", "\(type(of: object))") }
    return 0
  }

  /// Where the hook of a program that `patchbay attach` came into finds its consoles; nil in any other.
  static let rendezvous: String? = text("patchbay_preload_rendezvous")

  /// What a variable of the environment was when the program started; nil for one that is not kept.
  static func kept(_ variable: String) -> String? {
    let names = ["PATCHBAY_SOCKET": "patchbay_preload_socket", "PATCHBAY_UNMATCHED": "patchbay_preload_unmatched"]
    return names[variable].flatMap(text)
  }

  private static func text(_ function: String) -> String? {
    typealias Call = @convention(c) () -> UnsafePointer<CChar>?
    guard let found = dlsym(UnsafeMutableRawPointer(bitPattern: 0), function) else { return nil }
    return unsafeBitCast(found, to: Call.self)().map { String(cString: $0) }
  }

  /// Leaves a note for `patchbay run`, which needs no socket.
  static func note(_ what: String, _ detail: String) {
    typealias Call = @convention(c) (UnsafePointer<CChar>, UnsafePointer<CChar>) -> Void
    guard let found = dlsym(nil, "patchbay_preload_note") else { return }
    unsafeBitCast(found, to: Call.self)(what, detail)
  }
}

#if os(Linux)
  /// The type that `NSData(contentsOf:)` and its like are to load with.
  @_cdecl("patchbay_hook_content_loader")
  public func _patchbayHookContentLoader() -> UnsafeMutableRawPointer? {
    unsafeBitCast(HookContentLoader.self as AnyClass, to: UnsafeMutableRawPointer.self)
  }

  private typealias Session = @convention(c) (UnsafeMutableRawPointer?) -> Int32
  private typealias Adopt = @convention(c) (Session, Session, @convention(c) () -> UnsafeMutableRawPointer?) -> Int32

  /// Runs when this image is loaded, before the program makes a session: a hook that is linked into it is the process's,
  /// and knows of each session.
  @section(".init_array") @used
  private let whenLoaded: @convention(c) () -> Void = {
    LinkedSessions.listen()
    guard let symbol = dlsym(nil, "patchbay_preload_adopt") else { return }
    let adopt = unsafeBitCast(symbol, to: Adopt.self)
    _ = adopt(
      { _patchbayHookSession($0) },
      { _patchbayHookNewSession($0) },
      { _patchbayHookContentLoader() })
  }
#endif
