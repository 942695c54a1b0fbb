import Foundation
import PatchbayStubs
import PatchbayWire

extension ConsoleState {
  /// The stubs that can answer what is held, switched off or on, whatever they match.
  mutating func openAnswers() {
    let items = stubs.board.entries.flatMap { entry in
      StubText.answers(entry.stub).map { label, action in
        Menu.Item(nil, label, detail: StubText.action(action), .answer(stub: entry.stub.name, action))
      }
    }
    guard !items.isEmpty else { return say(.info, "There is no stub that answers; a answers by hand.") }
    overlays.append(.menu(Menu(title: "Answer with the stub", items: items, note: "this request only")))
  }

  mutating func answerHeld(with action: Action, of name: String) {
    fetchSelected(for: .answer(stub: name, action))
  }

  /// The templates are filled in from the held request as it is.
  mutating func answer(_ exchange: Exchange, with action: Action, of name: String) {
    guard held.contains(exchange.id) else {
      return say(.error, "That request is no longer held; the program went on or cancelled it.")
    }
    switch action {
    case .fail(let fault): effects.append(.decide([HeldDecision(id: exchange.id, decision: .fail(fault))]))
    case .respond(let response):
      let count = UInt64(stubs.hits[name]?.hits ?? 0) + 1
      let context = TemplateContext(RequestFacts(of: exchange), count: count)
      effects.append(
        .decide([HeldDecision(id: exchange.id, decision: .respond(response.filled(in: context)))]))
    default: return
    }
    say(.good, "Answered as “\(name)” would.")
  }
}

extension RequestFacts {
  init(of exchange: Exchange) {
    self.init(
      method: exchange.request.method, url: exchange.request.url, headers: exchange.request.headers,
      body: exchange.request.body, process: exchange.process.name, pid: exchange.process.pid)
  }
}

extension CannedResponse {
  /// With its templates filled in. Files are left for the runtime to read.
  fileprivate func filled(in context: TemplateContext) -> CannedResponse {
    if case .file = body { return self }
    let rendered = rendered(in: context)
    return CannedResponse(
      status: rendered.status, headers: rendered.headers, body: .data(rendered.body), delay: delay, pace: pace)
  }
}

extension StubText {
  /// What of a stub can answer a request at once, each with what to call it.
  static func answers(_ stub: Stub) -> [(label: String, action: Action)] {
    switch stub.then {
    case .respond, .fail: [(stub.name, stub.then)]
    case .sequence(let steps, _):
      steps.enumerated().flatMap { place, step in
        answers(Stub(name: "\(stub.name), step \(place + 1)", then: step))
      }
    case .pass, .hold, .code: []
    }
  }
}
