import Foundation
import PatchbayGrid
import PatchbayInspect
import PatchbayStubs
import PatchbayWire

/// What went out in the place of what the program asked.
extension DetailPages {
  /// The method and the URL where they are others, and each header field that is another, came or went.
  static func sent(of exchange: Exchange) -> [PageLine] {
    guard let sent = exchange.sent else { return [] }
    let asked = exchange.request
    let isElsewhere = sent.method != asked.method || sent.url != asked.url
    let isOwn = exchange.summary.isEditedByPerson
    let whither = isElsewhere ? "\(sent.method) \(sent.url)" : isOwn ? "you edited it" : "another request"
    let who = exchange.stub.map { "  ◆ \(SafeText.line($0))" } ?? (isOwn && isElsewhere ? "  by you" : "")
    var lines = [PageLine([.init("→ sent as \(SafeText.line(whither))", .redirect), .init(who, .stub)])]
    for field in sent.headers where !asked.headers.contains(field) && !RoutineFields.contain(field) {
      let isNew = asked.headers.first(named: field.name) == nil
      lines.append(changed(isNew ? "+" : "~", field))
    }
    for field in asked.headers where sent.headers.first(named: field.name) == nil {
      lines.append(changed("−", field))
    }
    if exchange.shownRequest == sent, sent.body != asked.body {
      let size = RecordedPart(asked.body, isCut: asked.truncated, of: Int64(asked.body?.count ?? 0))
      let before = size.isMissing ? "the program gave none" : "the program's had \(size.size)"
      let now = sent.body?.isEmpty == false ? "with the body below" : "without a body"
      lines.append(PageLine("→ \(now); \(before)", .redirect))
      lines += askedBody(asked)
    }
    lines.append(PageLine("  D compares what the program asked with what was sent", .dim))
    return lines
  }

  /// The beginning of the body that the program gave, where it is text.
  private static func askedBody(_ asked: RecordedRequest) -> [PageLine] {
    let isWhole = asked.body?.count ?? 0 <= askedBytes && !asked.truncated
    guard let body = asked.body?.prefix(askedBytes), !body.isEmpty,
      let text = ExchangeForm.text(of: Data(body), isTruncated: !isWhole)
    else { return [] }
    let all = text.split(whereSeparator: \.isNewline)
    let shown = all.prefix(askedLines).map { PageLine("  − \(SafeText.line(String($0)))", .dim) }
    return shown + (isWhole && all.count <= askedLines ? [] : [PageLine("  − …", .dim)])
  }

  /// Below them the body that was sent is to be seen.
  private static let askedLines = 5
  private static let askedBytes = 400

  private static func changed(_ sign: String, _ field: HeaderField) -> PageLine {
    PageLine([
      .init("  \(sign) ", .redirect), .init(SafeText.line(field.name), .key), .init(": ", .punctuation),
      .init(SafeText.line(field.value)),
    ])
  }
}

extension Exchange {
  /// The request whose body is shown: the one that went out, unless its body is the program's or was not recorded.
  var shownRequest: RecordedRequest {
    guard let sent, sent.body != request.body, !sent.truncated || sent.body != nil else { return request }
    return sent
  }
}
