import Foundation

/// What a program may do to descriptors that are not its own.
enum Descriptors {
  /// The sockets of the process.
  static var sockets: [Int32] {
    (3..<1024).filter { number in
      var facts = stat()
      return fstat(number, &facts) == 0 && facts.st_mode & S_IFMT == S_IFSOCK
    }
  }

  /// Closes every socket but those.
  static func closeSockets(but known: [Int32]) {
    for number in sockets where !known.contains(number) { close(number) }
  }

  static var processorSeconds: Double { Double(clock()) / Double(CLOCKS_PER_SEC) }
}
