#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A folder by its descriptor: what is done with this is done in it, whatever somebody puts at its path meanwhile. For
/// folders that belong to another user, or will.
package final class OpenFolder {
  package let descriptor: Int32

  /// nil with `errno` where there is no folder at the path, or a link to one.
  package init?(_ path: String) {
    descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
  }

  deinit { close(descriptor) }

  package var identity: FileIdentity? { FileIdentity(descriptor: descriptor) }

  package var owner: uid_t? {
    var facts = stat()
    return fstat(descriptor, &facts) == 0 ? facts.st_uid : nil
  }

  /// What lies in it, in no order.
  package var names: [String] { Path.names(in: openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)) }

  /// Takes a file or a link out of it.
  package func remove(_ name: String) { unlinkat(descriptor, name, 0) }

  /// Gives one of its files to a user.
  package func give(_ name: String, to user: uid_t, _ group: gid_t) {
    fchownat(descriptor, name, user, group, AT_SYMLINK_NOFOLLOW)
  }

  /// Gives the folder itself to a user.
  package func give(to user: uid_t, _ group: gid_t) { fchown(descriptor, user, group) }

  /// Makes a file of those bytes. There is none of that name, or it goes.
  package func make(_ name: String, of bytes: [UInt8], mode: mode_t) throws(FileWriteError) {
    remove(name)
    let file = openat(descriptor, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard file >= 0 else { throw FileWriteError(path: name, code: errno) }
    defer { close(file) }
    var done = 0
    while done < bytes.count {
      let count = bytes.withUnsafeBytes { write(file, $0.baseAddress! + done, $0.count - done) }
      if count >= 0 { done += count } else if errno != EINTR { throw FileWriteError(path: name, code: errno) }
    }
    guard fchmod(file, mode) == 0 else { throw FileWriteError(path: name, code: errno) }
  }

  /// Makes a link, or has the one of that name lead elsewhere, in one step.
  ///
  /// - Returns: whether it was done; else `errno` says why not.
  package func link(_ name: String, to target: String) -> Bool {
    let new = "\(name).\(getpid())"
    remove(new)
    guard symlinkat(target, descriptor, new) == 0 else { return false }
    guard renameat(descriptor, new, descriptor, name) != 0 else { return true }
    let code = errno
    remove(new)
    errno = code
    return false
  }
}
