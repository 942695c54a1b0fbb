import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

// What the preload library finds by name, or is told when this image is loaded. See `PatchbayPreload.h`. Public only so
// that the symbols are there; nothing else is to call them.

/// - Parameter configuration: A borrowed `URLSessionConfiguration`.
/// - Returns: One at +1 with the hook in it, or the same object.
@_cdecl("patchbay_hook_configuration")
public func _patchbayHookConfiguration(_ configuration: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  guard let configuration else { return nil }
  Hook.current.link.begin(.preload)
  let object = Unmanaged<URLSessionConfiguration>.fromOpaque(configuration).takeUnretainedValue()
  return Unmanaged.passRetained(HookInsertion.inserted(into: object)).toOpaque()
}

/// Is there in an image that is a hook.
@_cdecl("patchbay_hook_claim")
public func _patchbayHookClaim() -> Int32 { 1 }

/// What the preload library, if there is one, has kept for the hook.
enum PreloadEntry {
  /// The value of `PATCHBAY_SOCKET` when the program started.
  static var socket: String? {
    typealias Call = @convention(c) () -> UnsafePointer<CChar>?
    guard let found = dlsym(UnsafeMutableRawPointer(bitPattern: 0), "patchbay_preload_socket") else { return nil }
    return unsafeBitCast(found, to: Call.self)().map { String(cString: $0) }
  }
}

#if os(Linux)
  /// The type that `NSData(contentsOf:)` and its like are to load with.
  @_cdecl("patchbay_hook_content_loader")
  public func _patchbayHookContentLoader() -> UnsafeMutableRawPointer? {
    unsafeBitCast(HookContentLoader.self as AnyClass, to: UnsafeMutableRawPointer.self)
  }

  private typealias Register =
    @convention(c) (
      @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer?,
      @convention(c) () -> UnsafeMutableRawPointer?
    ) -> Int32

  /// Runs when this image is loaded: a hook that is linked into a program is the process's before any session is made.
  @section(".init_array") @used
  private let registerWithPreload: @convention(c) () -> Void = {
    guard let symbol = dlsym(nil, "patchbay_preload_register") else { return }
    let register = unsafeBitCast(symbol, to: Register.self)
    _ = register(
      { _patchbayHookConfiguration($0) },
      { _patchbayHookContentLoader() })
  }
#endif
