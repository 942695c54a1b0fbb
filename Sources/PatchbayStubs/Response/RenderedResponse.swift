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
    let fields = withGuessedType.headers.map { HeaderField($0.name, context.line($0.value)) }
    return RenderedResponse(status: status, headers: fields, body: bytes { context.render($0) })
  }

  /// The body's bytes as they stand, without templates filled in.
  package var bytes: Data { bytes { $0 } }

  private func bytes(_ render: (JSONValue) -> JSONValue) -> Data {
    switch body {
    case .none, .file, .folder: Data()
    case .events(let events): events.reduce(into: Data()) { $0.append($1.bytes { render($0) }) }
    case .text(let text): Data((render(.string(text)).text ?? text).utf8)
    case .json(let json): render(json).bodyData
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
    case .events: "text/event-stream"
    case .file(let path) where !Template.isNeeded(for: path): MediaType.guess(ofFile: path)
    default: nil
    }
  }

  /// The same response with its templates filled in; what does not hold any stays as it is.
  package func filled(in context: TemplateContext) -> CannedResponse {
    guard hasTemplates else { return self }
    var filled = withGuessedType
    filled.headers = filled.headers.map { HeaderField($0.name, context.line($0.value)) }
    switch body {
    case .text, .json: filled.body = .data(bytes { context.render($0) })
    case .events(let events): filled.body = .events(events.map { $0.filled(in: context) })
    case .file(let path):
      if let template = try? Template(path) { filled.body = .file(FilledFile(template, in: context).path) }
    case .none, .data, .folder, .filler: break
    }
    return filled
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

extension CannedResponse.Event {
  /// As a stream of events has it (HTML §9.2.5), with the empty line that ends it.
  package var bytes: Data { bytes { $0 } }

  fileprivate func bytes(_ render: (JSONValue) -> JSONValue) -> Data {
    var lines: [String] = []
    for (name, value) in [("event", event), ("id", id)] {
      // A line end would begin another field.
      if let value, case .string(let text) = render(.string(value)) {
        lines.append("\(name): " + String(text.map { $0.isNewline ? " " : $0 }))
      }
    }
    if let data {
      let value = render(data)
      let text = value.text ?? String(decoding: value.bodyData, as: UTF8.self)
      lines += text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r" || $0 == "\r\n" }.map {
        "data: \($0)"
      }
    }
    return Data((lines + ["", ""]).joined(separator: "\n").utf8)
  }

  /// With its templates filled in.
  fileprivate func filled(in context: TemplateContext) -> CannedResponse.Event {
    CannedResponse.Event(
      event: event.map { context.render($0) }, id: id.map { context.render($0) }, data: data.map { context.render($0) },
      after: after)
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

extension PassChanges {
  /// Whether the body must be complete before it can be handed on. How long it claims to be decides where it ends.
  package var needsWholeBody: Bool {
    mergePatch != nil || !replace.isEmpty
      || headers.contains { $0.name.caseInsensitiveEquals("Content-Length") && $0.values?.isEmpty == false }
  }

  /// The network's answer with the changes made. A merge patch leaves a body that is no JSON as it is, and says so in
  /// `notices`; a body that changed has no old Content-Length, Content-Encoding or ETag of its bytes left.
  package func apply(
    status: Int, headers: [HeaderField], body: Data, notices: inout [String]
  ) -> (status: Int, headers: [HeaderField], body: Data) {
    var changed = body
    if let mergePatch {
      if let json = try? JSONValue(parsing: changed) {
        changed = json.merged(with: mergePatch).bodyData
      } else {
        notices.append("The answer is not JSON: `mergePatch` did not change it.")
      }
    }
    for replacement in replace where !replacement.find.isEmpty {
      changed = Self.replacing(replacement, in: changed)
    }
    var fields = headers
    if changed != body {
      if fields.first(named: "Content-Length") != nil { fields.set("Content-Length", to: "\(changed.count)") }
      fields.remove(named: "Content-MD5")
      fields.remove(named: "Digest")
    }
    return (self.status ?? status, apply(to: fields), changed)
  }

  /// The header fields with the changes made, in order.
  package func apply(to headers: [HeaderField]) -> [HeaderField] {
    var fields = headers
    for change in self.headers {
      let values = change.values ?? []
      guard let first = values.first else {
        fields.remove(named: change.name)
        continue
      }
      fields.set(change.name, to: first)
      let index = (fields.firstIndex { $0.name.caseInsensitiveEquals(change.name) } ?? fields.count - 1) + 1
      fields.insert(contentsOf: values.dropFirst().map { HeaderField(change.name, $0) }, at: index)
    }
    return fields
  }

  /// A body in which nothing is found is not copied.
  static func replacing(_ replacement: Replacement, in body: Data) -> Data {
    let search = ByteSearch(Array(replacement.find.utf8))
    return body.withUnsafeBytes { bytes in
      let text = bytes.bindMemory(to: UInt8.self)
      guard var found = search.first(in: text, from: 0, to: text.count) else { return body }
      var output = Data(capacity: text.count)
      var start = 0
      while true {
        output.append(contentsOf: text[start..<found])
        output.append(contentsOf: replacement.with.utf8)
        start = found + search.needle.count
        guard let next = search.first(in: text, from: start, to: text.count) else { break }
        found = next
      }
      output.append(contentsOf: text[start...])
      return output
    }
  }
}

extension JSONValue {
  /// This value with an RFC 7396 patch applied: members keep their place, new ones come last.
  package func merged(with patch: JSONValue) -> JSONValue {
    guard case .object(let changes) = patch else { return patch }
    var members: [Member] = []
    if case .object(let own) = self { members = own }
    for change in changes {
      let index = members.lastIndex { $0.name == change.name }
      if change.value == .null {
        members.removeAll { $0.name == change.name }
      } else if let index {
        members[index].value = members[index].value.merged(with: change.value)
      } else {
        members.append(Member(change.name, JSONValue.null.merged(with: change.value)))
      }
    }
    return .object(members)
  }
}
