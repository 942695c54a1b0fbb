import PatchbayInspect

extension Binding {
  /// The whole table as it is without a config file.
  package static let table: [Binding] =
    requestRows + detailRows + heldRows + stubRows + trafficRows + processRows + outputRows + formRows + globalRows

  static let stubRows: [Binding] = [
    Binding(.stubs(.toggleStub), "space", "Switch the stub on or off", hint: "on/off", priority: 1),
    Binding(.stubs(.addStub), "a", "Add a stub", hint: "add", priority: 2),
    Binding(.stubs(.editStub), "e enter", "Edit the stub", hint: "edit", priority: 3),
    Binding(.stubs(.editExternally), "E", "Edit the stub as YAML in $EDITOR"),
    Binding(.stubs(.moveStubDown), "J", "Move the stub down", hint: "move", priority: 4),
    Binding(.stubs(.moveStubUp), "K", "Move the stub up"),
    Binding(.stubs(.delete), "d del", "Delete the stub", hint: "delete", priority: 5),
    Binding(.stubs(.duplicateStub), "c", "Copy the stub into a new one", hint: "duplicate", priority: 12),
    Binding(.stubs(.writeStubs), "w", "Write the changed stubs to their files", hint: "write", priority: 6),
    Binding(.stubs(.loadStubs), "l", "Load a stub file", hint: "load", priority: 9),
    Binding(.stubs(.toggleSet), "o", "A whole set of stubs off, or on again as it was", hint: "sets", priority: 10),
    Binding(.stubs(.setUnmatched), "n", "What no stub takes: pass, fail or hold", hint: "unmatched", priority: 8),
    Binding(.stubs(.bringBackStubs), "B", "Bring back the stubs that an earlier console did not write"),
    Binding(.stubs(.revertStub), "W", "Revert the changes to this stub"),
    Binding(.stubs(.resetCounts), "r", "Reset the hit counters", hint: "reset", priority: 11),
    Binding(.stubs(.setScenario), "s", "Set the state of the stub's scenario", hint: "scenario", priority: 15),
    Binding(.stubs(.copy), "y", "Copy the stub as YAML", hint: "copy", priority: 14),
    Binding(.stubs(.filter), "f", "Show the requests that this stub answered", hint: "its requests", priority: 13),
    Binding(.stubs(.findStubs), "/", "List the stubs with the words that you type", hint: "filter", priority: 7),
    Binding(.stubs(.clearFilter), "esc", "Unmark all; then list all stubs again"),
    Binding(
      .stubs(.mark), "m", "Mark the stub, or unmark it: space, d and y mean the marked ones", hint: "mark", priority: 16
    ),
  ]

  static let trafficRows: [Binding] = [
    Binding(.traffic(.open), "enter", "Show the requests of this row", hint: "requests", priority: 1),
    Binding(.traffic(.fold), "space", "Fold or unfold the host", hint: "fold", priority: 2),
    Binding(
      .traffic(.groupTraffic), "b", "A tree of hosts, or one list of all endpoints", hint: "tree/flat", priority: 6),
    Binding(
      .traffic(.detail), "tab", "Show or hide the detail: times, outcomes, the slowest", hint: "detail", priority: 7),
    Binding(.traffic(.sort), "o", "Sort by the next column", hint: "sort", priority: 3),
    Binding(.traffic(.reverseSort), "O", "Reverse the order", hint: "reverse", priority: 4),
    Binding(.traffic(.filter), "/", "Filter the requests that are counted", hint: "filter", priority: 5),
  ]

  static let processRows: [Binding] = [
    Binding(.processes(.open), "enter", "Show the requests of this process", hint: "requests", priority: 1),
    Binding(
      .processes(.degree), "space b", "Full, observe only, or bypass", hint: "full/observe/bypass",
      priority: 2),
    Binding(
      .processes(.attach), "a", "Attach to this program, which runs and is not linked", hint: "attach", priority: 3),
  ]

  static let outputRows: [Binding] = [
    Binding(.output(.sendInput), "i", "Type a line for the command", hint: "input", priority: 1),
    Binding(.output(.search), "/", "Search in the output", hint: "search", priority: 2),
    Binding(.output(.nextMatch), "n", "Next match"),
    Binding(.output(.previousMatch), "N", "Previous match"),
    Binding(.output(.follow), "F", "Follow the newest line, or stop following", hint: "follow", priority: 4),
    Binding(.output(.wrap), "w", "Wrap long lines, or cut them", hint: "wrap", priority: 5),
  ]

  static let formRows: [Binding] = [
    Binding(.form(.save), "ctrl-s", "Save; it is in force at once", hint: "save", priority: 1),
    Binding(.form(.cancel), "esc", "Leave; asks only if something would be lost", hint: "leave", priority: 2),
    Binding(.form(.nextField), "tab", "Next field", hint: "next field", priority: 3),
    Binding(.form(.previousField), "shift-tab", "Previous field"),
    Binding(.form(.goToBody), "ctrl-b", "To the body, and back", hint: "body", priority: 3),
    Binding(.form(.format), "ctrl-f", "Make the JSON readable", hint: "format", priority: 4),
    Binding(
      .form(.searchText), "ctrl-g", "Search in the text; again for the next place", hint: "search",
      priority: 8),
    Binding(.form(.replaceText), "ctrl-r", "Search and replace in the text", hint: "replace", priority: 9),
    Binding(.form(.editorUndo), "ctrl-z", "Undo in the text", hint: "undo", priority: 6),
    Binding(.form(.editorRedo), "ctrl-y", "Redo in the text"),
    Binding(.form(.editorCut), "ctrl-x", "Cut the selected text, or the line"),
    Binding(.form(.editorCopy), "ctrl-c", "Copy the selected text, or the line"),
    Binding(.form(.editorPaste), "ctrl-v", "Paste what was cut or copied here"),
    Binding(.form(.selectAll), "ctrl-a", "Select the whole text"),
    Binding(.form(.editExternally), "ctrl-e", "Continue in $EDITOR", hint: "$EDITOR", priority: 7),
    Binding(.form(.addStep), "ctrl-n", "Add a step to the sequence, after this one"),
    Binding(.form(.removeStep), "ctrl-o", "Remove this step of the sequence"),
    Binding(.form(.moveStepEarlier), "ctrl-t", "Move this step up"),
    Binding(
      .form(.showMatches), "ctrl-p", "Show the recorded requests that the pattern fits", hint: "matches",
      priority: 5),
  ]

  static let globalRows: [Binding] = [
    Binding(.move(.down), "j down", "Down"),
    Binding(.move(.up), "k up", "Up"),
    Binding(.move(.pageDown), "pgdn ctrl-f", "A page down"),
    Binding(.move(.pageUp), "pgup ctrl-b", "A page up"),
    Binding(.move(.halfDown), "ctrl-d", "Half a page down"),
    Binding(.move(.halfUp), "ctrl-u", "Half a page up"),
    Binding(.move(.first), "g home", "To the first"),
    Binding(.move(.last), "G end", "To the last, and follow"),
    Binding(.global(.showRequests), "1", "Requests"),
    Binding(.global(.showStubs), "2", "Stubs"),
    Binding(.global(.showTraffic), "3", "Traffic by host and endpoint"),
    Binding(.global(.showProcesses), "4", "Linked processes"),
    Binding(.global(.showOutput), "5", "The command's output"),
    Binding(.global(.nextTab), "}", "Next screen"),
    Binding(.global(.previousTab), "{", "Previous screen"),
    Binding(.global(.undo), "u", "Undo the last change", hint: "undo", priority: 60),
    Binding(.global(.redo), "ctrl-r", "Redo", priority: 61),
    Binding(.global(.undoList), "U", "What was done, to undo or redo several at once"),
    Binding(.global(.pauseStubs), "0", "All stubs off, or on again as they were"),
    Binding(.global(.holdAll), "H", "Hold every request, or stop holding"),
    Binding(
      .global(.releaseAll), "A", "Let what is held go on, in order: all, or what the filter shows",
      hint: "release all", priority: 6),
    Binding(.global(.faultsForEverything), "!", "Offline (the airplane switch), timeout, … for every request"),
    Binding(.global(.themes), "T", "Choose a theme"),
    Binding(.global(.toggleMouse), "M", "Mouse on or off (off: the terminal selects text)"),
    Binding(.global(.saveScreen), "", "Save the screen as text and SVG"),
    Binding(.global(.openFile), "", "Open a history, HAR or JSON Lines file to browse it"),
    Binding(.global(.tour), "", "The tour of the first minute: begin it, or end it"),
    Binding(.global(.redraw), "ctrl-l", "Draw the screen again"),
    Binding(.global(.palette), ":", "Find a command by its name", hint: "commands", priority: 69),
    Binding(.global(.help), "? f1", "All keys", hint: "help", priority: 70),
    Binding(.global(.interrupt), "ctrl-c", "Interrupt the command, or leave"),
    Binding(.global(.suspend), "ctrl-z", "Suspend the console"),
    Binding(.global(.quit), "q", "Close the detail, or leave", hint: "quit", priority: 71),
  ]
}

extension Binding {
  static let requestRows: [Binding] = [
    Binding(.requests(.open), "enter", "Open the selected request", hint: "open", priority: 1),
    Binding(.requests(.close), "esc", "Close the detail, then clear the filter", hint: "close", priority: 3),
    Binding(.requests(.switchPane), "tab", "Go between list and detail", hint: "list/detail", priority: 25),
    Binding(
      .requests(.stubFromRequest), "s", "Make a stub of this request (or of the marked ones)", hint: "stub",
      priority: 2),
    Binding(.requests(.sequenceFromMarked), "S", "Make one stub that answers as the marked requests did, in turn"),
    Binding(.requests(.faults), "x", "Make this endpoint fail: the fault menu", hint: "fail", priority: 3),
    Binding(.requests(.editStub), "e", "Edit the stub that answered, or the answer itself", hint: "edit", priority: 4),
    Binding(.requests(.editExternally), "E", "Edit that stub in $EDITOR"),
    Binding(.requests(.hold), "h", "Hold this endpoint, or stop holding it", hint: "hold", priority: 5),
    Binding(.requests(.replay), "r", "Send it again from inside the process", hint: "replay", priority: 7),
    Binding(.requests(.replayEdited), "R", "Edit it, then send it again"),
    Binding(.requests(.copy), "y", "Copy as cURL, URL, body, stub, Swift test, …", hint: "copy", priority: 8),
    Binding(
      .requests(.compare), "D", "Compare with the previous one, or two marked",
      hint: "compare", priority: 30),
    Binding(.requests(.filter), "/", "Filter the requests", hint: "filter", priority: 9),
    Binding(.requests(.clearFilter), "\\", "Clear the filter"),
    Binding(.requests(.filterByValue), "+", "Only requests like this one: host, endpoint, status, …"),
    Binding(.requests(.filterOutValue), "-", "Hide requests like this one: endpoint, host, status, …"),
    Binding(.requests(.savedFilters), "f", "Saved filters by number, and save this one"),
    Binding(.requests(.tag), "t", "Tag the request (or the marked ones)"),
    Binding(.requests(.note), ";", "Write a note about the request"),
    Binding(.requests(.nextFailed), "]", "Next failed request"),
    Binding(.requests(.previousFailed), "[", "Previous failed request"),
    Binding(.requests(.nextHeld), "c", "Go to the next held request", hint: "next held", priority: 6),
    Binding(.requests(.mark), "m", "Mark the request, or unmark it", hint: "mark", priority: 20),
    Binding(.requests(.unmarkAll), "'", "Unmark all"),
    Binding(.requests(.sort), "o", "Sort by a column", hint: "sort", priority: 21),
    Binding(.requests(.reverseSort), "O", "Reverse the order"),
    Binding(.requests(.columns), "C", "Choose the columns"),
    Binding(.requests(.follow), "F", "Follow the newest request, or stop following"),
    Binding(
      .requests(.pause), "p", "Pause the list (everything is still recorded)", hint: "pause",
      priority: 22),
    Binding(.requests(.clear), "z", "Clear the list (u brings it back)", hint: "clear", priority: 23),
    Binding(.requests(.delete), "d del", "Delete the request (or the marked ones) from the history"),
    Binding(.requests(.splitDirection), "v", "Detail below or beside the list"),
    Binding(.requests(.growList), ">", "More room for the list"),
    Binding(.requests(.shrinkList), "<", "More room for the detail"),
    Binding(.requests(.nextDetailTab), "right", "Next tab of the detail", hint: "Request, Timing, Why", priority: 2),
    Binding(.requests(.previousDetailTab), "left", "Previous tab of the detail"),
    Binding(.requests(.exportRequests), "X", "Export what the filter shows: \(ExportFormat.fileLabels)"),
    Binding(.requests(.saveBody), "w", "Save the body to a file"),
    Binding(.requests(.viewBody), "V", "Open the body in the system's viewer"),
    Binding(.requests(.importRequests), "I", "Import an HTTP archive (HAR) of a browser or a proxy"),
    Binding(.requests(.releaseFiltered), "", "Let the held requests that the filter shows go on"),
  ]

  static let detailRows: [Binding] = [
    Binding(.detail(.search), "/", "Search in the body", hint: "search", priority: 1),
    Binding(.detail(.nextMatch), "n", "Next match", hint: "next", priority: 2),
    Binding(.detail(.previousMatch), "N", "Previous match"),
    Binding(
      .detail(.editValue), "e", "Change this value of the answer, live from now on", hint: "edit value", priority: 0),
    Binding(.detail(.fold), "space enter", "Fold or unfold here", hint: "fold", priority: 3),
    Binding(.detail(.foldAll), "-", "Fold everything; again: one level more"),
    Binding(.detail(.unfoldLevel), "+", "Unfold one level more"),
    Binding(.detail(.unfoldAll), "=", "Unfold everything"),
    Binding(.detail(.wrap), "w", "Wrap long lines, or cut them", hint: "wrap", priority: 5),
    Binding(.detail(.lineNumbers), "#", "Line numbers"),
    Binding(.detail(.goToLine), "L", "Go to a line"),
    Binding(.detail(.rawBody), "b", "The body as it came, or made readable"),
  ]

  static let heldRows: [Binding] = [
    Binding(.held(.continueHeld), "c", "Let it go on", hint: "continue", priority: -5),
    Binding(.held(.editHeld), "e", "Edit it before it goes on", hint: "edit", priority: -4),
    Binding(.held(.respondHeld), "a", "Answer it yourself", hint: "answer", priority: -3),
    Binding(.held(.respondWithStub), "w", "Answer it with one of the stubs", hint: "stub's answer", priority: 6),
    Binding(.held(.failHeld), "x", "Make it fail", hint: "fail", priority: -2),
    Binding(.held(.dropHeld), "d", "Drop it: the connection is lost", hint: "drop", priority: -1),
  ]
}
