extension Binding {
  /// The whole table as it is without a config file.
  public static let table: [Binding] =
    requestRows + detailRows + heldRows + stubRows + trafficRows + processRows + outputRows + formRows + globalRows

  static let stubRows: [Binding] = [
    Binding(.toggleStub, in: .stubs, "space", "Switch the stub on or off", hint: "on/off", priority: 1),
    Binding(.addStub, in: .stubs, "a", "Add a stub", hint: "add", priority: 2),
    Binding(.editStub, in: .stubs, "e enter", "Edit the stub", hint: "edit", priority: 3),
    Binding(.editExternally, in: .stubs, "E", "Edit the stub as YAML in $EDITOR"),
    Binding(.moveStubDown, in: .stubs, "J", "Move the stub down", hint: "move", priority: 4),
    Binding(.moveStubUp, in: .stubs, "K", "Move the stub up"),
    Binding(.delete, in: .stubs, "d del", "Delete the stub", hint: "delete", priority: 5),
    Binding(.duplicateStub, in: .stubs, "c", "Copy the stub into a new one", hint: "duplicate", priority: 12),
    Binding(.writeStubs, in: .stubs, "w", "Write the changed stubs to their files", hint: "write", priority: 6),
    Binding(.bringBackStubs, in: .stubs, "B", "Bring back the stubs that an earlier console did not write"),
    Binding(.revertStub, in: .stubs, "W", "Take back the changes to this stub"),
    Binding(.resetCounts, in: .stubs, "r", "Set the hit counters back", hint: "reset", priority: 11),
    Binding(.copy, in: .stubs, "y", "Copy the stub as YAML", hint: "copy", priority: 14),
    Binding(.filter, in: .stubs, "/", "Show the requests that this stub answered", hint: "its requests", priority: 13),
  ]

  static let trafficRows: [Binding] = [
    Binding(.open, in: .traffic, "enter", "Show the requests of this row", hint: "requests", priority: 1),
    Binding(.groupTraffic, in: .traffic, "g space", "By host or by endpoint", hint: "host/endpoint", priority: 2),
    Binding(.sort, in: .traffic, "o", "Sort by the next column", hint: "sort", priority: 3),
    Binding(.reverseSort, in: .traffic, "O", "Turn the order round", hint: "reverse", priority: 4),
    Binding(.filter, in: .traffic, "/", "Filter the requests that are counted", hint: "filter", priority: 5),
  ]

  static let processRows: [Binding] = [
    Binding(.open, in: .processes, "enter", "Show the requests of this process", hint: "requests", priority: 1),
    Binding(
      .degree, in: .processes, "space b", "Full, observe only, or bypass", hint: "full/observe/bypass",
      priority: 2),
  ]

  static let outputRows: [Binding] = [
    Binding(.sendInput, in: .output, "i", "Type a line for the command", hint: "input", priority: 1),
    Binding(.search, in: .output, "/", "Search in the output", hint: "search", priority: 2),
    Binding(.nextMatch, in: .output, "n", "Next place found"),
    Binding(.previousMatch, in: .output, "N", "Place found before"),
    Binding(.follow, in: .output, "F", "Follow the newest line, or stop following", hint: "follow", priority: 4),
    Binding(.wrap, in: .output, "w", "Wrap long lines, or cut them", hint: "wrap", priority: 5),
  ]

  static let formRows: [Binding] = [
    Binding(.save, in: .form, "ctrl-s", "Save; it is in force at once", hint: "save", priority: 1),
    Binding(.cancel, in: .form, "esc", "Leave; asks only if something would be lost", hint: "leave", priority: 2),
    Binding(.nextField, in: .form, "tab", "Next field", hint: "next field", priority: 3),
    Binding(.previousField, in: .form, "shift-tab", "Field before"),
    Binding(.format, in: .form, "ctrl-f", "Make the JSON readable", hint: "format", priority: 4),
    Binding(
      .searchText, in: .form, "ctrl-g", "Search in the text; again for the next place", hint: "search",
      priority: 8),
    Binding(.replaceText, in: .form, "ctrl-r", "Search and replace in the text", hint: "replace", priority: 9),
    Binding(.editorUndo, in: .form, "ctrl-z", "Undo in the text", hint: "undo", priority: 6),
    Binding(.editorRedo, in: .form, "ctrl-y", "Redo in the text"),
    Binding(.editorCut, in: .form, "ctrl-x", "Cut the selected text, or the line"),
    Binding(.editorCopy, in: .form, "ctrl-c", "Copy the selected text, or the line"),
    Binding(.editorPaste, in: .form, "ctrl-v", "Paste what was cut or copied here"),
    Binding(.selectAll, in: .form, "ctrl-a", "Select the whole text"),
    Binding(.editExternally, in: .form, "ctrl-e", "Go on in $EDITOR", hint: "$EDITOR", priority: 7),
    Binding(.addStep, in: .form, "ctrl-n", "Add a step to the sequence, after this one"),
    Binding(.removeStep, in: .form, "ctrl-o", "Take this step out of the sequence"),
    Binding(.moveStepEarlier, in: .form, "ctrl-t", "Put this step before the one before it"),
    Binding(
      .showMatches, in: .form, "ctrl-p", "Show the recorded requests that the pattern fits", hint: "matches",
      priority: 5),
  ]

  static let globalRows: [Binding] = [
    Binding(.down, in: .global, "j down", "Down"),
    Binding(.up, in: .global, "k up", "Up"),
    Binding(.pageDown, in: .global, "pgdn ctrl-f", "A page down"),
    Binding(.pageUp, in: .global, "pgup ctrl-b", "A page up"),
    Binding(.halfDown, in: .global, "ctrl-d", "Half a page down"),
    Binding(.halfUp, in: .global, "ctrl-u", "Half a page up"),
    Binding(.first, in: .global, "g home", "To the first"),
    Binding(.last, in: .global, "G end", "To the last, and follow"),
    Binding(.showRequests, in: .global, "1", "Requests"),
    Binding(.showStubs, in: .global, "2", "Stubs"),
    Binding(.showTraffic, in: .global, "3", "Traffic by host and endpoint"),
    Binding(.showProcesses, in: .global, "4", "Linked processes"),
    Binding(.showOutput, in: .global, "5", "The command's output"),
    Binding(.nextTab, in: .global, "}", "Next screen"),
    Binding(.previousTab, in: .global, "{", "Screen before"),
    Binding(.undo, in: .global, "u", "Undo the last change", hint: "undo", priority: 60),
    Binding(.redo, in: .global, "ctrl-r", "Redo", priority: 61),
    Binding(.undoList, in: .global, "U", "What was done, to undo or redo several at once"),
    Binding(.holdAll, in: .global, "H", "Hold every request, or stop holding"),
    Binding(
      .releaseAll, in: .global, "A", "Let what is held go on, in order: all, or what the filter shows",
      hint: "release all", priority: 6),
    Binding(.faultsForEverything, in: .global, "!", "A fault for every request: the airplane switch"),
    Binding(.themes, in: .global, "T", "Choose a theme"),
    Binding(.toggleMouse, in: .global, "M", "Mouse on or off (off: the terminal selects text)"),
    Binding(.saveScreen, in: .global, "", "Save the screen as text and SVG"),
    Binding(.redraw, in: .global, "ctrl-l", "Draw the screen again"),
    Binding(.palette, in: .global, ":", "Find a command by its name", hint: "commands", priority: 69),
    Binding(.help, in: .global, "? f1", "All keys", hint: "help", priority: 70),
    Binding(.interrupt, in: .global, "ctrl-c", "Interrupt the command, or leave"),
    Binding(.suspend, in: .global, "ctrl-z", "Suspend the console"),
    Binding(.quit, in: .global, "q", "Leave", hint: "quit", priority: 71),
  ]
}
