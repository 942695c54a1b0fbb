import PatchbayStubs

extension Action {
  /// Whether some text in it may hold a template.
  var hasTemplates: Bool {
    switch self {
    case .respond(let response): response.hasTemplates
    case .fail(let fault): fault.after?.response.hasTemplates ?? false
    case .sequence(let steps, _): steps.contains { $0.hasTemplates }
    case .pass, .hold, .code: false
    }
  }

  /// The action with its templates filled in for one request.
  func rendered(in context: TemplateContext) -> Action {
    switch self {
    case .respond(let response): return .respond(response.filled(in: context))
    case .fail(var fault):
      if let partial = fault.after { fault.after?.response = partial.response.filled(in: context) }
      return .fail(fault)
    case .pass, .hold, .sequence, .code: return self
    }
  }
}

extension CannedResponse {
  fileprivate var hasTemplates: Bool {
    if headers.contains(where: { Template.isNeeded(for: $0.value) }) { return true }
    switch body {
    case .text(let text): return Template.isNeeded(for: text)
    case .json(let json): return Template.isNeeded(for: json.compact)
    case .none, .data, .file, .filler: return false
    }
  }

  fileprivate func filled(in context: TemplateContext) -> CannedResponse {
    guard hasTemplates else { return self }
    let rendered = rendered(in: context)
    return CannedResponse(
      status: rendered.status, headers: rendered.headers, body: .data(rendered.body), delay: delay, pace: pace)
  }
}
