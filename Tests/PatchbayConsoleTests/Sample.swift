import Foundation
import PatchbayGrid
import PatchbayInspect
import PatchbayStubs
import PatchbayWire

@testable import PatchbayConsole

/// A session as a person would see it: several outcomes, stubs, Japanese, something held.
enum Sample {
  static let maintenance = """
    {"code":100,"message":"ただいまメンテナンス中です。","until":null,"retry":{"after":1.50,"unit":"s"},"tags":["a","b"]}
    """

  static func exchanges() -> [Exchange] {
    let json = [
      HeaderField("Content-Type", "application/json; charset=utf-8"), HeaderField("Server", "demo"),
      HeaderField("Set-Cookie", "a=1"), HeaderField("Set-Cookie", "b=2"),
    ]
    var all = [
      Exchange.make(
        1190, "POST", "https://api.example.com/v1/sign-in", status: 201, headers: json, body: "{\"token\":\"…\"}",
        took: 120_000),
      Exchange.make(1191, "GET", "https://api.example.com/v1/old", status: 301, headers: json, body: "", took: 12_000),
      Exchange.make(
        1192, "GET", "https://img.example.com/人物/写真.png", status: 404, headers: json, body: "not found", took: 45_000),
      Exchange.make(
        1193, "GET", "https://api.example.com/v1/users?page=2", status: 200, headers: json,
        body: "[{\"id\":7,\"name\":\"山田 太郎\"}]", took: 34_000),
      Exchange.make(
        1194, "GET", "https://api.example.com/v1/orders", status: 503, headers: json, body: maintenance,
        stub: "orders down", took: 2_000),
      Exchange.make(1195, "POST", "https://api.example.com/v1/login", stub: "look at logins", phase: .heldRequest),
      Exchange.make(
        1196, "GET", "https://api.example.com/v1/feed", status: nil,
        error: RecordedError(domain: "NSURLErrorDomain", code: -1001, name: "timedOut"), stub: "time out",
        took: 30_000_000),
      Exchange.make(
        1197, "DELETE", "https://api.example.com/v1/users/7", status: 204, headers: [], body: nil, took: 61_000),
      Exchange.make(1198, "GET", "https://api.example.com/v1/slow", phase: .waiting),
    ]
    all[7].outcome = .cancelled
    all[7].response = nil
    all[4].revision = 4
    return all
  }

  static func board() -> StubBoard {
    StubBoard(
      revision: 4,
      entries: [
        .init(
          stub: Stub(
            name: "orders down",
            when: RequestPattern(methods: ["GET"], host: .glob("api.example.com"), path: .glob("/v1/orders*")),
            then: .respond(
              CannedResponse(
                status: 503, headers: [HeaderField("Retry-After", "120")],
                body: .json(["code": 100, "message": "ただいまメンテナンス中です。"]), delay: .fixed(.milliseconds(300))))),
          origin: .file("/home/me/stubs.yaml"), edited: true,
          baseline: Stub(name: "orders down", then: .pass(PassChanges()))),
        .init(
          stub: Stub(name: "look at logins", when: RequestPattern(path: .glob("/v1/login")), then: .hold(.request)),
          origin: .file("/home/me/stubs.yaml")),
        .init(
          stub: Stub(
            name: "time out", when: RequestPattern(path: .glob("/v1/feed")), then: .fail(Fault(.named("timedOut"))),
            times: 10),
          origin: .console),
        .init(
          stub: Stub(
            name: "flaky search", enabled: false, when: RequestPattern(url: .glob("*/search*")),
            then: .sequence([.respond(CannedResponse(status: 500)), .pass(PassChanges())], afterwards: .repeat),
            chance: 0.5),
          origin: .file("/home/me/stubs.yaml")),
        .init(
          stub: Stub(
            name: "new field", enabled: false, when: RequestPattern(path: .glob("/v1/profile")),
            then: .pass(PassChanges(delay: .fixed(.seconds(2)), status: 200))),
          origin: .code("demo 4121")),
      ])
  }

  static func links() -> [LinkRow] {
    [
      LinkRow(
        instance: 1, process: HarnessProcess(name: "demo", pid: 4121), executable: "/home/me/.build/debug/demo",
        entry: .attach, since: Timestamp(microseconds: 1_700_000_000_000_000), revision: 4, exchanges: 1204),
      LinkRow(
        instance: 2, process: HarnessProcess(name: "同期ツール", pid: 4200), executable: "/usr/local/bin/sync",
        entry: .preload,
        since: Timestamp(microseconds: 1_700_000_010_000_000), revision: 3, degree: .observe,
        shed: Shed(exchanges: 0, bodies: 12, bytes: 44), exchanges: 17),
    ]
  }

  static func driver(_ width: Int, _ height: Int, mode: ConsoleSetup.Mode = .demo, theme: Theme = .builtIn)
    -> ConsoleDriver
  {
    var driver = ConsoleDriver(
      width: width, height: height, setup: ConsoleSetup(mode: mode, socket: "/run/user/1000/patchbay/default.sock"))
    driver.board = board()
    driver.send(.theme(theme))
    driver.send(.board(driver.board, by: nil))
    driver.send(
      .progress(
        HarnessProcess(name: "demo", pid: 4121),
        [StubProgress(name: "orders down", hits: 12), StubProgress(name: "flaky search", hits: 3, nextStep: 1)])
    )
    driver.send(.links(links()))
    driver.send(.recorded(1_195))
    driver.now = Timestamp(microseconds: 1_700_000_002_500_000)
    driver.add(exchanges())
    driver.now = Timestamp(microseconds: 1_700_000_009_500_000)
    driver.send(.tick)
    return driver
  }
}
