import Foundation
import NIOHTTP1

/// The fictional bookshop "Komorebi" (木漏れ日書店): which answer each request gets.
struct DemoAPI: Sendable {
  /// The answer, with the time that a far-away server would take.
  func answer(method: HTTPMethod, uri: String, headers: HTTPHeaders, body: [UInt8]) -> DemoAnswer {
    let (path, query) = Self.split(uri)
    let parts = path.split(separator: "/").map(String.init)
    switch (method, parts.first, parts.dropFirst().first) {
    case (.POST, "v1", "sessions"): return signIn()
    case (.GET, "v1", "books") where parts.count == 2: return list(page: Int(query["page"] ?? "1") ?? 1)
    case (.GET, "v1", "books") where parts.count == 3: return detail(parts[2])
    case (.GET, "v1", "recommendations"): return recommendations()
    case (.GET, "v1", "orders"): return brokenOrder()
    case (.GET, "v1", "search"): return search(query["q"] ?? "")
    case (.POST, "v1", "reviews"): return review(bytes: body.count)
    case (.PUT, "v1", "photos"): return photo(bytes: body.count)
    case (.GET, "v1", "events"): return events()
    case (.GET, "v1", "latest"):
      return DemoAnswer(.found, type: nil, body: [], headers: [(name: "Location", value: "/v1/books/42")])
    case (.GET, "covers", _):
      return DemoAnswer(.ok, type: "image/png", body: DemoImage.png(width: 96, height: 144), after: .milliseconds(60))
    default:
      return .json(#"{"code":404,"message":"見つかりませんでした。","path":"\#(path)"}"#, status: .notFound)
    }
  }

  private func signIn() -> DemoAnswer {
    .json(
      #"{"token":"demo-4f1c9a","user":{"id":7,"name":"山田 花子","plan":"silver"}}"#,
      headers: [(name: "Set-Cookie", value: "session=demo-4f1c9a; Path=/; HttpOnly")], after: .milliseconds(80))
  }

  private func list(page: Int) -> DemoAnswer {
    let first = (page - 1) * 5
    let books = (first..<first + 5).map { index in
      let book = DemoBooks.all[index % DemoBooks.all.count]
      return #"{"id":\#(index + 1),"title":"\#(book.title)","author":"\#(book.author)","price":\#(book.price)}"#
    }
    return .json(
      #"{"page":\#(page),"total":15,"books":[\#(books.joined(separator: ","))]}"#, after: .milliseconds(30 + page * 10))
  }

  private func detail(_ id: String) -> DemoAnswer {
    guard let number = Int(id), number > 0 else {
      return .json(#"{"code":400,"message":"book ids are numbers"}"#, status: .badRequest)
    }
    let book = DemoBooks.all[(number - 1) % DemoBooks.all.count]
    return .json(
      #"{"id":\#(number),"title":"\#(book.title)","author":"\#(book.author)","price":\#(book.price),"#
        + #""summary":"\#(book.summary)","tags":["小説","名作","classic"],"stock":{"渋谷":3,"京都":0}}"#,
      headers: [(name: "ETag", value: "\"book-\(number)\"")], after: .milliseconds(45))
  }

  private func recommendations() -> DemoAnswer {
    .json(#"{"for":"山田 花子","books":[3,8,11],"reason":"雨の日に読みたい本"}"#, after: .milliseconds(2_400))
  }

  private func brokenOrder() -> DemoAnswer {
    .json(
      #"{"code":500,"message":"注文を読み込めませんでした。","detail":"database connection pool is exhausted"}"#,
      status: .internalServerError, after: .milliseconds(120))
  }

  private func search(_ words: String) -> DemoAnswer {
    .json(#"{"query":"\#(words.filter { $0 != "\"" && $0 != "\\" })","hits":[]}"#, after: .seconds(6))
  }

  private func review(bytes: Int) -> DemoAnswer {
    .json(#"{"id":311,"received":\#(bytes),"message":"ご感想ありがとうございます。"}"#, status: .created, after: .milliseconds(70))
  }

  private func photo(bytes: Int) -> DemoAnswer {
    .json(#"{"stored":\#(bytes)}"#, after: .milliseconds(150))
  }

  private func events() -> DemoAnswer {
    let lines = ["入荷: こころ", "price of Kokoro is now ¥620", "売り切れ: 雪国", "2 readers are looking at 銀河鉄道の夜", "閉店のお知らせ"]
    let pieces = lines.enumerated().map { index, line in
      DemoAnswer.Piece(
        after: .milliseconds(index == 0 ? 50 : 700),
        bytes: Array("id: \(index + 1)\nevent: news\ndata: {\"text\":\"\(line)\"}\n\n".utf8))
    }
    return DemoAnswer(streaming: pieces, type: "text/event-stream")
  }

  private static func split(_ uri: String) -> (path: String, query: [String: String]) {
    let components = URLComponents(string: uri)
    let items = components?.queryItems ?? []
    return (components?.path ?? uri, Dictionary(items.map { ($0.name, $0.value ?? "") }) { first, _ in first })
  }
}
