import Foundation
import PatchbayStubs
import Yams

/// Says in the reader's words what the YAML parser says in its own.
enum YAMLMistake {
  static func explain(_ error: YamlError, in text: String) -> StubError {
    switch error {
    case .scanner(let context, let problem, let mark, _), .parser(let context, let problem, let mark, _),
      .composer(let context, let problem, let mark, _):
      return StubError(sentence(problem, context?.text, text, mark), at: place(mark, in: text))
    case .duplicatedKeysInMapping(let duplicates, let context):
      let keys = duplicates.map { "`\($0)`" }.joined(separator: ", ")
      return StubError("the key \(keys) is there twice in one map", at: place(context.mark, in: text))
    case .reader(_, let offset, _, _):
      return StubError(
        "a character that YAML does not allow (a control character?); write it as an escape in double quotes",
        at: offset.map { position(of: $0, in: text) })
    default: return StubError("the YAML cannot be read")
    }
  }

  /// The mark's place; its end for what lies behind the text.
  private static func place(_ mark: Mark, in text: String) -> SourcePosition {
    let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    let line = min(max(mark.line, 1), max(lines.count, 1))
    let end = lines.indices.contains(line - 1) ? lines[line - 1].unicodeScalars.count + 1 : 1
    return SourcePosition(line: line, column: mark.line > line ? end : min(max(mark.column, 1), end))
  }

  private static func sentence(_ problem: String, _ context: String?, _ text: String, _ mark: Mark) -> String {
    if problem.contains("cannot start any token") {
      let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
      let line = lines.indices.contains(mark.line - 1) ? lines[mark.line - 1] : ""
      let next = line.unicodeScalars.dropFirst(mark.column - 1).first
      if next == "\t" { return "a tab stands here; YAML indents with spaces" }
      if let next { return "a text cannot begin with `\(next)`; put it in double quotes" }
    }
    if problem.contains("mapping values are not allowed") {
      return "a `:` is not expected here; is the indentation right, or are quotes missing around a text?"
    }
    if problem.contains("nesting level") { return "the document is nested too deeply" }
    if problem.contains("tab character") { return "a tab stands here; YAML indents with spaces" }
    if problem.contains("expected node content") { return "a value was expected here; is a bracket not closed?" }
    if problem.contains("did not find expected key") {
      return "a key was expected here; is the indentation right?"
    }
    if problem.contains("expected '-' indicator") {
      return "a list item, `- `, was expected here; is the indentation right?"
    }
    if problem.contains("could not find expected ':'") { return "a `:` and a value were expected after the key" }
    if problem.contains("',' or ']'") { return "`,` or `]` was expected here; a `]` may be missing before" }
    if problem.contains("',' or '}'") { return "`,` or `}` was expected here; a `}` may be missing before" }
    if problem.contains("unexpected end of stream") { return "the file ends in the middle of a quoted text" }
    if problem.contains("found undefined alias") {
      return "a text cannot begin with `*` unless it is in quotes (here it names an alias that is not there)"
    }
    if problem.contains("found another document") { return "the file holds more than one YAML document (`---`)" }
    if problem.contains("alphabetic or numeric") {
      return "a text cannot begin with `*` or `&` unless it is in quotes"
    }
    return context.map { "\(problem) \($0)" } ?? problem
  }

  private static func position(of offset: Int, in text: String) -> SourcePosition {
    var position = SourcePosition(line: 1, column: 1)
    for character in text.prefix(offset) {
      position =
        character.isNewline
        ? SourcePosition(line: position.line + 1, column: 1)
        : SourcePosition(line: position.line, column: position.column + character.unicodeScalars.count)
    }
    return position
  }
}
