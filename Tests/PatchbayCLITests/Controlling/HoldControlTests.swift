import Foundation
import PatchbayTestSupport
import Testing

@Suite("Held requests from another terminal", .crowd, .bounded)
final class HoldControlTests: DeskSuite {
  /// A console that holds each request for `/json`.
  private func listener() async throws -> ChildProcess {
    try await desk.listener("--stubs", stubs("- name: look\n  when: { path: /json }\n  then: { hold: request }\n"))
  }

  private func held() async throws -> [String: Any] {
    for _ in 0..<200 {
      let list = try await Records.parse(desk.run("hold", "list", "--json").output)
      if let one = list.first { return one }
    }
    throw WaitedInVain(description: "nothing is held")
  }

  @Test("continue, drop, respond and fail decide, each once")
  func decide() async throws {
    let console = try await listener()
    let asker = try desk.asker()
    let url = server.url("/json")
    var answers = 0
    func next(_ command: String...) async throws -> String {
      asker.begin(url)
      let one = try await held()
      #expect(one["method"] as? String == "GET" && one["url"] as? String == url.absoluteString)
      let id = try #require(one["id"] as? Int)
      let offered = try await desk.run("hold", "list", "--completing", "patchbay hold drop ")
      #expect(offered.output == "\(id)\n", "\(offered.said)")
      let table = try await desk.run("hold", "list")
      #expect(table.output.hasPrefix("\(id)\t"))
      let words = ["hold", command[0], "\(id)"] + command.dropFirst()
      let decision = try desk.start([BuiltProduct.path("patchbay")] + words)
      #expect(try await decision.end() == 0, "\(decision.said)")
      #expect(decision.output.isEmpty == !command.contains("--json") && decision.errors.isEmpty, "\(decision.said)")
      if command.contains("--json") { #expect(decision.output == "{\"id\":1,\"ok\":true,\"exchange\":\(id)}\n") }
      answers += 1
      let answer = try await asker.process.waitFor(lines: answers)[answers - 1]
      let again = try desk.start([BuiltProduct.path("patchbay")] + words)
      #expect(try await again.end() == 1)
      #expect(again.errors.contains("\(id)"))
      return answer
    }
    #expect(try await next("continue") == "200 {\"name\":\"花子\",\"ids\":[1,2,3]}")
    #expect(try await next("respond", "--status", "409", "--header", "X-A: b", "--body", "いいえ") == "409 いいえ")
    let body = try desk.folder.write("from a file", to: "body")
    #expect(try await next("respond", "--status", "200", "--body-file", body) == "200 from a file")
    #expect(try await next("respond", "--body-file", "/dev/null") == "200 ")
    #expect(try await next("fail", "timedOut") == "error -1001 NSURLErrorDomain")
    #expect(try await next("drop", "--json").hasPrefix("error -1005"))
    #expect(server.requests.count == 1)
    #expect(console.exitStatus == nil)
  }

  @Test("a body of more than 47 MiB is refused before anybody is asked")
  func largeBody() async throws {
    let file = try desk.folder.write("", to: "large")
    #expect(truncate(file, off_t((47 << 20) + 1)) == 0)
    let respond = try await desk.run("hold", "respond", "1", "--body-file", file)
    #expect(respond.exitStatus == 1)
    #expect(respond.errors == "patchbay: \(file) is larger than 47 MiB, so it is not read (--body-file).\n")
  }

  @Test("wrong ids and faults are told; what is held is released when the console goes")
  func wrong() async throws {
    let console = try await listener()
    let asker = try desk.asker()
    asker.begin(server.url("/json"))
    let id = try #require(try await held()["id"] as? Int)
    let fault = try await desk.run("hold", "fail", "\(id)", "timedOutt")
    #expect(fault.exitStatus == 1 && fault.errors.contains("timedOutt"))
    let status = try await desk.run("hold", "fail", "\(id)", "503")
    #expect(status.exitStatus == 1 && status.errors.contains("hold respond ID --status 503"))
    let other = try await desk.run("hold", "continue", "4711")
    #expect(other.exitStatus == 1 && other.errors.contains("4711 is not held"))
    console.signal(SIGKILL)
    #expect(try await asker.process.waitFor(lines: 1)[0].hasPrefix("200 "))
  }
}
