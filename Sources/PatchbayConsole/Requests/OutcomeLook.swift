import PatchbayInspect
import PatchbayWire

/// How an exchange's state is shown: a sign, words and a role, so that colour never stands alone.
struct OutcomeLook: Equatable {
  var sign: String
  var text: String
  var role: ThemeRole

  init(_ summary: ExchangeSummary) {
    switch summary.phase {
    case .heldRequest: self.init("‖", "held", .held)
    case .heldResponse: self.init("‖", "held \(summary.status.map(String.init) ?? "")", .held)
    case .waiting: self.init("…", "waiting", .waiting)
    case .receiving: self.init("↓", summary.status.map(String.init) ?? "receiving", .waiting)
    case .ended where summary.isObserved: self.init("·", "observed", .dim)
    case .ended: self.init(ended: summary.outcome, status: summary.status, error: summary.error)
    }
  }

  init(ended outcome: Exchange.Outcome?, status: Int?, error: ExchangeSummary.Failure?) {
    switch outcome {
    case .cancelled: self.init("−", "cancelled", .cancelled)
    case .abandoned: self.init("?", "abandoned", .cancelled)
    // Foundation has no name for an answer that ends before its end.
    case .failed where status != nil && error?.name == "unknown": self.init("✗", "broke off", .failure)
    case .failed:
      let name = error.map { $0.name.map(Wording.spaced) ?? "\($0.domain) \($0.code)" } ?? "failed"
      self.init("✗", name, .failure)
    case .responded, nil: self.init(status: status)
    }
  }

  init(status: Int?) {
    switch status {
    case .some(let code) where code >= 500: self.init("✗", String(code), .serverError)
    case .some(let code) where code >= 400: self.init("!", String(code), .clientError)
    case .some(let code) where code >= 300: self.init("→", String(code), .redirect)
    case .some(let code): self.init("✓", String(code), .success)
    case nil: self.init("·", "—", .dim)
    }
  }

  private init(_ sign: String, _ text: String, _ role: ThemeRole) {
    self.sign = sign
    self.text = text
    self.role = role
  }

  /// Whether it counts as failed when one jumps from failure to failure.
  static func isFailed(_ summary: ExchangeSummary) -> Bool {
    summary.outcome == .failed || summary.outcome == .abandoned || (summary.status ?? 0) >= 400
  }
}
