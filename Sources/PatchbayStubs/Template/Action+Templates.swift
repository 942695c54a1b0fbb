extension Action {
  /// Whether some text in it may hold a template.
  package var hasTemplates: Bool { templateTexts.contains { Template.isNeeded(for: $0) } }

  /// Every template in the action.
  var templates: [Template] {
    templateTexts.compactMap { Template.isNeeded(for: $0) ? try? Template($0) : nil }
  }

  private var templateTexts: [String] {
    switch self {
    case .respond(let response): response.templateTexts
    case .fail(let fault): fault.after?.response.templateTexts ?? []
    case .pass, .hold, .code: []
    case .sequence(let actions, _): actions.flatMap { $0.templateTexts }
    }
  }
}

extension CannedResponse {
  /// Whether some text in it may hold a template.
  package var hasTemplates: Bool { templateTexts.contains { Template.isNeeded(for: $0) } }

  /// The texts that may hold templates.
  var templateTexts: [String] {
    var texts = headers.map(\.value)
    switch body {
    case .text(let text): texts.append(text)
    case .json(let json): json.collectTexts(into: &texts)
    default: break
    }
    return texts
  }
}

extension JSONValue {
  /// Adds all texts in it, without the names of members.
  package func collectTexts(into texts: inout [String]) {
    switch self {
    case .string(let text): texts.append(text)
    case .array(let elements): for element in elements { element.collectTexts(into: &texts) }
    case .object(let members): for member in members { member.value.collectTexts(into: &texts) }
    default: break
    }
  }
}
