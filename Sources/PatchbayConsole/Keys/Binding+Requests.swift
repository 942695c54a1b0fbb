import PatchbayInspect

extension Binding {
  static let requestRows: [Binding] = [
    Binding(.requests(.open), "enter", "Open the selected request", hint: "open", priority: 1),
    Binding(.requests(.close), "esc", "Close the detail, then take the filter away"),
    Binding(.requests(.switchPane), "tab", "Go between list and detail", hint: "list/detail", priority: 25),
    Binding(
      .requests(.stubFromRequest), "s", "Make a stub of this request (or of the marked ones)", hint: "stub",
      priority: 2),
    Binding(.requests(.sequenceFromMarked), "S", "Make one stub that answers as the marked requests did, in turn"),
    Binding(.requests(.faults), "x", "Make this endpoint fail: the fault menu", hint: "fail", priority: 3),
    Binding(.requests(.editStub), "e", "Edit the stub that answered", hint: "edit", priority: 4),
    Binding(.requests(.editExternally), "E", "Edit that stub in $EDITOR"),
    Binding(.requests(.hold), "h", "Hold this endpoint, or stop holding it", hint: "hold", priority: 5),
    Binding(.requests(.replay), "r", "Send it again from inside the process", hint: "replay", priority: 7),
    Binding(.requests(.replayEdited), "R", "Edit it, then send it again"),
    Binding(.requests(.copy), "y", "Copy as cURL, URL, body, stub, Swift test, …", hint: "copy", priority: 8),
    Binding(.requests(.compare), "D", "Compare the two marked requests", hint: "compare", priority: 30),
    Binding(.requests(.filter), "/ f", "Filter the requests", hint: "filter", priority: 9),
    Binding(.requests(.clearFilter), "\\", "Take the filter away"),
    Binding(.requests(.nextFailed), "]", "Go to the next failed request"),
    Binding(.requests(.previousFailed), "[", "Go to the failed request before"),
    Binding(.requests(.nextHeld), "c", "Go to the next held request", hint: "next held", priority: 6),
    Binding(.requests(.mark), "m", "Mark the request, or take its mark away", hint: "mark", priority: 20),
    Binding(.requests(.unmarkAll), "'", "Take all marks away"),
    Binding(.requests(.sort), "o", "Sort by a column", hint: "sort", priority: 21),
    Binding(.requests(.reverseSort), "O", "Turn the order round"),
    Binding(.requests(.columns), "C", "Choose the columns"),
    Binding(.requests(.follow), "F", "Follow the newest request, or stop following"),
    Binding(
      .requests(.pause), "p", "Keep the list still (everything is recorded all the same)", hint: "pause",
      priority: 22),
    Binding(.requests(.clear), "z", "Clear the list (u brings it back)", hint: "clear", priority: 23),
    Binding(.requests(.delete), "d del", "Take the request (or the marked ones) out of the history"),
    Binding(.requests(.splitDirection), "v", "Detail below or beside the list"),
    Binding(.requests(.growList), ">", "More room for the list"),
    Binding(.requests(.shrinkList), "<", "More room for the detail"),
    Binding(.requests(.nextDetailTab), "right", "Next tab of the detail"),
    Binding(.requests(.previousDetailTab), "left", "Tab of the detail before"),
    Binding(.requests(.exportRequests), "X", "Export what the filter shows: \(ExportFormat.fileLabels)"),
    Binding(.requests(.importRequests), "I", "Import an HTTP archive (HAR) of a browser or a proxy"),
    Binding(.requests(.releaseFiltered), "", "Let the held requests that the filter shows go on"),
  ]

  static let detailRows: [Binding] = [
    Binding(.detail(.search), "/", "Search in the body", hint: "search", priority: 1),
    Binding(.detail(.nextMatch), "n", "Next place found", hint: "next", priority: 2),
    Binding(.detail(.previousMatch), "N", "Place found before"),
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
