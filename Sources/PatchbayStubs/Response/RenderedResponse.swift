import Foundation

/// A canned response with everything filled in: what goes to the program.
package struct RenderedResponse: Hashable, Sendable {
  package var status: Int
  package var headers: [HeaderField]
  package var body: Data

  package init(status: Int, headers: [HeaderField] = [], body: Data = Data()) {
    self.status = status
    self.headers = headers
    self.body = body
  }
}

extension CannedResponse {
  /// The response for one request: templates filled in, JSON compact, a missing Content-Type guessed from `json` and
  /// `file`. A `file` body has no bytes here: they are put in its place before stubs leave the console.
  package func rendered(in context: TemplateContext) -> RenderedResponse {
    let fields = withGuessedType.headers.map { HeaderField($0.name, context.render($0.value)) }
    return RenderedResponse(status: status, headers: fields, body: bytes { context.render($0) })
  }

  /// The body's bytes as they stand, without templates filled in.
  package var bytes: Data { bytes { $0 } }

  private func bytes(_ render: (JSONValue) -> JSONValue) -> Data {
    switch body {
    case .none, .file: Data()
    case .text(let text): Data((render(.string(text)).text ?? text).utf8)
    case .json(let json): render(json).compactData
    case .data(let data): data
    case .filler(let count): Data(repeating: UInt8(ascii: "x"), count: max(count, 0))
    }
  }

  /// The same response with a Content-Type, where its body tells one and it has none.
  package var withGuessedType: CannedResponse {
    guard headers.first(named: "Content-Type") == nil, let type = guessedType else { return self }
    var copy = self
    copy.headers.append(HeaderField("Content-Type", type))
    return copy
  }

  private var guessedType: String? {
    switch body {
    case .json: "application/json"
    case .file(let path): ContentType.guess(path)
    default: nil
    }
  }

  /// The same response with all that does not depend on the request worked out once.
  var settled: CannedResponse {
    let constant = !hasTemplates
    var copy = withGuessedType
    guard constant else { return copy }
    switch body {
    case .text, .json: copy.body = .data(bytes)
    default: break
    }
    return copy
  }
}

extension Action {
  var settled: Action {
    switch self {
    case .respond(let response): return .respond(response.settled)
    case .fail(var fault):
      if let response = fault.after?.response.settled { fault.after?.response = response }
      return .fail(fault)
    case .pass, .hold, .sequence, .code: return self
    }
  }
}
