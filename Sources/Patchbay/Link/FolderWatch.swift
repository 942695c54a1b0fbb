import Foundation

/// Notices that a console's socket appears: `inotify` on its folder, or on the nearest folder above that exists. Costs
/// nothing while nothing is made there.
struct FolderWatch: Sendable {
  private let own: OwnDescriptor
  private let address: LinkAddress

  /// nil where nothing can be watched.
  init?(_ address: LinkAddress) {
    guard let own = OwnDescriptor(inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))) else { return nil }
    self.own = own
    self.address = address
    guard look() else {
      close()
      return nil
    }
  }

  var descriptor: Int32 { own.number }

  /// Watches the nearest folder that exists; asking again for the same one changes nothing.
  @discardableResult
  private func look() -> Bool {
    var folder = address.folder
    while true {
      let events = UInt32(IN_CREATE) | UInt32(IN_MOVED_TO) | UInt32(IN_ONLYDIR)
      let added = inotify_add_watch(descriptor, folder, folder == address.folder ? events | UInt32(IN_ATTRIB) : events)
      if added >= 0 { return true }
      let above = LinkAddress(path: folder, isExplicit: true).folder
      guard above != folder, above != "." else { return false }
      folder = above
    }
  }

  /// Takes the events that have come. True where the socket may have appeared.
  func drain() -> Bool {
    var buffer = [UInt8](repeating: 0, count: 4096)
    while buffer.withUnsafeMutableBytes({ read(descriptor, $0.baseAddress, $0.count) }) > 0 {}
    look()
    return address.exists
  }

  func close() { own.close() }
}
