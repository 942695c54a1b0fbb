import Foundation
import NIOHTTP1
import PatchbayTestSupport
import Testing

@testable import PatchbayDemo

/// What the bookshop answers, as values: the demo's pages in the manual show some of it.
@Suite(.bounded) struct DemoAPITests {
  private func answer(_ method: HTTPMethod, _ uri: String, body: Int = 0) -> DemoAnswer {
    DemoAPI().answer(method: method, uri: uri, headers: [:], body: [UInt8](repeating: 0x61, count: body))
  }

  /// Status, headers and each piece with the pause before it.
  private func text(_ answer: DemoAnswer) -> [String] {
    ["\(answer.status.code) " + answer.headers.map { "\($0.name): \($0.value)" }.joined(separator: ", ")]
      + answer.pieces.map { "\($0.after) \(String(decoding: $0.bytes, as: UTF8.self))" }
  }

  private func json(_ text: String, _ status: Int = 200, _ headers: [String] = [], after: String) -> [String] {
    let all = ["Content-Type: application/json; charset=utf-8"] + headers + ["Content-Length: \(text.utf8.count)"]
    return ["\(status) " + all.joined(separator: ", "), "\(after) \(text)"]
  }

  @Test func signingInGivesASession() {
    #expect(
      text(answer(.POST, "/v1/sessions"))
        == json(
          #"{"token":"demo-4f1c9a","user":{"id":7,"name":"山田 花子","plan":"silver"}}"#, 200,
          ["Set-Cookie: session=demo-4f1c9a; Path=/; HttpOnly"], after: "0.08 seconds"))
  }

  @Test func thePagesOfTheListGoThroughTheShelfAgainAndAgain() throws {
    func titles(_ page: Int) throws -> [String] {
      let body = try #require(answer(.GET, "/v1/books?page=\(page)").pieces.first).bytes
      let list = try #require(try JSONSerialization.jsonObject(with: Data(body)) as? [String: Any])
      #expect(list["page"] as? Int == page && list["total"] as? Int == 15)
      return try #require(list["books"] as? [[String: Any]]).map {
        "\($0["id"]!) \($0["title"]!) \($0["author"]!) \($0["price"]!)"
      }
    }
    #expect(
      try titles(1) == [
        "1 こころ 夏目漱石 620", "2 銀河鉄道の夜 宮沢賢治 540", "3 雪国 川端康成 480", "4 The Moonstone Wilkie Collins 980",
        "5 羅生門 芥川龍之介 450",
      ])
    #expect(
      try titles(2) == [
        "6 Persuasion Jane Austen 870", "7 吾輩は猫である 夏目漱石 760", "8 人間失格 太宰治 430",
        "9 Middlemarch George Eliot 1280", "10 草枕 夏目漱石 520",
      ])
    #expect(
      try titles(3) == [
        "11 源氏物語 紫式部 1980", "12 こころ 夏目漱石 620", "13 銀河鉄道の夜 宮沢賢治 540", "14 雪国 川端康成 480",
        "15 The Moonstone Wilkie Collins 980",
      ])
    for uri in ["/v1/books", "/v1/books?page=x", "/v1/books?other=2", "/v1/books?page=1&page=2"] {
      #expect(text(answer(.GET, uri)) == text(answer(.GET, "/v1/books?page=1")), "\(uri)")
    }
    let first = answer(.GET, "/v1/books?page=1")
    #expect(first.pieces.map(\.after) == [.milliseconds(40)] && first.status == .ok)
    #expect(answer(.GET, "/v1/books?page=3").pieces.map(\.after) == [.milliseconds(60)])
    #expect(first.headers.map(\.name) == ["Content-Type", "Content-Length"])
  }

  @Test func aBookIsShownByItsNumber() {
    #expect(
      text(answer(.GET, "/v1/books/42"))
        == json(
          #"{"id":42,"title":"Middlemarch","author":"George Eliot","price":1280,"#
            + #""summary":"A study of provincial life.","tags":["小説","名作","classic"],"stock":{"渋谷":3,"京都":0}}"#,
          200, [#"ETag: "book-42""#], after: "0.045 seconds"))
    #expect(text(answer(.GET, "/v1/books/1"))[1].contains("先生と私、そして遺書。友情と恋のあいだで揺れる心。"))
    #expect(text(answer(.GET, "/v1/books/12"))[1].contains("先生と私、そして遺書。友情と恋のあいだで揺れる心。"))
    #expect(text(answer(.GET, "/v1/books/11"))[1].contains("いづれの御時にか、女御、更衣あまたさぶらひたまひける中に。"))
    for id in ["x", "0", "-1"] {
      #expect(
        text(answer(.GET, "/v1/books/\(id)"))
          == json(#"{"code":400,"message":"book ids are numbers"}"#, 400, after: "0.0 seconds"))
    }
  }

  @Test func eachOtherPartAnswersInItsTime() {
    #expect(
      text(answer(.GET, "/v1/recommendations"))
        == json(#"{"for":"山田 花子","books":[3,8,11],"reason":"雨の日に読みたい本"}"#, after: "2.4 seconds"))
    #expect(
      text(answer(.GET, "/v1/orders/9001"))
        == json(
          #"{"code":500,"message":"注文を読み込めませんでした。","detail":"database connection pool is exhausted"}"#, 500,
          after: "0.12 seconds"))
    #expect(
      text(answer(.GET, "/v1/search?q=a%22b%5Cc")) == json(#"{"query":"abc","hits":[]}"#, after: "6.0 seconds"))
    #expect(text(answer(.GET, "/v1/search")) == json(#"{"query":"","hits":[]}"#, after: "6.0 seconds"))
    #expect(
      text(answer(.POST, "/v1/reviews", body: 12))
        == json(
          #"{"id":311,"received":12,"message":"ご感想ありがとうございます。"}"#, 201, after: "0.07 seconds"))
    #expect(text(answer(.PUT, "/v1/photos/7", body: 99)) == json(#"{"stored":99}"#, after: "0.15 seconds"))
    #expect(
      text(answer(.GET, "/v1/latest")) == ["302 Location: /v1/books/42, Content-Length: 0", "0.0 seconds "])
    let cover = answer(.GET, "/covers/any.png")
    #expect(cover.status == .ok && cover.headers.map(\.value) == ["image/png", "\(cover.pieces[0].bytes.count)"])
    #expect(cover.pieces[0].bytes == DemoImage.png(width: 96, height: 144))
    #expect(cover.pieces.map(\.after) == [.milliseconds(60)])
  }

  @Test(
    arguments: [
      (.GET, "/"), (.GET, "/v1"), (.GET, "/v1/sessions"), (.POST, "/v1/books"), (.GET, "/v1/books/1/2"),
      (.DELETE, "/v1/books/1"), (.GET, "/v1/wishlist"), (.GET, "/v2/latest"), (.POST, "/v1/photos"),
      (.POST, "/covers/1"),
      (.GET, "/v1/reviews"), (.POST, "/v1/search"), (.POST, "/v1/orders/1"), (.POST, "/v1/events"),
      (.POST, "/v1/recommendations"), (.POST, "/v1/latest"),
    ] as [(HTTPMethod, String)])
  func whatThereIsNotIsNotFound(_ method: HTTPMethod, _ path: String) {
    let expected = json(
      #"{"code":404,"message":"見つかりませんでした。","path":"\#(path)"}"#, 404, after: "0.0 seconds")
    #expect(text(answer(method, path)) == expected)
    #expect(text(answer(method, path + "?a=b")) == expected)
  }

  @Test func theNewsComeOneByOne() {
    let lines = [
      "入荷: こころ", "price of Kokoro is now ¥620", "売り切れ: 雪国", "2 readers are looking at 銀河鉄道の夜", "閉店のお知らせ",
    ]
    let pieces = zip(1..., lines).map { number, line in
      "\(number == 1 ? "0.05" : "0.7") seconds id: \(number)\nevent: news\ndata: {\"text\":\"\(line)\"}\n\n"
    }
    #expect(
      text(answer(.GET, "/v1/events")) == ["200 Content-Type: text/event-stream, Cache-Control: no-cache"] + pieces)
  }

  @Test func theStubsAreThoseThatTheManualShows() {
    let names = DemoStubs.yaml.split(separator: "\n").filter { $0.hasPrefix("- name: ") }.map {
      String($0.dropFirst(8))
    }
    #expect(
      names == ["maintenance", "orders work again", "recommendations time out", "look at sign-ins"])
    #expect(DemoStubs.yaml.components(separatedBy: "\n  enabled: false\n").count == 5)
    #expect(names.contains(DemoStubs.headlessToggle))
  }
}

/// Read as ISO/IEC 15948, RFC 1950 and RFC 1951 say, with sums worked out in another way than where it is made.
@Suite(.bounded) struct DemoImageTests {
  private func word(_ bytes: some Collection<UInt8>) -> Int { bytes.prefix(4).reduce(0) { $0 << 8 | Int($1) } }

  /// By polynomial division, bit by bit, from the highest.
  private func checksum(_ bytes: [UInt8]) -> Int {
    func reversed(_ value: Int, _ bits: Int) -> Int { (0..<bits).reduce(0) { $0 << 1 | value >> $1 & 1 } }
    var rest = 0xFFFF_FFFF
    for byte in bytes {
      rest ^= reversed(Int(byte), 8) << 24
      for _ in 0..<8 { rest = rest & 0x8000_0000 != 0 ? (rest << 1 ^ 0x04C1_1DB7) & 0xFFFF_FFFF : rest << 1 }
    }
    return reversed(rest ^ 0xFFFF_FFFF, 32)
  }

  private func chunks(_ png: [UInt8]) throws -> [(name: String, data: [UInt8])] {
    #expect(png.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]))
    var rest = png.dropFirst(8)
    var found: [(String, [UInt8])] = []
    while !rest.isEmpty {
      let count = word(rest)
      try #require(rest.count >= count + 12)
      let body = Array(rest.dropFirst(4).prefix(count + 4))
      #expect(word(rest.dropFirst(8 + count)) == checksum(body))
      found.append((String(decoding: body.prefix(4), as: UTF8.self), Array(body.dropFirst(4))))
      rest = rest.dropFirst(12 + count)
    }
    return found
  }

  private func inflated(_ stream: [UInt8]) throws -> (bytes: [UInt8], blocks: [Int]) {
    #expect(stream.prefix(2) == [0x78, 0x01] && (0x78 * 256 + 0x01) % 31 == 0)
    var rest = stream.dropFirst(2)
    var bytes: [UInt8] = []
    var blocks: [Int] = []
    var isLast = false
    while !isLast {
      let head = Array(rest.prefix(5))
      try #require(head.count == 5 && head[0] <= 1)
      isLast = head[0] == 1
      let count = Int(head[1]) | Int(head[2]) << 8
      #expect(Int(head[3]) | Int(head[4]) << 8 == 0xFFFF - count)
      bytes += rest.dropFirst(5).prefix(count)
      blocks.append(count)
      rest = rest.dropFirst(5 + count)
    }
    let low = bytes.reduce(1) { $0 + Int($1) } % 65_521
    let high = bytes.enumerated().reduce(bytes.count) { $0 + (bytes.count - $1.offset) * Int($1.element) } % 65_521
    #expect(rest.count == 4 && word(rest) == high << 16 | low)
    return (bytes, blocks)
  }

  @Test func aSmallOneHasItsSizeAndItsPixels() throws {
    let chunks = try chunks(DemoImage.png(width: 3, height: 2))
    #expect(chunks.map(\.name) == ["IHDR", "IDAT", "IEND"])
    #expect(chunks[0].data == [0, 0, 0, 3, 0, 0, 0, 2, 8, 2, 0, 0, 0] && chunks[2].data == [])
    let (bytes, blocks) = try inflated(chunks[1].data)
    // No filter before each row; light from the top, and from the left to the right.
    #expect(
      bytes == [
        0, 127, 167, 89, 170, 210, 78, 212, 252, 67, 0, 63, 103, 105, 106, 146, 94, 148, 188, 83,
      ])
    #expect(blocks == [20])
  }

  @Test func theLightGrowsInEvenSteps() throws {
    let (bytes, _) = try inflated(chunks(DemoImage.png(width: 4, height: 3))[1].data)
    #expect(
      bytes == [
        0, 127, 167, 89, 159, 199, 81, 191, 231, 73, 223, 255, 65, 0, 85, 125, 99, 116, 156, 91, 148, 188, 83, 180,
        220, 75, 0, 42, 82, 110, 74, 114, 102, 106, 146, 94, 138, 178, 86,
      ])
  }

  @Test func aLargeOneIsInBlocksOfWhichTheLastIsMarked() throws {
    let chunks = try chunks(DemoImage.png(width: 255, height: 200))
    #expect(chunks[0].data.prefix(8) == [0, 0, 0, 255, 0, 0, 0, 200])
    let (bytes, blocks) = try inflated(chunks[1].data)
    #expect(bytes.count == 200 * (255 * 3 + 1) && blocks == [65_535, 65_535, 153_200 - 131_070])
    #expect(bytes.max() == 255)
    // What just fills a block begins no other.
    #expect(try inflated(self.chunks(DemoImage.png(width: 1_456, height: 15))[1].data).blocks == [65_535])
    #expect(try inflated(self.chunks(DemoImage.png(width: 1_456, height: 30))[1].data).blocks == [65_535, 65_535])
  }
}
