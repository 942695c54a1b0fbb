import PatchbayGrid

extension ConsoleState {
  /// What was recorded from a file is there at once, and can be taken out again.
  mutating func take(_ report: ImportReport) {
    let recordedText = "\(Wording.count(report.ids.count, "request")) of \(report.name)"
    let problem = report.problem.map { ": \($0)" } ?? "."
    guard !report.ids.isEmpty else { return say(.error, "Nothing of \(report.name) was recorded\(problem)") }
    recorded += report.ids.count
    newest = max(newest, report.ids.last ?? 0)
    log.add(UndoLog.Step(title: "Imported \(recordedText)", at: now, change: .restored(report.ids)))
    runQuery()
    traffic.isStale = true
    guard report.leftOut > 0 || report.problem != nil else {
      return say(.good, "Recorded \(recordedText).", undoable: true)
    }
    let leftOut = report.leftOut > 0 ? ", \(Wording.count(report.leftOut)) left out" : ""
    say(.warning, "Recorded \(recordedText)\(leftOut)\(problem)", undoable: true)
  }

  /// The path in the prompt goes on as far as all that it may mean agree; what they are is said beside it.
  mutating func take(completions: [String], of text: String) {
    guard case .prompt(var prompt) = overlays.last, prompt.purpose == .importFile, prompt.editor.text == text else {
      return
    }
    let common = completions.dropFirst().reduce(completions.first ?? text) { $0.commonPrefix(with: $1) }
    if common.count > text.count { prompt.editor = TextEditor(common, singleLine: true) }
    let names = completions.map { path in
      path.split(separator: "/").last.map { $0 + (path.hasSuffix("/") ? "/" : "") } ?? ""
    }
    prompt.note = completions.isEmpty ? "no such file" : completions.count == 1 ? "" : names.joined(separator: "  ")
    replaceTop(.prompt(prompt))
  }
}
