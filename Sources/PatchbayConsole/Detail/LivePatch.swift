import Foundation
import PatchbayInspect
import PatchbayStubs
import PatchbayWire

/// Another value at one place in the JSON of an endpoint's answers, from now on: the stub that does it.
///
/// The network's answers keep coming and only that path is changed. Where a stub gave the answer, it is that stub's own
/// answer which is changed; where it cannot be (a sequence, a stub in code), a copy of the answer takes its place.
struct LivePatch {
  private let exchange: Exchange
  private let document: JSONValue
  private let edit: ValueEdit
  private let value: JSONValue

  init(of exchange: Exchange, document: JSONValue, _ edit: ValueEdit, to value: JSONValue) {
    self.exchange = exchange
    self.document = document
    self.edit = edit
    self.value = value
  }

  private var request: RecordedRequest { exchange.request }
  private var ids: PatternChoices.IDs { edit.isThisIDOnly ? .exact : .segment }
  private var pattern: RequestPattern { PatternChoices(ids: ids).pattern(of: request) }
  private var place: String { StubProposal.name(of: request, ids: ids) }

  func apply(_ context: ConsoleContext, _ out: inout Outcomes) {
    let board = context.stubs.board
    let said = "\(LivePatch.text(of: edit.steps)) is \(ValueEdit.brief(value))"
    let title = "\(said) in \(place)"
    if let (old, new) = changedAnswer(board) {
      out.change(
        stubs: [.replace(name: old.name, with: new)], back: context.stubs.board.edits(from: new, backTo: old),
        title: "\(said) in “\(old.name)”")
      return out.say(.good, "\(said) in the stub “\(old.name)” from now on.", undoable: true)
    }
    guard exchange.by != .stub && exchange.by != .code else { return addCopy(title, board, &out) }
    guard let patch = document.mergePatch(at: edit.steps, to: value) else {
      return out.say(.error, "The answer has no such value any more.")
    }
    let rest = remark
    if let old = extended(board) {
      var new = old
      guard case .pass(var changes) = old.then else { return }
      changes.mergePatch = changes.mergePatch.map { $0.followed(byPatch: patch) } ?? patch
      new.then = .pass(changes)
      out.change(
        stubs: [.replace(name: old.name, with: new)], back: context.stubs.board.edits(from: new, backTo: old),
        title: title)
    } else {
      let stub = Stub(
        name: board.freeName("patch \(place)"), when: pattern, then: .pass(changes(in: board, patch: patch)))
      out.change(stubs: [.add(stub, at: 0)], back: [.remove(name: stub.name)], title: title)
    }
    out.say(rest.isEmpty ? .good : .warning, "\(title) from now on.\(rest)", undoable: true)
  }

  /// What a merge patch cannot do as exactly as it was asked.
  private var remark: String {
    let list = edit.steps.prefix { if case .member = $0 { true } else { false } }
    if list.count < edit.steps.count {
      return " A patch cannot change one element: all of \(LivePatch.text(of: Array(list))) stays as it is here."
    }
    if value == .null { return " In a patch null removes the member." }
    return ""
  }

  /// The stub whose own JSON was the answer, with the value in it.
  private func changedAnswer(_ board: StubBoard) -> (Stub, Stub)? {
    guard exchange.by == .stub, let old = exchange.stub.flatMap({ board[$0]?.stub }),
      case .respond(var response) = old.then
    else { return nil }
    let body: JSONValue? =
      switch response.body {
      case .json(let json): json
      case .text(let text): try? JSONValue(parsing: text)
      case .data(let data): try? JSONValue(parsing: data)
      case .none, .file, .filler, .folder, .events: nil
      }
    guard let changed = body?.replacing(at: edit.steps, with: value) else { return nil }
    if case .json = response.body { response.body = .json(changed) } else { response.body = .text(changed.indented()) }
    var new = old
    new.then = .respond(response)
    return (old, new)
  }

  /// The first stub that patches just these requests already.
  private func extended(_ board: StubBoard) -> Stub? {
    let matching = StubMatcher(StubSet(stubs: board.stubsInForce)).explain(RequestFacts(of: exchange))
    guard let first = matching.first(where: { $0.verdict == .answers }),
      let stub = board[first.stub]?.stub, case .pass = stub.then, stub.when == pattern
    else { return nil }
    return stub
  }

  /// Slowness and the like that a wider stub gives these requests stay.
  private func changes(in board: StubBoard, patch: JSONValue) -> PassChanges {
    let matching = StubMatcher(StubSet(stubs: board.stubsInForce)).explain(RequestFacts(of: exchange))
    var changes = PassChanges()
    if let first = matching.first(where: { $0.verdict == .answers }),
      case .pass(let before)? = board[first.stub]?.stub.then
    {
      changes = before
    }
    changes.mergePatch = changes.mergePatch.map { $0.followed(byPatch: patch) } ?? patch
    return changes
  }

  private func addCopy(_ title: String, _ board: StubBoard, _ out: inout Outcomes) {
    guard var stub = StubProposal.stub(of: exchange), case .respond(var response) = stub.then,
      let changed = document.replacing(at: edit.steps, with: value)
    else { return out.say(.error, "The stub that answered cannot be changed so; s makes one of its answer.") }
    response.body = .json(changed)
    stub.then = .respond(response)
    stub.when = pattern
    stub.name = board.freeName(place)
    out.change(stubs: [.add(stub, at: 0)], back: [.remove(name: stub.name)], title: title)
    out.say(.good, "\(title) from now on, with the rest of the answer as it is here.", undoable: true)
  }

  /// Such as `user.plan` or `items[0].price`.
  static func text(of steps: [JSONStep]) -> String {
    guard !steps.isEmpty else { return "the answer" }
    return steps.reduce("") { text, step in
      switch step {
      case .member(let name): text + (text.isEmpty ? "" : ".") + shown(name)
      case .element(let place): text + "[\(place)]"
      }
    }
  }

  /// What stubs change in the answers of an endpoint now, by the way to it.
  static func inForce(for exchange: Exchange, _ stubs: StubsSnapshot) -> [[JSONStep]: JSONValue] {
    let patching = stubs.board.stubsInForce.filter {
      if case .pass(let changes) = $0.then { $0.enabled && changes.mergePatch != nil } else { false }
    }
    guard !patching.isEmpty, exchange.by == .network || exchange.by == .cache else { return [:] }
    let facts = RequestFacts(of: exchange)
    guard let first = StubMatcher(StubSet(stubs: patching)).explain(facts).first(where: \.matches),
      case .pass(let changes)? = patching.first(where: { $0.name == first.stub })?.then, let patch = changes.mergePatch
    else { return [:] }
    return Dictionary(patch.patchedValues.map { ($0.steps, $0.value) }) { _, last in last }
  }
}
