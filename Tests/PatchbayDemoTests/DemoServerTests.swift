import Foundation
import PatchbayTestSupport
import Testing

@testable import PatchbayDemo

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite(.bounded) struct DemoServerTests {
  init() { ProxySettings.forget() }

  @Test func answersEachPartOfTheAPI() async throws {
    let server = try await DemoServer.start()
    let session = URLSession(configuration: .ephemeral)
    func get(_ path: String, method: String = "GET", body: Data? = nil) async throws -> (Data, HTTPURLResponse) {
      var request = URLRequest(url: try #require(URL(string: "http://api.komorebi.localhost:\(server.port)\(path)")))
      request.httpMethod = method
      request.httpBody = body
      let (data, response) = try await session.data(for: request)
      return (data, try #require(response as? HTTPURLResponse))
    }

    let (list, listResponse) = try await get("/v1/books?page=2")
    #expect(listResponse.statusCode == 200)
    let page = try #require(try JSONSerialization.jsonObject(with: list) as? [String: Any])
    #expect(page["page"] as? Int == 2)
    #expect((page["books"] as? [[String: Any]])?.count == 5)

    let (signIn, signInResponse) = try await get("/v1/sessions", method: "POST", body: Data("{}".utf8))
    #expect(String(decoding: signIn, as: UTF8.self).contains("山田 花子"))
    #expect(signInResponse.value(forHTTPHeaderField: "Set-Cookie")?.hasPrefix("session=") == true)

    let (book, bookResponse) = try await get("/v1/latest")
    #expect(bookResponse.url?.path == "/v1/books/42")
    #expect(String(decoding: book, as: UTF8.self).contains(#""id":42"#))

    #expect(try await get("/v1/orders/1").1.statusCode == 500)
    #expect(try await get("/v1/nothing").1.statusCode == 404)
    #expect(try await get("/v1/books/x").1.statusCode == 400)

    let (cover, coverResponse) = try await get("/covers/1.png")
    #expect(coverResponse.value(forHTTPHeaderField: "Content-Type") == "image/png")
    #expect(cover.starts(with: [0x89, 0x50, 0x4E, 0x47]))

    let (stored, _) = try await get("/v1/photos/7", method: "PUT", body: Data(count: 1_000))
    #expect(String(decoding: stored, as: UTF8.self) == #"{"stored":1000}"#)
    await server.stop()
  }

  @Test func streamsEventsInPiecesAndEnds() async throws {
    let server = try await DemoServer.start()
    let url = try #require(URL(string: "http://127.0.0.1:\(server.port)/v1/events"))
    let (data, response) = try await URLSession(configuration: .ephemeral).data(from: url)
    #expect((response as? HTTPURLResponse)?.value(forHTTPHeaderField: "Content-Type") == "text/event-stream")
    #expect(String(decoding: data, as: UTF8.self).components(separatedBy: "event: news").count == 6)
    await server.stop()
  }

  @Test func imageIsAWholePNG() {
    let png = DemoImage.png(width: 3, height: 2)
    #expect(png.suffix(12) == [0, 0, 0, 0, 0x49, 0x45, 0x4E, 0x44, 0xAE, 0x42, 0x60, 0x82])
  }
}
