import PatchbayGrid
import PatchbayInspect
import PatchbayStubs
import PatchbayWire

/// Holds requests like one, or all of them, from now on, and offers to hold their answers too.
struct HoldOffer: ChoiceBox {
  private(set) var menu: Menu<Action.HoldPoint>
  /// The stub that holds, by its name; nil is the switch that holds everything.
  private let stub: String?

  private init(_ point: Action.HoldPoint, of stub: String?) {
    self.stub = stub
    menu = Menu(
      title: stub == nil ? "Hold everything" : "Hold this endpoint",
      items: [
        .init("a", "After: the response", isOn: point == .response, .response),
        .init("b", "Both, request and response", isOn: point == .both, .both),
      ], note: "Holding \(StubWords.holdPoint(point) == "request" ? "requests" : StubWords.holdPoint(point)).",
      isOffer: true)
  }

  mutating func update(_ event: ConsoleEvent, _ context: ConsoleContext, _ out: inout Outcomes) {
    switch menu.handle(event, context) {
    case .chosen(let item):
      out.close()
      hold(at: item.choice, context, &out)
    case .dismissed: out.close()
    case .other(let key): pass(key, &out)
    case .moved, .nothing: break
    }
  }

  /// The choice that is on already goes back to the request alone.
  private func hold(at wanted: Action.HoldPoint, _ context: ConsoleContext, _ out: inout Outcomes) {
    guard let stub else {
      let to = context.stubs.holdAll == wanted ? .request : wanted
      out.add(.amendDone("Hold everything", .holdAll(from: nil, to: to)))
      out.perform(.setHoldAll(to))
      return out.open(HoldOffer(to, of: nil))
    }
    guard var held = context.stubs.board[stub]?.stub else {
      return out.say(.info, "The stub “\(stub)” is no longer there.")
    }
    let to = held.then == .hold(wanted) ? Action.HoldPoint.request : wanted
    held.then = .hold(to)
    out.add(.editStubs([.replace(name: stub, with: held)]))
    out.add(
      .amendDone(
        "Hold \(StubWords.pattern(held.when))",
        .stubs(forward: [.add(held, at: 0)], backward: [.remove(name: stub)])))
    out.open(HoldOffer(to, of: stub))
  }

  // MARK: Beginning to hold

  /// A stub that holds this endpoint, or the end of it. Whether its answer is held too can be chosen then.
  static func toggle(_ summary: ExchangeSummary, _ context: ConsoleContext, _ out: inout Outcomes) {
    let pattern = StubProposal.pattern(of: summary)
    let entries = context.stubs.board.entries
    let holding = entries.indices.filter { index in
      guard case .hold = entries[index].stub.then else { return false }
      return entries[index].stub.enabled
    }
    let own = holding.first { entries[$0].stub.when == pattern }
    if let place = own ?? holding.first(where: { entries[$0].stub.name == summary.stub }) {
      let (found, isWide) = (entries[place], own == nil)
      // What a file or code declares, and what holds more than this, is not taken away by the key that else makes one here.
      let (name, isOurs) = (found.stub.name, !isWide && found.origin == .console)
      out.change(
        stubs: [isOurs ? .remove(name: name) : .setEnabled(name: name, false)],
        back: [isOurs ? .add(found.stub, at: place) : .setEnabled(name: name, true)],
        title: isWide ? "Switched “\(name)” off" : "Stopped holding \(summary.method) \(summary.path)")
      let what =
        if isOurs {
          "No more requests like this are held."
        } else {
          "“\(name)” is off: no more requests \(isWide ? "that it takes" : "like this") are held."
        }
      return out.say(.good, "\(what)\(context.stillHeld)", undoable: true)
    }
    let request = RecordedRequest(method: summary.method, url: summary.url)
    let name = context.stubs.board.freeName("hold \(StubProposal.name(of: request))")
    let stub = Stub(name: name, when: pattern, then: .hold(.request))
    out.change(
      stubs: [.add(stub, at: 0)], back: [.remove(name: name)], title: "Hold \(summary.method) \(summary.path)")
    out.say(.good, "The next request like this is held.", undoable: true)
    out.open(HoldOffer(.request, of: name))
  }

  /// The switch that holds everything.
  static func toggleAll(_ context: ConsoleContext, _ out: inout Outcomes) {
    let before = context.stubs.holdAll
    let to: Action.HoldPoint? = before == nil ? .request : nil
    let title = to == nil ? "Stopped holding everything" : "Hold everything"
    out.add(.done(title, .holdAll(from: before, to: to)))
    out.perform(.setHoldAll(to))
    out.say(
      to == nil ? .good : .warning,
      to == nil ? "Not everything is held any more.\(context.stillHeld)" : "Every request is held.")
    if to != nil { out.open(HoldOffer(.request, of: nil)) }
  }
}

extension ConsoleContext {
  /// What waits though nothing more is stopped, and how it goes on; empty where nothing is held.
  fileprivate var stillHeld: String {
    guard !held.isEmpty else { return "" }
    let key = keys.bindings.first { $0.command == .global(.releaseAll) && !$0.keys.isEmpty }?.keyLabel
    let many = held.count > 1
    let way = key.map { ": \($0) lets \(many ? "them" : "it") go on" } ?? ""
    return " \(Wording.count(held.count)) still \(many ? "wait" : "waits")\(way)."
  }
}
