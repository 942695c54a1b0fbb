import Foundation
import Patchbay

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What README and the documentation show, as it stands there, in a program that has used its sessions before.
/// (`SnippetTests` compares the lines.)
enum Snippets {
  private struct Receipt: Codable { var id: Int }

  static func readme() async throws {
    _ = try? await URLSession.shared.data(from: URL(string: "http://127.0.0.1:9/")!)
    Patchbay.stub(.get("*/users/*"), respond: .json(["name": "花子"]))
    let (data, _) = try await URLSession.shared.data(from: URL(string: "https://api.example.com/users/7")!)
    say("readme:", String(decoding: data, as: UTF8.self))
    Patchbay.reset()
  }

  static func stubs() async throws {
    let before = URLSession(configuration: .default)
    _ = try? await before.data(from: URL(string: "http://127.0.0.1:9/")!)
    Patchbay.stub(.get("*/users/*"), respond: .json(["name": "Ann"]))
    Patchbay.stub(.post("*/orders"), respond: .status(503).delayed(by: .milliseconds(300)), times: 2)
    Patchbay.stub(.get("*/feed"), fail: .timedOut)
    Patchbay.stub(.put("*/upload")) { request in
      guard request.httpBody?.isEmpty == false else { throw URLError(.badURL) }
      return try .json(encoding: Receipt(id: 7), status: 201)
    }
    for (method, path) in [("GET", "users/7"), ("POST", "orders"), ("GET", "feed"), ("PUT", "upload")] {
      var request = URLRequest(url: URL(string: "https://api.example.com/\(path)")!)
      request.httpMethod = method
      if method != "GET" { request.httpBody = Data("x".utf8) }
      do {
        let (data, response) = try await before.data(for: request)
        say("\(path):", (response as? HTTPURLResponse)?.statusCode ?? 0, String(decoding: data, as: UTF8.self))
      } catch {
        say("\(path):", (error as? URLError)?.code == .timedOut ? "timed out" : error)
      }
    }
    Patchbay.reset()
  }

  static func sessions() async throws {
    let configuration = URLSessionConfiguration.ephemeral
    let session = URLSession(configuration: .ephemeral.patched())
    configuration.protocolClasses = [PatchbayURLProtocol.self] + (configuration.protocolClasses ?? [])
    Patchbay.stub(.get("*"), respond: .status(204))
    for session in [session, URLSession(configuration: configuration)] {
      let (_, response) = try await session.data(from: URL(string: "https://api.example.com/")!)
      say("session:", (response as? HTTPURLResponse)?.statusCode ?? 0)
    }
    Patchbay.attach()
    say("attached:", Patchbay.state.link != .notAttached)
  }
}
