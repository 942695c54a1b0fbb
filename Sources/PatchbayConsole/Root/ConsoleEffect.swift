import Foundation
import PatchbayInspect
import PatchbayStubs
import PatchbayWire

/// What the state asks the runtime to do. Nothing here waits: what comes of it comes back as a `ConsoleEvent`.
package enum ConsoleEffect: Sendable, Equatable {
  /// Find the ids that fit (answered by `.ids`, in batches, newest first unless sorted) and, from now on, say with
  /// each live change whether it fits. A newer query replaces this one.
  case runQuery(ExchangeQuery)
  /// Answered by `.summaries`.
  case loadSummaries([Int64])
  /// Answered by `.exchange`, again at each change until another is watched; nil watches none.
  case watchExchange(Int64?)
  /// Requests near that one in time, by the same process, with the same method and URL; answered by `.retries`.
  case loadRetries(Int64)
  /// That exchange behind the one before it of the same endpoint, whole; answered by `.fetched`, or by a notice where
  /// there is none. To answer it oneself: behind the last real answer, or alone.
  case fetchWithPrevious(Int64, for: FetchPurpose)
  /// Whole exchanges, once; answered by `.fetched` with the same purpose.
  case fetch([Int64], for: FetchPurpose)
  /// Answered by `.board` when it is done.
  case editStubs([StubEdit])
  case resetCounts(name: String?)
  /// Moves a scenario in every process.
  case setScenario(ScenarioState)
  /// The switch that holds everything; nil is off.
  case setHoldAll(Action.HoldPoint?)
  /// What becomes of requests that no stub takes.
  case setUnmatched(StubSet.Unmatched)
  /// Read a stub file, and from now on each time that it is saved; answered by `.stubFileLoaded`, unless it was loaded
  /// before and only comes back.
  case loadStubFile(String, isAgain: Bool = false)
  /// The stubs of that file go, and it is watched no longer.
  case forgetStubFile(String)
  /// Decide held exchanges, in this order.
  case decide([HeldDecision])
  /// Send again from inside the harness, edited where a request is given.
  case replay(Int64, RecordedRequest?)
  /// To the clipboard; answered by a notice that says where it went. `label` says what it is.
  case copy(text: String, label: String)
  /// A copy in a format that is made of the whole exchange (`curl`, `swift`, `har`), like `copy`.
  case copyExchange(Int64, CopyKind)
  /// Stubs as YAML to the clipboard, like `copy`.
  case copyStubs([Stub])
  /// Let `$VISUAL`/`$EDITOR` have it; answered by `.editorReturned`.
  case openEditor(EditorJob)
  /// Write the stubs changed on screen to their files.
  case writeStubs
  case setMarked([Int64], Bool)
  case setRemarks([Int64: Remark])
  /// Take them out of the history, or put them back.
  case setDeleted([Int64], Bool)
  /// Answered by `.traffic`; nothing is asked again until then.
  case loadTraffic(token: Int, filter: String)
  /// What there is to say of the requests that fit; answered by `.trafficDetail`.
  case loadTrafficDetail(token: Int, filter: String)
  /// The text of a stub and the last of the requests that fit, those that it took; answered by `.stubDetail`.
  case loadStubDetail(Stub, filter: String)
  /// How many recorded requests fit; answered by `.preview`.
  case preview(token: Int, RequestPattern)
  case setDegree(instance: UInt64, HookSettings.Degree)
  /// The running programs that could be attached to; answered by `.programs`.
  case findPrograms
  /// Attach to a running program; answered by a notice, and by `.links` where it went well.
  case attach(process: Int32)
  /// Bytes for the command's standard input.
  case sendToCommand(Data)
  /// SIGINT to the command's group.
  case interruptCommand
  case export(ExportFormat, filter: String)
  /// Write the requests that fit as stubs to a new file and load it; answered by `.stubFileLoaded`, `isOffline`.
  case playOffline(filter: String)
  /// Record the exchanges of an archive; answered by `.imported`.
  case importFile(String)
  /// Browse a file of recorded exchanges until the person leaves it; the screen is another console's meanwhile.
  case openFile(String)
  /// Write that body to a file, or to a temporary one that the system's viewer opens; answered by a notice.
  case saveBody(Int64, BodySide, opens: Bool)
  /// Answered by `.pathCompletions`.
  case completePath(String, isStubFile: Bool = false)
  /// Keep what stands in the form that is open, for the case that the console ends; nil: it was closed.
  case keepDraft(KeptDraft?)
  /// Forget what an earlier console left: the person decided. The next, if there is one, comes as `.kept`.
  case dropKept(id: String)
  /// Keep it as it was, for that decision was undone: where nothing else is said the next console offers it again.
  case keepAgain(KeptStubs)
  /// Compare two exchanges; answered by `.compared` with the same purpose.
  case compare([Exchange], for: FetchPurpose)
  /// Stop the long work of that token.
  case cancelWork(Int)
  /// Keep what the person chose: theme, columns, split.
  case saveView(ViewSettings)
  /// Put the theme in force; answered by `.theme`.
  case useTheme(String)
  /// Answered by `.swatches`.
  case loadSwatches
  /// The screen as text and SVG in files.
  case saveScreen
  /// All of the screen is to be sent again, for something else has written on it.
  case redraw
  case suspend
  case quit
}

/// One search over the exchanges.
package struct ExchangeQuery: Sendable, Equatable {
  /// Rises with each query; answers carry it.
  package var token: Int
  /// In the filter language; empty is all.
  package var filter: String
  /// Only ids above it.
  package var after: Int64
  package var sort: SortOrder

  package init(token: Int, filter: String = "", after: Int64 = 0, sort: SortOrder = .arrival) {
    self.token = token
    self.filter = filter
    self.after = after
    self.sort = sort
  }
}

/// What the person decided for one held exchange, by its id in the history.
package struct HeldDecision: Sendable, Equatable {
  package var id: Int64
  package var decision: Verdict.Decision

  package init(id: Int64, decision: Verdict.Decision) {
    self.id = id
    self.decision = decision
  }
}

/// What whole exchanges are wanted for.
package enum FetchPurpose: Sendable, Equatable {
  case stubs
  case sequence
  case compare
  /// To compare what the program asked with what went out.
  case compareSent
  /// To say how what was sent again compares with its original.
  case replayed
  case copy(CopyKind)
  /// To edit before it is sent again.
  case replay
  /// To edit what is held, or to answer it.
  case editHeld
  case answerHeld
  /// To answer it with what a stub would answer.
  case answer(stub: String, Action)
  /// To show what the templates of the form that asks become.
  case sample(token: Int)
}

extension FetchPurpose {
  /// Nothing is said where nothing comes of it.
  var isQuiet: Bool {
    switch self {
    case .sample, .replayed: true
    default: false
    }
  }
}

/// Which of the two bodies.
package enum BodySide: Sendable, Equatable { case request, response }

/// What of a request is copied.
package enum CopyKind: String, Sendable, CaseIterable {
  case curl
  case url
  case requestBody
  case responseBody
  case requestHeaders
  case responseHeaders
  case stub
  case swift
  case har
}

/// What the person's own editor is to open.
package struct EditorJob: Sendable, Equatable {
  package enum Content: Sendable, Equatable {
    /// The stub as YAML; comes back as `.editorReturned` with the stub that was read.
    case stub(Stub)
    /// Any text, with the file name extension that helps the editor.
    case text(String, fileExtension: String)
  }

  /// Comes back with the answer.
  package var token: Int
  package var content: Content
  /// The text to begin with in the place of the content's own: one that could not be read.
  package var draft: String?

  package init(token: Int, content: Content, draft: String? = nil) {
    self.token = token
    self.content = content
    self.draft = draft
  }
}
