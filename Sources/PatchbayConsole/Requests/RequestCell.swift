import PatchbayGrid
import PatchbayInspect
import PatchbayStubs
import PatchbayWire

/// What stands in one cell of the request list.
struct RequestCell {
  var text: String
  var role: ThemeRole

  init(_ text: String, _ role: ThemeRole = .text) {
    self.text = text
    self.role = role
  }

  init(_ column: RequestColumn, of summary: ExchangeSummary, width: Int, now: Timestamp, utcOffset: Int) {
    switch column {
    case .number: self.init(String(summary.id), .dim)
    case .startedAt:
      self.init(Wording.moment(summary.startedAt, now: now, utcOffset: utcOffset, width: width), .dim)
    case .process:
      // Of two programs of one name the pid tells which: the name gives way to it.
      let pid = String(summary.process.pid)
      let room = max(1, width - pid.count - 1)
      self.init("\(truncated(shown(summary.process.name), toWidth: room)) \(pid)", .dim)
    case .method:
      self.init(shown(summary.method), DetailPages.isRead(summary.method) ? .methodRead : .methodWrite)
    case .status:
      let look = OutcomeLook(summary)
      self.init("\(look.sign) \(look.text(fitting: width - 2))", look.role)
    case .host: self.init(truncatedInMiddle(shown(summary.authority), toWidth: width), .text)
    case .path:
      let operation = summary.operation.map { "\(shown($0)) " } ?? ""
      self.init(operation + PercentText.shown(summary.path), .text)
    case .type: self.init(summary.contentKind.label, .dim)
    case .size:
      self.init(summary.status == nil && summary.size == 0 ? "—" : Wording.size(summary.size), .dim)
    case .duration: self = RequestCell.duration(summary, now)
    case .by:
      self = RequestCell.by(summary)
      if summary.redirects > 0 { text = "→\(summary.redirects) \(text)" }
      if let original = summary.replayOf { text = "↻\(original) \(text)" }
    case .timeline: self.init("")
    }
  }

  private static func duration(_ summary: ExchangeSummary, _ now: Timestamp) -> RequestCell {
    if let duration = summary.duration {
      return RequestCell(Wording.duration(duration), duration >= 1_000_000 ? .warning : .text)
    }
    guard summary.phase != .ended else { return RequestCell("—", .dim) }
    let elapsed = max(0, now.microseconds - summary.startedAt.microseconds)
    return RequestCell(Wording.duration(elapsed), summary.isHeld ? .held : .waiting)
  }

  private static func by(_ summary: ExchangeSummary) -> RequestCell {
    switch summary.by {
    case .network where summary.isEditedByPerson: RequestCell("you edited", .stub)
    case .network: summary.stub.map { RequestCell("◆ \(PercentText.shown($0))", .stub) } ?? RequestCell("network", .dim)
    case .stub: RequestCell("◆ \(PercentText.shown(summary.stub ?? "stub"))", .stub)
    case .code: RequestCell("◇ \(PercentText.shown(summary.stub ?? "code"))", .stub)
    case .person: RequestCell("you", .stub)
    case .console: RequestCell("console", .stub)
    case .cache: RequestCell("cache", .dim)
    }
  }
}

/// Text of others as one line that is fit to be shown.
func shown(_ text: String) -> String {
  text.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F } ? text : SafeText.line(text)
}

/// The faults and holds that the person has on, to be shown beside the requests that the next ones like them meet.
struct ActiveSigns {
  private typealias Sign = (stub: Stub, sign: String, role: ThemeRole)

  private var signs: [RequestPattern: [Sign]] = [:]
  private let hits: StubHits

  init(_ stubs: StubsSnapshot) {
    hits = stubs.hits
    for stub in stubs.board.stubsInForce where stub.enabled {
      if case .hold = stub.then {
        signs[stub.when, default: []].append((stub, "‖", .held))
      } else if FaultPreset.of(stub.then) != nil {
        signs[stub.when, default: []].append((stub, "✗", .failure))
      }
    }
  }

  /// The sign for a request; nil where nothing is on for the next one like it in its process.
  func sign(for summary: ExchangeSummary) -> (sign: String, role: ThemeRole)? {
    guard !signs.isEmpty else { return nil }
    for reach in FaultScope.Reach.allCases where reach != .held {
      guard let pattern = FaultScope(reach: reach).pattern(from: summary) else { continue }
      let sign = signs[pattern]?.first { !hits.isUsedUp($0.stub, in: summary.process) }
      if let sign { return (sign.sign, sign.role) }
    }
    return nil
  }
}
