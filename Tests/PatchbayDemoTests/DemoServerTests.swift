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
    let began = ContinuousClock.now
    let (data, response) = try await URLSession(configuration: .ephemeral).data(from: url)
    // 50 ms before the first and 700 before each of the others.
    #expect(ContinuousClock.now - began >= .milliseconds(2_850))
    #expect((response as? HTTPURLResponse)?.value(forHTTPHeaderField: "Content-Type") == "text/event-stream")
    #expect(String(decoding: data, as: UTF8.self).components(separatedBy: "event: news").count == 6)
    await server.stop()
  }

  @Test func eachServerHasAPortOfItsOwn() async throws {
    let servers = [try await DemoServer.start(), try await DemoServer.start()]
    #expect(servers[0].port != servers[1].port && servers.allSatisfy { $0.port > 1 })
    for server in servers {
      #expect(try said(server.port, "GET /none HTTP/1.0\n\n").hasPrefix("HTTP/1.0 404 Not Found\n"))
      await server.stop()
    }
  }

  /// What a client that speaks by hand is sent, until the connection ends.
  private func said(_ port: Int, _ lines: String) throws -> String {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard result == 0 else { throw POSIXError(.ECONNREFUSED) }
    let bytes = Array(lines.replacing("\n", with: "\r\n").utf8)
    try #require(write(descriptor, bytes, bytes.count) == bytes.count)
    var said: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4_096)
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      guard count > 0 else { break }
      said += buffer[..<count]
    }
    return String(decoding: said, as: UTF8.self).replacing("\r\n", with: "\n")
  }

  @Test func aConnectionIsKeptForAsLongAsTheClientWantsAndEachBodyCountsForItself() async throws {
    let server = try await DemoServer.start()
    let several = "PUT /v1/photos/7 HTTP/1.1\nHost: x\nContent-Length: 10\n\n0123456789"
    let last = "PUT /v1/photos/7 HTTP/1.1\nHost: x\nConnection: close\nContent-Length: 11\n\n0123456789a"
    let both = try said(server.port, several + last)
    #expect(both.components(separatedBy: "HTTP/1.1 200 OK\n").count == 3)
    #expect(both.contains("\n\n{\"stored\":10}HTTP/1.1") && both.hasSuffix("\n\n{\"stored\":11}"))
    // A client of the older kind closes after each.
    let old = try said(server.port, "GET /v1/latest HTTP/1.0\n\n")
    #expect(old.hasPrefix("HTTP/1.0 302 Found\nLocation: /v1/books/42\nContent-Length: 0\n"))
    // What is no HTTP is told so and ends the connection, and the server goes on.
    #expect(try said(server.port, "nonsense\n\n").hasPrefix("HTTP/1.1 400 Bad Request\n"))
    #expect(try said(server.port, "GET /none HTTP/1.0\n\n").hasPrefix("HTTP/1.0 404 Not Found\n"))
    await server.stop()
    #expect(throws: (any Error).self) { try said(server.port, "GET / HTTP/1.0\n\n") }
  }
}
