import Foundation
import PatchbayTestSupport

extension VTScreen {
  /// The rows that contain all of these texts.
  func rows(_ texts: String...) -> [String] {
    lines.filter { line in texts.allSatisfy(line.shows) }
  }

  func has(_ texts: String...) -> Bool {
    lines.contains { line in texts.allSatisfy(line.shows) }
  }

  /// What stands between the sides of a dialog. Around it the list goes on, with whatever it says.
  var dialog: [Substring] {
    lines.compactMap { $0.split(separator: "│", omittingEmptySubsequences: false).dropFirst().first }
  }

  /// How many requests the header counts.
  var requestCount: Int? {
    guard let match = lines.first?.firstMatch(of: /· ([0-9,]+) request/) else { return nil }
    return Int(match.1.filter(\.isNumber))
  }

  /// The marked row of the list, if it is that of request `number`.
  func marked(_ number: Int) -> String? {
    rows("▸").first { $0.firstMatch(of: #/▸ +([0-9]+) /#)?.1 == "\(number)" }
  }

  /// The field of the stub form that has the keys; nil while the screen is being drawn.
  var focusedField: String? {
    let marked = lines.filter { $0.hasPrefix("▸ ") }
    guard marked.count < 2 else { return nil }
    if let line = marked.first { return line.dropFirst(2).components(separatedBy: "  ").first }
    if contains("Name: value, one a line") { return "Headers" }
    return contains("what is sent") ? "Body" : nil
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
  func waitFor(row texts: String..., timeout: Duration = Patience.usual) async throws -> VTScreen {
    try await waitFor("a row with \(texts)", timeout: timeout) { screen in
      screen.lines.contains { line in texts.allSatisfy(line.shows) }
    }
  }

  /// The screen as the console has drawn it last: a whole frame, of which one reading may have brought a piece.
  func wholeScreen() async throws -> VTScreen {
    let erasures = screen.erasures
    try send("ctrl-l")
    return try await waitFor("a fresh screen") { $0.erasures > erasures }.beforeErasure
  }

  /// Goes through the list of requests, whose numbers count from 1, from its first row until the marked row has all of
  /// these texts.
  func select(_ texts: String...) async throws {
    try send("g")
    for number in 1...80 {
      let screen = try await waitFor("request \(number)") { $0.marked(number) != nil }
      let marked = screen.marked(number) ?? ""
      if texts.allSatisfy(marked.shows) { return }
      try send("j")
    }
    throw WaitedInVain(description: "no request \(texts) to select:\n\(screen.text)")
  }

  /// Goes to a field of the stub form, or to its text `Headers` or `Body`.
  func focus(field name: String) async throws {
    for _ in 0..<30 {
      let here = try await waitFor("a field with the keys") { $0.focusedField != nil }.focusedField
      if here == name { return }
      try send("tab")
      try await waitFor("the next field") { $0.focusedField != nil && $0.focusedField != here }
    }
    throw WaitedInVain(description: "no field \(name):\n\(screen.text)")
  }
}

extension String {
  /// Whether `text` stands in this row; a number as a whole, for a status is also part of a time (`12:30:45.503`), of a
  /// port and of a count.
  fileprivate func shows(_ text: String) -> Bool {
    guard !text.isEmpty, text.allSatisfy(\.isNumber) else { return contains(text) }
    return ranges(of: text).contains { place in
      let before = self[..<place.lowerBound].last
      let after = self[place.upperBound...].first
      return [before, after].allSatisfy { $0.map { $0.isNumber || ".:,".contains($0) } != true }
    }
  }
}
