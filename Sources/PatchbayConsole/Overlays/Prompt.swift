/// A question with a line to answer in, at the foot of the screen.
struct Prompt: Sendable {
  enum Purpose: Sendable, Equatable {
    case search
    case goToLine
    case commandInput
    case importFile
    case searchOutput
    case searchEditor
    case replaceFind
    case replaceWith(find: String)
  }

  var purpose: Purpose
  var editor = TextEditor("", singleLine: true)
  /// What stands beside the answer: how many were found, what is wrong.
  var note = ""

  /// What is shown while nothing is typed.
  var placeholder: String {
    switch purpose {
    case .importFile: "the path of a .har file; tab completes it"
    case .commandInput: "a line for the command; ctrl-d ends its input"
    default: ""
    }
  }

  var label: String {
    switch purpose {
    case .search, .searchOutput, .searchEditor: "search"
    case .goToLine: "line"
    case .commandInput: "input"
    case .importFile: "import"
    case .replaceFind: "replace"
    case .replaceWith(let find): "replace “\(find)” with"
    }
  }
}
