import PatchbayInspect

extension Binding {
  static let requestRows: [Binding] = [
    Binding(.open, in: .requests, "enter", "Open the selected request", hint: "open", priority: 1),
    Binding(.close, in: .requests, "esc", "Close the detail, then take the filter away"),
    Binding(.switchPane, in: .requests, "tab", "Go between list and detail", hint: "list/detail", priority: 25),
    Binding(
      .stubFromRequest, in: .requests, "s", "Make a stub of this request (or of the marked ones)", hint: "stub",
      priority: 2),
    Binding(.sequenceFromMarked, in: .requests, "S", "Make one stub that answers as the marked requests did, in turn"),
    Binding(.faults, in: .requests, "x", "Make this endpoint fail: the fault menu", hint: "fail", priority: 3),
    Binding(.editStub, in: .requests, "e", "Edit the stub that answered", hint: "edit", priority: 4),
    Binding(.editExternally, in: .requests, "E", "Edit that stub in $EDITOR"),
    Binding(.hold, in: .requests, "h", "Hold this endpoint, or stop holding it", hint: "hold", priority: 5),
    Binding(.replay, in: .requests, "r", "Send it again from inside the process", hint: "replay", priority: 7),
    Binding(.replayEdited, in: .requests, "R", "Edit it, then send it again"),
    Binding(.copy, in: .requests, "y", "Copy as cURL, URL, body, stub, Swift test, …", hint: "copy", priority: 8),
    Binding(.compare, in: .requests, "D", "Compare the two marked requests", hint: "compare", priority: 30),
    Binding(.filter, in: .requests, "/ f", "Filter the requests", hint: "filter", priority: 9),
    Binding(.clearFilter, in: .requests, "\\", "Take the filter away"),
    Binding(.nextFailed, in: .requests, "]", "Go to the next failed request"),
    Binding(.previousFailed, in: .requests, "[", "Go to the failed request before"),
    Binding(.nextHeld, in: .requests, "c", "Go to the next held request", hint: "next held", priority: 6),
    Binding(.mark, in: .requests, "m", "Mark the request, or take its mark away", hint: "mark", priority: 20),
    Binding(.unmarkAll, in: .requests, "'", "Take all marks away"),
    Binding(.sort, in: .requests, "o", "Sort by a column", hint: "sort", priority: 21),
    Binding(.reverseSort, in: .requests, "O", "Turn the order round"),
    Binding(.columns, in: .requests, "C", "Choose the columns"),
    Binding(.follow, in: .requests, "F", "Follow the newest request, or stop following"),
    Binding(
      .pause, in: .requests, "p", "Keep the list still (everything is recorded all the same)", hint: "pause",
      priority: 22),
    Binding(.clear, in: .requests, "z", "Clear the list (u brings it back)", hint: "clear", priority: 23),
    Binding(.delete, in: .requests, "d del", "Take the request (or the marked ones) out of the history"),
    Binding(.splitDirection, in: .requests, "v", "Detail below or beside the list"),
    Binding(.growList, in: .requests, ">", "More room for the list"),
    Binding(.shrinkList, in: .requests, "<", "More room for the detail"),
    Binding(.nextDetailTab, in: .requests, "right", "Next tab of the detail"),
    Binding(.previousDetailTab, in: .requests, "left", "Tab of the detail before"),
    Binding(.exportRequests, in: .requests, "X", "Export what the filter shows: \(ExportFormat.fileLabels)"),
    Binding(.importRequests, in: .requests, "I", "Import an HTTP archive (HAR) of a browser or a proxy"),
    Binding(.releaseFiltered, in: .requests, "", "Let the held requests that the filter shows go on"),
  ]

  static let detailRows: [Binding] = [
    Binding(.search, in: .detail, "/", "Search in the body", hint: "search", priority: 1),
    Binding(.nextMatch, in: .detail, "n", "Next place found", hint: "next", priority: 2),
    Binding(.previousMatch, in: .detail, "N", "Place found before"),
    Binding(.fold, in: .detail, "space enter", "Fold or unfold here", hint: "fold", priority: 3),
    Binding(.foldAll, in: .detail, "-", "Fold everything; again: one level more"),
    Binding(.unfoldLevel, in: .detail, "+", "Unfold one level more"),
    Binding(.unfoldAll, in: .detail, "=", "Unfold everything"),
    Binding(.wrap, in: .detail, "w", "Wrap long lines, or cut them", hint: "wrap", priority: 5),
    Binding(.lineNumbers, in: .detail, "#", "Line numbers"),
    Binding(.goToLine, in: .detail, "L", "Go to a line"),
    Binding(.rawBody, in: .detail, "b", "The body as it came, or made readable"),
  ]

  static let heldRows: [Binding] = [
    Binding(.continueHeld, in: .held, "c", "Let it go on", hint: "continue", priority: -5),
    Binding(.editHeld, in: .held, "e", "Edit it before it goes on", hint: "edit", priority: -4),
    Binding(.respondHeld, in: .held, "a", "Answer it yourself", hint: "answer", priority: -3),
    Binding(.respondWithStub, in: .held, "w", "Answer it with one of the stubs", hint: "stub's answer", priority: 6),
    Binding(.failHeld, in: .held, "x", "Make it fail", hint: "fail", priority: -2),
    Binding(.dropHeld, in: .held, "d", "Drop it: the connection is lost", hint: "drop", priority: -1),
  ]
}
