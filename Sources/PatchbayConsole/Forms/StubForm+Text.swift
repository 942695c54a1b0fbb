import Foundation
import PatchbayStubs

extension StubForm {
  static func errorText(_ failure: Fault.Failure) -> String {
    switch failure {
    case .named(let name): name
    case .custom(let domain, let code, let message): "\(domain) \(code)\(message.map { " \($0)" } ?? "")"
    }
  }

  static func delayText(_ action: Action) -> String {
    switch action.response?.delay ?? action.changes?.delay ?? action.fault?.delay {
    case nil: ""
    case .fixed(let time): DurationText.print(time)
    case .random(let from, let to): "\(DurationText.print(from)) to \(DurationText.print(to))"
    }
  }

  static func paceText(_ pace: Pace?) -> String {
    switch pace {
    case nil: ""
    case .throttle(let speed): "\(SizeText.print(speed))/s"
    case .dribble(let pieces, let over): "\(pieces) over \(DurationText.print(over))"
    }
  }

  static func holdIndex(_ action: Action) -> Int {
    guard case .hold(let point) = action else { return 0 }
    return Action.HoldPoint.allCases.firstIndex(of: point) ?? 0
  }

  static func headerText(_ action: Action) -> String {
    if let response = action.canned { return PatternText.text(response.headers) }
    guard let changes = action.changes else { return "" }
    return changes.headers.flatMap { change in
      change.values?.map { "\(change.name): \($0)" } ?? ["!\(change.name)"]
    }.joined(separator: "\n")
  }

  static func bodyText(_ body: CannedResponse.Body?) -> String {
    switch body {
    case nil, .some(.none), .filler, .file: ""
    case .json(let value): value.indented()
    case .text(let text): text
    case .data(let data): String(validating: data, as: UTF8.self) ?? ""
    }
  }

  /// What stands in the place of a body that is not text; nil where it can be edited.
  static func bodyNote(_ body: CannedResponse.Body?) -> String? {
    switch body {
    case .data(let data) where String(validating: data, as: UTF8.self) == nil:
      "\(Wording.size(Int64(data.count))) that are not text, unless you type here (E: as base64)"
    default: nil
    }
  }
}

extension Action {
  var response: CannedResponse? { if case .respond(let response) = self { response } else { nil } }
  /// The answer that it gives, or that comes before it fails.
  var canned: CannedResponse? { response ?? fault?.after?.response }
  var changes: PassChanges? { if case .pass(let changes) = self { changes } else { nil } }
  var fault: Fault? { if case .fail(let fault) = self { fault } else { nil } }

  /// Its word in stub files.
  var kindName: String {
    switch self {
    case .respond: "respond"
    case .fail: "fail"
    case .pass: "pass"
    case .hold: "hold"
    case .sequence: "sequence"
    case .code: "code"
    }
  }
}
