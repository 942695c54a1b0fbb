import PatchbayGrid
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
}

extension OutcomeLook {
  /// What happened, in a shorter word where the usual ones do not fit.
  func text(fitting width: Int) -> String {
    guard textWidth(text) > width else { return text }
    return OutcomeLook.short[text] ?? text
  }

  /// By what `Wording.spaced` makes of the Swift names of URLError's codes; each fits nine cells.
  static let short: [String: String] = [
    "app transport security requires secure connection": "no https",
    "background session in use by another process": "in use",
    "background session requires shared container": "container",
    "background session was disconnected": "session",
    "bad server response": "bad reply",
    "call is active": "on a call",
    "cannot close file": "file",
    "cannot connect to host": "refused",
    "cannot create file": "file",
    "cannot decode content data": "undecoded",
    "cannot decode raw data": "undecoded",
    "cannot find host": "no host",
    "cannot load from network": "uncached",
    "cannot move file": "file",
    "cannot open file": "file",
    "cannot parse response": "unparsed",
    "cannot remove file": "file",
    "cannot write to file": "file",
    "client certificate rejected": "cert no",
    "client certificate required": "no cert",
    "data length exceeds maximum": "too long",
    "data not allowed": "no data",
    "dns lookup failed": "no DNS",
    "download decoding failed mid stream": "undecoded",
    "download decoding failed to complete": "undecoded",
    "file does not exist": "no file",
    "file is directory": "folder",
    "http too many redirects": "redirects",
    "international roaming off": "roaming",
    "network connection lost": "conn lost",
    "no permissions to read file": "forbidden",
    "not connected to internet": "offline",
    "redirect to non existent location": "redirect",
    "request body stream exhausted": "body gone",
    "resource unavailable": "no source",
    "secure connection failed": "no TLS",
    "server certificate has bad date": "cert date",
    "server certificate has unknown root": "cert root",
    "server certificate not yet valid": "cert date",
    "server certificate untrusted": "bad cert",
    "unknown error": "unknown",
    "unsupported URL": "bad URL",
    "user authentication required": "log in",
    "user cancelled authentication": "no log in",
    "zero byte resource": "empty",
  ]
}
