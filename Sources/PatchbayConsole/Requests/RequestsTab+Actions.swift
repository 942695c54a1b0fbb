import Foundation
import PatchbayGrid
import PatchbayInspect
import PatchbayStubs
import PatchbayWire

// What is done with requests: it changes nothing of the tab, and all comes of outcomes.

extension RequestsTab {
  /// Whether a command would do something now.
  func isPossible(_ command: RequestsCommand) -> Bool {
    switch command {
    case .open: list.selectedID != nil && !detail.isOpen
    case .nextDetailTab, .previousDetailTab, .close: detail.isOpen
    case .filterByValue, .filterOutValue, .tag, .note, .saveBody, .viewBody, .stubFromRequest, .faults, .hold, .replay,
      .copy, .mark, .delete:
      list.selectedID != nil
    case .editStub: selected?.stub != nil || selected?.status != nil
    case .sort, .reverseSort, .pause, .clear, .switchPane: !list.order.isEmpty
    case .compare: list.marks.count == 2 || list.marks.isEmpty && selected != nil
    case .nextHeld: !recorded.held.isEmpty
    default: true
    }
  }

  /// Says that a request waits, and what can be done with it.
  func announceHeld(_ summary: ExchangeSummary, _ context: ConsoleContext, _ out: inout Outcomes) {
    guard context.isFree else { return }
    let isSelected = context.tab == .requests && list.selectedID == summary.id
    let ways: [(ConsoleCommand, String)] =
      isSelected
      ? [(.held(.editHeld), "edits it"), (.held(.continueHeld), "lets it go on")]
      : [(.requests(.nextHeld), "goes there")]
    let hints = ways.compactMap { command, what in
      context.keys.bindings.first { $0.command == command && !$0.keys.isEmpty }.map { "\($0.keyLabel) \(what)" }
    }
    let text = (["Held: \(summary.method) \(summary.host)\(summary.path)"] + hints).joined(separator: "  ")
    out.add(.say(Notice(.warning, text), isAboutHeld: true))
  }

  // MARK: Whole exchanges

  func fetch(_ ids: [Int64], for purpose: FetchPurpose, _ out: inout Outcomes) {
    if !ids.isEmpty { out.perform(.fetch(ids, for: purpose)) }
  }

  func fetchSelected(for purpose: FetchPurpose, _ out: inout Outcomes) {
    fetch(list.selectedID.map { [$0] } ?? [], for: purpose, &out)
  }

  func received(
    _ exchanges: [Exchange], for purpose: FetchPurpose, _ context: ConsoleContext, _ out: inout Outcomes
  ) {
    if exchanges.isEmpty, purpose.isQuiet { return }
    guard let first = exchanges.first else { return out.say(.error, "That request is no longer recorded.") }
    switch purpose {
    case .stubs: StubOffer.addStubs(of: exchanges, context, &out)
    case .sequence: StubOffer.addSequence(of: exchanges, context, &out)
    case .compare:
      guard exchanges.count == 2 else { return out.say(.error, "One of the two requests is no longer recorded.") }
      compare(exchanges, for: purpose, context, &out)
    case .compareSent: if let page = ComparePage(sentOf: first) { out.open(page) }
    case .replayed: if exchanges.count == 2 { compare(exchanges, for: purpose, context, &out) }
    case .copy(let kind): copy(kind, of: first, &out)
    case .replay: open(ExchangeForm(replaying: first), &out)
    case .editHeld: open(ExchangeForm(editing: first), &out)
    case .answerHeld:
      // The one that is held comes last, behind the last real answer where there is one.
      open(ExchangeForm(answering: exchanges[exchanges.count - 1], as: exchanges.count == 2 ? first : nil), &out)
    case .answer(let name, let action): answer(first, with: action, of: name, context, &out)
    // The form that asked takes it.
    case .sample: break
    }
  }

  private func open(_ form: ExchangeForm, _ out: inout Outcomes) {
    out.add(.hush(onlyAboutHeld: true))
    guard form.purpose == .replay || recorded.held.contains(form.exchange.id) else { return sayNotHeld(&out) }
    out.open(form)
  }

  private func sayNotHeld(_ out: inout Outcomes) {
    out.say(.error, "That request is no longer held; the program went on or cancelled it.")
  }

  /// Opens the editor on the stub that answered the selected request.
  func editAnsweringStub(externally: Bool, _ context: ConsoleContext, _ out: inout Outcomes) {
    guard let selected else { return }
    guard let name = selected.stub, let entry = context.stubs.board[name] else {
      let gone = selected.stub.map { "The stub “\($0)” is no longer there" } ?? "No stub answered this request"
      return out.say(.info, "\(gone); s makes one of it.")
    }
    if externally {
      out.add(.stubs(.editExternally(entry.stub, draft: nil)))
    } else {
      out.open(StubForm(editing: entry.stub))
    }
  }

  // MARK: Held requests

  /// Those held requests that the filter shows, in the order in which they were stopped.
  var heldInSight: [Int64] { recorded.held.ids.filter { list.order.index(of: $0) != nil } }

  /// Everything that is held; with a filter on, the person says whether only what it shows.
  func releaseAll(_ out: inout Outcomes) {
    let shown = heldInSight
    guard shown.count < recorded.held.ids.count else { return release(recorded.held.ids, &out) }
    var items: [Menu<[Outcome]>.Item] = [
      .init("A", "All \(Wording.count(recorded.held.ids.count))", [.requests(.release(recorded.held.ids))])
    ]
    if !shown.isEmpty {
      items.append(
        .init("f", "Only the \(Wording.count(shown.count)) that the filter shows", [.requests(.release(shown))]))
    }
    let note = (shown.isEmpty ? "the list does not show them" : "in their order") + " · esc: they stay held"
    out.open(MenuBox(Menu(title: "Let held requests go on", items: items, note: note)))
  }

  func release(_ ids: [Int64], _ out: inout Outcomes) {
    let ids = ids.filter(recorded.held.contains)
    guard !ids.isEmpty else { return out.say(.info, "Nothing is held.") }
    out.perform(.decide(ids.map { HeldDecision(id: $0, decision: .continue(request: nil, response: nil)) }))
    out.say(.good, "\(Wording.count(ids.count, "request")) released.")
  }

  func decide(_ id: Int64, _ decision: Verdict.Decision, _ out: inout Outcomes) {
    out.perform(.decide([HeldDecision(id: id, decision: decision)]))
  }

  /// The stubs that can answer what is held, switched off or on, whatever they match.
  func openAnswers(_ context: ConsoleContext, _ out: inout Outcomes) {
    let items = context.stubs.board.entries.flatMap { entry in
      StubWords.answers(entry.stub).map { label, action in
        Menu<[Outcome]>.Item(
          nil, label, detail: StubWords.action(action),
          [.requests(.fetchSelected(.answer(stub: entry.stub.name, action)))])
      }
    }
    guard !items.isEmpty else { return out.say(.info, "There is no stub that answers; a answers by hand.") }
    out.open(MenuBox(Menu(title: "Answer with the stub", items: items, note: "this request only")))
  }

  /// The templates are filled in from the held request as it is.
  private func answer(
    _ exchange: Exchange, with action: Action, of name: String, _ context: ConsoleContext, _ out: inout Outcomes
  ) {
    guard recorded.held.contains(exchange.id) else { return sayNotHeld(&out) }
    switch action {
    case .fail(let fault): decide(exchange.id, .fail(fault), &out)
    case .respond(let response):
      let count = UInt64(context.stubs.hits[name]?.hits ?? 0) + 1
      let facts = RequestFacts(of: exchange)
      let template =
        context.stubs.board.entries.first { $0.stub.name == name }
        .map { TemplateContext(facts, of: $0.stub, count: count) } ?? TemplateContext(facts, count: count)
      decide(exchange.id, .respond(response.filled(in: template)), &out)
    default: return
    }
    out.say(.good, "Answered as “\(name)” would.")
  }

  // MARK: Comparing

  func compareMarked(_ out: inout Outcomes) {
    let marks = list.marks
    if marks.count == 2 { return fetch(marks.sorted(), for: .compare, &out) }
    if marks.isEmpty, let selected, selected.isRewritten, detail.isOpen, detail.tab == .request {
      return fetch([selected.id], for: .compareSent, &out)
    }
    // Without two marks: a request that was sent again, with the one that it repeats; any other with the one before it.
    if let selected, let original = selected.replayOf {
      return fetch([original, selected.id], for: .compare, &out)
    }
    if let pair = recorded.lastReplay, pair.original == list.selectedID {
      return fetch([pair.original, pair.replay], for: .compare, &out)
    }
    guard marks.isEmpty, let selected else {
      return out.say(.info, "Mark two requests with m, then compare them (\(Wording.count(marks.count)) marked).")
    }
    out.perform(.fetchWithPrevious(selected.id, for: .compare))
  }

  /// Bodies of megabytes are compared away from the keys.
  private func compare(
    _ exchanges: [Exchange], for purpose: FetchPurpose, _ context: ConsoleContext, _ out: inout Outcomes
  ) {
    guard ComparePage.isSlow(exchanges) else {
      return received(ComparePage(exchanges[0], exchanges[1]), of: exchanges, for: purpose, context, &out)
    }
    if purpose == .compare { out.say(.info, "Comparing…") }
    out.perform(.compare(exchanges, for: purpose))
  }

  func received(
    _ page: ComparePage, of exchanges: [Exchange], for purpose: FetchPurpose, _ context: ConsoleContext,
    _ out: inout Outcomes
  ) {
    switch purpose {
    case .compare where context.isFree:
      out.add(.hush(onlyAboutHeld: false))
      if context.topBox == .offer { out.close() }
      out.open(page)
    case .replayed: tell(replayed: exchanges, page, &out)
    default: break
    }
  }

  private func tell(replayed exchanges: [Exchange], _ page: ComparePage, _ out: inout Outcomes) {
    let count = page.differences
    let outcome = OutcomeLook(exchanges[1].summary).text
    let verdict = count == 0 ? "answered the same" : "\(Wording.count(count, "difference")), D compares"
    let sender = Self.sender(exchanges)
    out.say(
      count == 0 ? .good : .warning,
      "Request \(exchanges[0].id), sent again as \(exchanges[1].id)\(sender): \(outcome), \(verdict).")
  }

  /// Who has sent a request again, where it was not the process that it came from.
  private static func sender(_ exchanges: [Exchange]) -> String {
    let (before, now) = (exchanges[0].process, exchanges[1].process)
    guard before != now else { return "" }
    let name = SafeText.line(before.name)
    return before.name == now.name ? " by \(name) \(now.pid)" : " by the console, for \(name) has gone"
  }

  // MARK: Menus

  var sortMenu: MenuBox {
    let current = list.query.sort
    let items = RequestColumn.allCases.filter { $0 != .timeline }.enumerated().map { place, column in
      let arrow = current.column == column ? (current.descending ? "↓" : "↑") : ""
      return Menu<[Outcome]>.Item(
        place < 9 ? String(place + 1) : nil, column == .number ? "order of arrival" : column.title, detail: arrow,
        [.requests(.sort(by: column))])
    }
    return MenuBox(Menu(title: "Sort by", items: items, note: "O reverses the order"))
  }

  func resizeList(_ step: Int, _ context: ConsoleContext, _ out: inout Outcomes) {
    var view = context.view
    view.listShare = max(15, min(85, view.listShare + step))
    out.add(.view(view))
  }

  // MARK: Copying and exporting

  func openCopyMenu(_ out: inout Outcomes) {
    guard list.selectedID != nil else { return }
    func item(_ key: String, _ label: String, _ kind: CopyKind) -> Menu<[Outcome]>.Item {
      .init(key, label, [.requests(.fetchSelected(.copy(kind)))])
    }
    func item(_ key: String, _ name: String, _ text: String, _ label: String, detail: String = "")
      -> Menu<[Outcome]>.Item
    {
      .init(key, name, detail: detail, [.effect(.copy(text: text, label: label))])
    }
    var items = [
      item("c", "cURL command", .curl), item("u", "URL", .url), item("b", "Response body", .responseBody),
      item("r", "Request body", .requestBody), item("h", "Response headers", .responseHeaders),
      item("H", "Request headers", .requestHeaders), item("s", "Stub as YAML", .stub), item("t", "Swift test", .swift),
      item("a", "HAR entry", .har),
    ]
    if detail.hasKeys {
      let page = detail.page
      if let path = page.path { items.insert(item("p", "JSON path", path, "the JSON path", detail: path), at: 0) }
      if let value = page.value {
        let detail = String(value.prefix(60))
        items.insert(item("v", "JSON value", value, "the JSON value", detail: detail), at: 0)
      }
      items.append(item("l", "This line", page.line(page.cursor).text, "the line"))
    }
    out.open(MenuBox(Menu(title: "Copy", items: items)))
  }

  private func copy(_ kind: CopyKind, of exchange: Exchange, _ out: inout Outcomes) {
    let (request, response) = (exchange.request, exchange.response)
    func fields(_ headers: [HeaderField]) -> String {
      headers.map { "\($0.name): \($0.value)" }.joined(separator: "\n")
    }
    switch kind {
    case .curl, .swift, .har: out.perform(.copyExchange(exchange.id, kind))
    case .url: out.perform(.copy(text: request.url, label: "the URL"))
    case .requestBody: copyBody(request.body, request.headers, "the request's body", &out)
    case .responseBody: copyBody(response?.body, response?.headers ?? [], "the response's body", &out)
    case .requestHeaders: out.perform(.copy(text: fields(request.headers), label: "the request's headers"))
    case .responseHeaders:
      out.perform(.copy(text: fields(response?.headers ?? []), label: "the response's headers"))
    case .stub:
      guard let stub = StubProposal.stub(of: exchange) else {
        return out.say(.error, "That request has no answer yet.")
      }
      out.perform(.copyStubs([stub]))
    }
  }

  private func copyBody(_ body: Data?, _ headers: [HeaderField], _ label: String, _ out: inout Outcomes) {
    guard let body, !body.isEmpty else { return out.say(.info, "There is no body to copy.") }
    let readable = BodyText.utf8(body, contentType: headers.first(named: "Content-Type"))
    guard let text = String(validating: readable, as: UTF8.self) else {
      return out.perform(.copy(text: body.base64EncodedString(), label: "\(label) as base64"))
    }
    out.perform(.copy(text: text, label: label))
  }

  func openExport(_ context: ConsoleContext, _ out: inout Outcomes) {
    var items = ExportFormat.allCases.map {
      Menu<[Outcome]>.Item($0.key, $0.title, detail: $0.detail, [.effect(.export($0, filter: bar.applied))])
    }
    if context.setup.openedFile == nil {
      items.append(
        .init(
          "o", "Play them offline", detail: "as stubs; all else fails", [.effect(.playOffline(filter: bar.applied))]))
    }
    let count = Wording.count(list.order.count, "request")
    let note = context.setup.withSecrets ? "with secrets" : "secrets are masked"
    out.open(MenuBox(Menu(title: "Export \(count)", items: items, note: note)))
  }
}

extension RequestFacts {
  init(of exchange: Exchange) {
    self.init(
      method: exchange.request.method, url: exchange.request.url, headers: exchange.request.headers,
      body: exchange.request.body, process: exchange.process.name, pid: exchange.process.pid)
  }
}
