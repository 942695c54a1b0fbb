import Foundation
import PatchbayStubs

/// Where the bytes of an answer's body come from, as a form has it.
enum BodySource: String, Sendable, CaseIterable {
  /// What stands in the body editor; bytes that are no text stay until something is typed.
  case text
  case file
  case filler

  init(_ body: CannedResponse.Body?) {
    switch body {
    case .file: self = .file
    case .filler: self = .filler
    default: self = .text
    }
  }

  static func path(_ body: CannedResponse.Body?) -> String { if case .file(let path) = body { path } else { "" } }

  static func size(_ body: CannedResponse.Body?) -> String {
    if case .filler(let bytes) = body { SizeText.print(bytes) } else { "" }
  }
}
