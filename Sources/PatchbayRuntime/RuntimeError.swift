import Foundation

/// Why a console or one of its jobs cannot do what was asked: one sentence that names the thing and the way out.
package struct RuntimeError: Error, CustomStringConvertible, LocalizedError {
  package var description: String
  /// The command line itself is wrong.
  package var isUsage: Bool

  package init(_ description: String, isUsage: Bool = false) {
    self.description = description
    self.isUsage = isUsage
  }

  package var errorDescription: String? { description }
}

/// Errors of the system behind those of libraries.
package enum SystemCause {
  /// The error of the system behind it; nil where it is an error of our own.
  package static func code(_ error: any Error) -> Int32? { code(error as NSError) }

  /// What the system said, where the error is the system's; nil for our own.
  package static func reason(_ error: any Error) -> String? { code(error).map { String(cString: strerror($0)) } }

  private static func code(_ error: NSError) -> Int32? {
    if error.domain == NSPOSIXErrorDomain { return Int32(truncatingIfNeeded: error.code) }
    return (error.userInfo[NSUnderlyingErrorKey] as? NSError).flatMap(code)
  }
}
