import Foundation
import PatchbayStubs
import PatchbayWire

extension Verdict.Decision {
  /// With the files of an answer's body read: the process that gets it may not see them.
  var withFiles: Verdict.Decision {
    let action: Action
    switch self {
    case .respond(let response): action = .respond(response)
    case .fail(let fault): action = .fail(fault)
    default: return self
    }
    let paths = action.bodyFiles
    guard !paths.isEmpty else { return self }
    let bodies = paths.map { ($0, FileManager.default.contents(atPath: $0) ?? Data()) }
    switch action.withFiles(Dictionary(bodies, uniquingKeysWith: { first, _ in first })) {
    case .respond(let response): return .respond(response)
    case .fail(let fault): return .fail(fault)
    default: return self
    }
  }
}
