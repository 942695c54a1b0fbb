#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The descriptors of this process.
package enum Descriptors {
  /// How many may be open (getrlimit(2)).
  package static var limit: Int {
    var limit = rlimit()
    #if canImport(Darwin)
      guard getrlimit(RLIMIT_NOFILE, &limit) == 0 else { return .max }
    #else
      guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return .max }
    #endif
    return Int(clamping: limit.rlim_cur)
  }

  /// The number that the next one will have, which is the lowest that is free; nil where none is.
  package static var next: Int? {
    let descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    close(descriptor)
    return Int(descriptor)
  }

  /// Whether so many more may be opened.
  package static func areFree(_ count: Int) -> Bool {
    var free = 0
    var number = 0
    let limit = limit
    while free < count, number < limit {
      if fcntl(Int32(clamping: number), F_GETFD) < 0 { free += 1 }
      number += 1
    }
    return free >= count
  }
}
