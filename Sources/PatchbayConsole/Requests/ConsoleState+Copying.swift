import Foundation
import PatchbayInspect
import PatchbayStubs
import PatchbayWire

extension ConsoleState {
  mutating func openCopyMenu() {
    guard requests.selectedID != nil else { return }
    var items = [
      Menu.Item("c", "cURL command", .copy(.curl)),
      Menu.Item("u", "URL", .copy(.url)),
      Menu.Item("b", "Response body", .copy(.responseBody)),
      Menu.Item("r", "Request body", .copy(.requestBody)),
      Menu.Item("h", "Response headers", .copy(.responseHeaders)),
      Menu.Item("H", "Request headers", .copy(.requestHeaders)),
      Menu.Item("s", "Stub as YAML", .copy(.stub)),
      Menu.Item("t", "Swift test", .copy(.swift)),
      Menu.Item("a", "HAR entry", .copy(.har)),
    ]
    if detail.hasKeys {
      let page = detail.page
      if let path = page.path {
        items.insert(Menu.Item("p", "JSON path", detail: path, .copyText(path, label: "the JSON path")), at: 0)
      }
      if let value = page.value {
        items.insert(
          Menu.Item("v", "JSON value", detail: String(value.prefix(60)), .copyText(value, label: "the JSON value")),
          at: 0)
      }
      let line = page.line(page.cursor).text
      items.append(Menu.Item("l", "This line", .copyText(line, label: "the line")))
    }
    overlays.append(.menu(Menu(title: "Copy", items: items)))
  }

  mutating func copy(_ kind: CopyKind, of exchange: Exchange) {
    switch kind {
    case .curl, .swift, .har: effects.append(.copyExchange(exchange.id, kind))
    case .url: effects.append(.copy(text: exchange.request.url, label: "the URL"))
    case .requestBody: copyBody(exchange.request.body, exchange.request.headers, "the request's body")
    case .responseBody: copyBody(exchange.response?.body, exchange.response?.headers ?? [], "the response's body")
    case .requestHeaders: effects.append(.copy(text: fields(exchange.request.headers), label: "the request's headers"))
    case .responseHeaders:
      effects.append(.copy(text: fields(exchange.response?.headers ?? []), label: "the response's headers"))
    case .stub:
      guard let stub = StubProposal.stub(of: exchange) else { return say(.error, "That request has no answer yet.") }
      effects.append(.copyStubs([stub]))
    }
  }

  private mutating func copyBody(_ body: Data?, _ headers: [HeaderField], _ label: String) {
    guard let body, !body.isEmpty else { return say(.info, "There is no body to copy.") }
    let readable = BodyText.utf8(body, contentType: headers.first(named: "Content-Type"))
    guard let text = String(validating: readable, as: UTF8.self) else {
      return effects.append(.copy(text: body.base64EncodedString(), label: "\(label) as base64"))
    }
    effects.append(.copy(text: text, label: label))
  }

  private func fields(_ headers: [HeaderField]) -> String {
    headers.map { "\($0.name): \($0.value)" }.joined(separator: "\n")
  }
}
