import Dispatch
import Foundation

/// Ends this process when the other end of its standard input is closed: when the console has ended, however it did.
enum ParentWatch {
  static func exitAtEndOfInput() {
    Thread.detachNewThread {
      var byte: UInt8 = 0
      while read(STDIN_FILENO, &byte, 1) > 0 || errno == EINTR {}
      exit(0)
    }
  }
}
