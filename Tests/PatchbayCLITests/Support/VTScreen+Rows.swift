import PatchbayTestSupport

extension VTScreen {
  /// The rows that contain all of these texts.
  func rows(_ texts: String...) -> [String] {
    lines.filter { line in texts.allSatisfy { line.contains($0) } }
  }

  func has(_ texts: String...) -> Bool {
    lines.contains { line in texts.allSatisfy { line.contains($0) } }
  }

  /// How many requests the header counts.
  var requestCount: Int? {
    guard let match = lines.first?.firstMatch(of: /· ([0-9,]+) request/) else { return nil }
    return Int(match.1.filter(\.isNumber))
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

  /// Goes through the list of requests from its first row until the marked row has all of these texts.
  func select(_ texts: String...) async throws {
    try send("g")
    for number in 1...80 {
      let screen = try await waitFor("request \(number)") { screen in
        screen.has("▸") && screen.lines.dropFirst().first?.contains(" \(number)/") == true
      }
      let marked = screen.rows("▸").first ?? ""
      if texts.allSatisfy({ marked.contains($0) }) { return }
      try send("j")
    }
    throw WaitedInVain(description: "no request \(texts) to select:\n\(screen.text)")
  }

  /// Goes to a field of a form.
  func focus(field name: String) async throws {
    for _ in 0..<30 {
      if screen.lines.contains(where: { $0.hasPrefix("▸ \(name) ") || $0.hasPrefix("─ \(name) ▸") }) { return }
      let before = screen.lines.dropFirst()
      try send("tab")
      try await waitFor("the next field") { $0.lines.dropFirst() != before }
    }
    throw WaitedInVain(description: "no field \(name):\n\(screen.text)")
  }
}
