import Foundation
import PatchbayTestSupport

/// The fixture program in a pseudo terminal, started by a shell-less parent.
enum FixtureSession {
  static func start(
    _ environment: [String: String?] = [:], columns: Int = 60, rows: Int = 16, redirect: [Int32: String] = [:]
  ) throws -> PtySession {
    try PtySession(
      [BuiltProduct.path("terminal-fixture")], environment: PtySession.environment(environment), columns: columns,
      rows: rows, redirect: redirect)
  }

  static func started(
    _ environment: [String: String?] = [:], columns: Int = 60, rows: Int = 16, redirect: [Int32: String] = [:]
  ) async throws -> PtySession {
    let session = try start(environment, columns: columns, rows: rows, redirect: redirect)
    try await session.waitFor { $0.contains("last row") && $0.modes.bracketedPaste }
    return session
  }
}

extension VTScreen {
  /// Whether everything that a screen program turns on is off again.
  var isPutBack: Bool {
    !modes.alternateScreen && modes.cursorVisible && modes.mouse.isEmpty && !modes.bracketedPaste
      && !modes.focusReports && !modes.applicationCursor && !modes.applicationKeypad
  }
}
