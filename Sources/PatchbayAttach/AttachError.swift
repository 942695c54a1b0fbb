#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Why a running program was not attached to: one sentence with the way out. The program is as it was.
package struct AttachError: Error, Equatable, Sendable, CustomStringConvertible {
  package let description: String
  /// Programs that may be meant, below the sentence.
  package let programs: [String]

  package init(_ description: String, programs: [String] = []) {
    self.description = description
    self.programs = programs
  }

  static func system(_ what: String, _ code: Int32) -> AttachError {
    AttachError("Cannot \(what): \(String(cString: strerror(code))). The program is as it was.")
  }
}
