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

/// What the demo's server says to one request: a head, pieces of body and the pauses before them.
struct DemoAnswer: Sendable {
  var status: HTTPResponseStatus
  var headers: [(name: String, value: String)]
  var pieces: [Piece]

  struct Piece: Sendable {
    var after: Duration
    var bytes: [UInt8]
  }

  /// The whole body at once, after a pause.
  init(
    _ status: HTTPResponseStatus, type: String?, body: [UInt8], headers: [(name: String, value: String)] = [],
    after delay: Duration = .zero
  ) {
    self.status = status
    self.headers = headers + [(name: "Content-Length", value: String(body.count))]
    if let type { self.headers.insert((name: "Content-Type", value: type), at: 0) }
    pieces = [Piece(after: delay, bytes: body)]
  }

  /// A body that comes in pieces, its end marked by the connection's close.
  init(streaming pieces: [Piece], type: String) {
    status = .ok
    headers = [(name: "Content-Type", value: type), (name: "Cache-Control", value: "no-cache")]
    self.pieces = pieces
  }

  static func json(
    _ text: String, status: HTTPResponseStatus = .ok, headers: [(name: String, value: String)] = [],
    after delay: Duration = .zero
  ) -> DemoAnswer {
    DemoAnswer(status, type: "application/json; charset=utf-8", body: Array(text.utf8), headers: headers, after: delay)
  }
}

/// The shop's shelf.
private enum DemoBooks {
  struct Book: Sendable {
    var title: String
    var author: String
    var price: Int
    var summary: String
  }

  static let all: [Book] = [
    Book(title: "こころ", author: "夏目漱石", price: 620, summary: "先生と私、そして遺書。友情と恋のあいだで揺れる心。"),
    Book(title: "銀河鉄道の夜", author: "宮沢賢治", price: 540, summary: "ジョバンニは親友カムパネルラと銀河の旅に出る。"),
    Book(title: "雪国", author: "川端康成", price: 480, summary: "国境の長いトンネルを抜けると雪国であった。"),
    Book(
      title: "The Moonstone", author: "Wilkie Collins", price: 980, summary: "A diamond, a theft, and many narrators."),
    Book(title: "羅生門", author: "芥川龍之介", price: 450, summary: "ある日の暮方の事である。一人の下人が雨やみを待っていた。"),
    Book(title: "Persuasion", author: "Jane Austen", price: 870, summary: "Eight years later, a second chance."),
    Book(title: "吾輩は猫である", author: "夏目漱石", price: 760, summary: "吾輩は猫である。名前はまだ無い。"),
    Book(title: "人間失格", author: "太宰治", price: 430, summary: "恥の多い生涯を送って来ました。"),
    Book(title: "Middlemarch", author: "George Eliot", price: 1280, summary: "A study of provincial life."),
    Book(title: "草枕", author: "夏目漱石", price: 520, summary: "山路を登りながら、こう考えた。"),
    Book(title: "源氏物語", author: "紫式部", price: 1980, summary: "いづれの御時にか、女御、更衣あまたさぶらひたまひける中に。"),
  ]
}
