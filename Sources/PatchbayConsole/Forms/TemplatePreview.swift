import PatchbayStubs

/// What the templates in a stub's body and headers become for a request that was recorded.
struct TemplatePreview: Sendable, Equatable {
  /// What is sent; nil where no recorded request fits.
  var text: String?
  var request = ""

  /// Nil where there are no templates; their mistakes are ``TemplateCheck``'s to find before.
  init?(body: String, headers: String, sample: RequestFacts?, hits: Int) {
    guard body.utf8.count <= TemplateCheck.limit, Template.isNeeded(for: body) || Template.isNeeded(for: headers)
    else { return nil }
    guard let sample else { return }
    let context = TemplateContext(sample, count: UInt64(hits) + 1)
    request = "\(sample.method) \(sample.url)"
    let fields = Template.isNeeded(for: headers) ? context.render(headers) + "\n\n" : ""
    let json = try? JSONValue(parsing: body)
    text = fields + (json.map { context.render($0).indented() } ?? context.render(body))
  }
}
