import PatchbayTestSupport

extension VTScreen {
  /// The rows that contain all of these texts.
  func rows(_ texts: String...) -> [String] {
    lines.filter { line in texts.allSatisfy { line.contains($0) } }
  }

  func has(_ texts: String...) -> Bool {
    lines.contains { line in texts.allSatisfy { line.contains($0) } }
  }

  /// Whether everything that a screen program turns on is off again.
  var isPutBack: Bool {
    !modes.alternateScreen && modes.cursorVisible && modes.mouse.isEmpty && !modes.bracketedPaste
      && !modes.focusReports && !modes.applicationCursor && !modes.applicationKeypad
  }
}

extension PtySession {
  /// Waits for one row with all of these texts, and returns the screen with it.
  @discardableResult
  func waitFor(row texts: String..., timeout: Duration = .seconds(40)) async throws -> VTScreen {
    try await waitFor("a row with \(texts)", timeout: timeout) { screen in
      screen.lines.contains { line in texts.allSatisfy { line.contains($0) } }
    }
  }

  /// Goes down or up a list until the marked row contains the text.
  func select(_ text: String, key: String = "j") async throws {
    for _ in 0..<40 {
      if screen.has("▸", text) { return }
      let before = screen.lines
      try send(key)
      try await waitFor("the next row") { $0.lines != before }
    }
    throw WaitedInVain(description: "no row ‘\(text)’ to select:\n\(screen.text)")
  }

  /// Goes to a field of a form.
  func focus(field name: String) async throws {
    for _ in 0..<30 {
      if screen.lines.contains(where: { $0.hasPrefix("▸ \(name) ") || $0.hasPrefix("▸\(name) ") }) { return }
      let before = screen.lines
      try send("tab")
      try await waitFor("the next field") { $0.lines != before }
    }
    throw WaitedInVain(description: "no field \(name):\n\(screen.text)")
  }
}
