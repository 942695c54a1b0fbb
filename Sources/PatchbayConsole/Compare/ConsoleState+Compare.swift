import PatchbayGrid
import PatchbayInspect
import PatchbayWire

extension ConsoleState {
  mutating func compareMarked() {
    if requests.marks.count == 2 { return effects.append(.fetch(requests.marks.sorted(), for: .compare)) }
    // Without two marks: a request that was sent again, with the one that it repeats.
    if let summary = selectedSummary, let original = summary.replayOf {
      return effects.append(.fetch([original, summary.id], for: .compare))
    }
    if let pair = lastReplay, pair.original == requests.selectedID {
      return effects.append(.fetch([pair.original, pair.replay], for: .compare))
    }
    say(.info, "Mark two requests with m, then compare them (\(Wording.count(requests.marks.count)) marked).")
  }

  /// A request that was sent again from here has ended: it is compared with its original, and that is said.
  mutating func note(replay summary: ExchangeSummary) {
    guard let original = summary.replayOf, summary.phase == .ended, awaitedReplays.remove(original) != nil else {
      return
    }
    lastReplay = (original, summary.id)
    effects.append(.fetch([original, summary.id], for: .replayed))
  }

  /// Bodies of megabytes are compared away from the keys.
  mutating func compare(_ exchanges: [Exchange], for purpose: FetchPurpose) {
    guard ComparePage.isSlow(exchanges) else {
      return take(ComparePage(exchanges[0], exchanges[1]), of: exchanges, for: purpose)
    }
    if purpose == .compare { say(.info, "Comparing…") }
    effects.append(.compare(exchanges, for: purpose))
  }

  mutating func take(_ page: ComparePage, of exchanges: [Exchange], for purpose: FetchPurpose) {
    switch purpose {
    case .compare where overlays.isEmpty || isOffering:
      toast = nil
      overlays = [.compare(page)]
    case .replayed: tell(replayed: exchanges, page)
    default: break
    }
  }

  private mutating func tell(replayed exchanges: [Exchange], _ page: ComparePage) {
    let count = page.differences
    let outcome = OutcomeLook(exchanges[1].summary).text
    let verdict = count == 0 ? "answered the same" : "\(Wording.count(count, "difference")), D compares"
    say(
      count == 0 ? .good : .warning,
      "Request \(exchanges[0].id), sent again as \(exchanges[1].id)\(sender(exchanges)): \(outcome), \(verdict).")
  }

  /// Who has sent a request again, where it was not the process that it came from.
  private func sender(_ exchanges: [Exchange]) -> String {
    let (before, now) = (exchanges[0].process, exchanges[1].process)
    guard before != now else { return "" }
    let name = SafeText.line(before.name)
    return before.name == now.name ? " by \(name) \(now.pid)" : " by the console, for \(name) has gone"
  }
}
