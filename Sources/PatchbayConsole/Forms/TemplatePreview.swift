import PatchbayStubs

/// What the templates in a stub's body and headers become for a request that was recorded.
struct TemplatePreview: Sendable, Equatable {
  /// Why a template cannot be read.
  var problem: String?
  /// What is sent; nil where no recorded request fits.
  var text: String?
  var request = ""

  /// Above this nothing is shown: each key would pay for it.
  private static let limit = 128 << 10

  /// Nil where there are no templates.
  init?(body: String, headers: String, sample: RequestFacts?, hits: Int) {
    guard body.utf8.count <= Self.limit, Template.isNeeded(for: body) || Template.isNeeded(for: headers) else {
      return nil
    }
    do throws(StubError) {
      _ = try Template(body)
      _ = try Template(headers)
    } catch {
      problem = error.description
      return
    }
    guard let sample else { return }
    let context = TemplateContext(sample, count: UInt64(hits) + 1)
    request = "\(sample.method) \(sample.url)"
    let fields = Template.isNeeded(for: headers) ? context.render(headers) + "\n\n" : ""
    text = fields + context.render(body)
  }
}
