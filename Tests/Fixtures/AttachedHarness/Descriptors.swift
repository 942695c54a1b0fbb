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

  /// Closes every socket but those. Says how many of them had numbers that programs get for their own files.
  static func closeSockets(but known: [Int32]) -> String {
    let others = sockets.filter { !known.contains($0) }
    for number in others { close(number) }
    return "low \(others.filter { $0 < 100 }.count)"
  }

  static var processorSeconds: Double { Double(clock()) / Double(CLOCKS_PER_SEC) }
}
