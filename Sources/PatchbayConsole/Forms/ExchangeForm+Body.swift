import Foundation
import PatchbayWire

extension ExchangeForm {
  /// The body that was there and is not text; it is kept unless something is typed.
  var keptBody: Data? {
    guard let body = initialBody, !body.isEmpty, Self.text(of: body, isTruncated: isTruncated) == nil else {
      return nil
    }
    return body
  }

  /// As text, where it is that. One that is cut may end within a character.
  static func text(of body: Data?, isTruncated: Bool) -> String? {
    guard let body else { return "" }
    for dropped in 0...(isTruncated ? 3 : 0) {
      if let text = String(validating: body.dropLast(dropped), as: UTF8.self) { return text }
    }
    return nil
  }

  /// What goes out: the bytes that were there unless something was typed.
  var body: Data? {
    guard isBodyChanged || purpose == .answer else { return initialBody }
    guard let lines = form.editor(of: "body")?.lines else { return Data(form.text("body").utf8) }
    if lines.textSize == 0 { return keptBody ?? (purpose == .answer ? nil : initialBody.map { _ in Data() }) }
    return Data(LineEnds(Self.text(of: initialBody, isTruncated: isTruncated) ?? "").text(lines).utf8)
  }

  var isBodyChanged: Bool { !form.hasSameText("body", as: initial) }

  /// What was there before the person came; an answer of one's own begins with nothing.
  private var initialBody: Data? {
    switch purpose {
    case .replay, .heldRequest: exchange.request.body
    case .heldResponse: exchange.response?.body
    case .answer: nil
    }
  }

  /// Whether only a part of the body that was there is known.
  var isTruncated: Bool {
    switch purpose {
    case .replay, .heldRequest: exchange.request.truncated
    case .heldResponse: exchange.response?.truncated == true
    case .answer: false
    }
  }

  /// What is known about a body of which the editor shows nothing, or not all.
  var bodyNote: String? {
    let size = Wording.size(Int64(initialBody?.count ?? 0))
    if keptBody != nil {
      let amount = isTruncated ? "more than \(size)" : size
      return "\(amount) that are not text, unless you type here"
    }
    guard isTruncated, !isBodyChanged else { return nil }
    if purpose == .replay { return "Only \(size) of the body were recorded; give it another one." }
    return (initialBody ?? Data()).isEmpty
      ? "a stream, sent as it is unless you type here"
      : "Only the first \(size) are shown; the whole goes on unless you change it here."
  }
}
