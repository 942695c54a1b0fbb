import Foundation
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayServer

/// What the control socket answers, as it stands on the line.
@Suite(.bounded) struct ControlAnswersTests {
  private func stub(_ name: String, _ more: String = "") -> String {
    "{\"name\":\"\(name)\",\"when\":{\"path\":\"/\(name)\"},\"then\":{\"respond\":{\"status\":503}}\(more)}"
  }

  @Test func theStatusIsSaid() async throws {
    try await TestConsole().run { console in
      #expect(
        try await console.answers("{\"id\":1,\"do\":\"status\"}") == [
          "{\"id\":1,\"ok\":true,\"socket\":\"SOCKET\",\"pid\":OURS,\"revision\":1,\"paused\":false,\"unmatched\":\"pass\","
            + "\"holdAll\":null,\"held\":0,\"links\":[]}"
        ])
      let hook = try await FakeHook.link(console.socket, name: "shop", pid: 4_711)
      hook.send(
        .shed(Shed(exchanges: 1, bodies: 2, bytes: 3)),
        .exchange(ExchangeUpdate(key: 1, start: .request("http://x.test/"), held: .request)))
      try await eventually { console.server.held.count == 1 && console.server.links.first?.revision == 1 }
      console.server.setUnmatched(.fail, by: .person)
      let last = console.server.setHoldAll(.response, by: .person)
      #expect(await console.server.awaitAcknowledged(last, timeout: Patience.usual).isEmpty)
      try console.server.setDegree(.observe, of: console.server.links[0].id)
      #expect(
        try await console.answers("{\"id\":\"a\",\"do\":\"status\"}") == [
          "{\"id\":\"a\",\"ok\":true,\"socket\":\"SOCKET\",\"pid\":OURS,\"revision\":3,\"paused\":false,\"unmatched\":\"fail\","
            + "\"holdAll\":\"response\",\"held\":1,\"links\":[{\"process\":{\"name\":\"shop\",\"pid\":4711},"
            + "\"executable\":\"/bin/shop\",\"entry\":\"attach\",\"linkedAt\":\"NOW\",\"revision\":3,\"degree\":\"observe\","
            + "\"stalled\":false,\"throttled\":false,\"shed\":{\"exchanges\":1,\"bodies\":2,\"bytes\":3}}]}"
        ])
    }
  }

  @Test func theStubsAreListedWithTheirCounters() async throws {
    try await TestConsole.run { console in
      let hook = try await FakeHook.link(console.socket, name: "b", pid: 12)
      let other = try await FakeHook.link(console.socket, name: "a", pid: 11)
      try await eventually { console.server.links.count == 2 }
      hook.send(.codeStubs([Stub(name: "coded", then: .hold(.both))]))
      try await eventually { console.server.board["coded"] != nil }
      let file = Stub(name: "filed", enabled: false, then: .hold(.both))
      try console.server.edit(.fileLoaded(path: "/f.yaml", [file]), by: .file("/f.yaml"))
      try console.server.edit(.setEnabled(name: "filed", true), by: .person)
      try console.server.edit(.add(Stub(name: "mine", then: .hold(.both)), at: nil), by: .person)
      hook.send(.progress([StubProgress(name: "mine", hits: 4, nextStep: 1), StubProgress(name: "filed", hits: 2)]))
      other.send(.progress([StubProgress(name: "mine", hits: 3, nextStep: 0)]))
      try await eventually { console.server.stubProgress.values.flatMap(\.values).count == 3 }
      try console.server.edit(.setSetPaused(.file("/f.yaml"), true), by: .person)
      func row(
        _ name: String, _ origin: String, edited: Bool = false, paused: Bool = false, hits: String
      ) -> String {
        "{\"name\":\"\(name)\",\"enabled\":true,\(origin),\"edited\":\(edited),\"paused\":\(paused),\(hits),"
          + "\"stub\":\(Stub(name: name, then: .hold(.both)).json.compact)}"
      }
      let none = "\"hits\":0,\"nextStep\":null,\"processes\":[]"
      let mine =
        "\"hits\":7,\"nextStep\":2,\"processes\":[{\"name\":\"a\",\"pid\":11,\"hits\":3,\"nextStep\":1},"
        + "{\"name\":\"b\",\"pid\":12,\"hits\":4,\"nextStep\":2}]"
      let filed =
        "\"hits\":2,\"nextStep\":null,\"processes\":[{\"name\":\"b\",\"pid\":12,\"hits\":2,\"nextStep\":null}]"
      let rows = [
        row("coded", "\"origin\":\"code\",\"from\":\"b 12\"", hits: none),
        row("mine", "\"origin\":\"console\",\"from\":null", hits: mine),
        row("filed", "\"origin\":\"file\",\"from\":\"/f.yaml\"", edited: true, paused: true, hits: filed),
      ]
      #expect(
        try await console.answers("{\"id\":1,\"do\":\"stubs.list\"}") == [
          "{\"id\":1,\"ok\":true,\"revision\":6,\"paused\":false,\"stubs\":[\(rows.joined(separator: ","))]}"
        ])
      #expect(
        try await console.answers("{\"do\":\"stubs.pause\"}") == [
          "{\"id\":null,\"ok\":true,\"revision\":7,\"laggards\":[]}"
        ])
      let all = try await console.answers("{\"do\":\"stubs.list\"}")[0]
      #expect(all.hasPrefix("{\"id\":null,\"ok\":true,\"revision\":7,\"paused\":true,"))
      #expect(all.matches(of: /"edited":(?:true|false),"paused":true/).count == 2, "those in code are their process's")
      #expect(
        try await console.answers("{\"do\":\"stubs.resume\"}") == [
          "{\"id\":null,\"ok\":true,\"revision\":8,\"laggards\":[]}"
        ])
      #expect(!console.server.board.isPaused)
    }
  }

  @Test func changesAreAnsweredWithTheirRevision() async throws {
    try await TestConsole.run { console in
      func names() -> [String] { console.server.board.stubs.map(\.name) }
      func change(_ line: String) async throws -> String {
        let answer = try await console.answers("{\"id\":1,\(line)}")[0]
        return String(answer.dropFirst("{\"id\":1,\"ok\":".count).dropLast())
      }
      #expect(
        try await change("\"do\":\"stubs.add\",\"stubs\":[\(stub("a")),\(stub("b"))]")
          == "true,\"revision\":2,\"laggards\":[],\"added\":[\"a\",\"b\"]")
      #expect(names() == ["a", "b"])
      #expect(
        try await change("\"do\":\"stubs.add\",\"stubs\":[\(stub("c")),\(stub("b", ",\"times\":3"))]")
          == "true,\"revision\":3,\"laggards\":[],\"added\":[\"c\",\"b\"]")
      #expect(names() == ["c", "a", "b"], "one with a known name takes its place")
      #expect(console.server.board["b"]?.stub.times == 3)
      #expect(
        try await change("\"do\":\"stubs.edit\",\"edit\":{\"edit\":\"move\",\"name\":\"b\",\"to\":0}")
          == "true,\"revision\":4,\"laggards\":[]")
      #expect(names() == ["b", "c", "a"])
      #expect(try await change("\"do\":\"stubs.disable\",\"name\":\"b\"") == "true,\"revision\":5,\"laggards\":[]")
      #expect(console.server.board["b"]?.stub.enabled == false)
      #expect(try await change("\"do\":\"stubs.disable\",\"name\":\"b\"") == "true,\"revision\":5,\"laggards\":[]")
      #expect(try await change("\"do\":\"stubs.enable\",\"name\":\"b\"") == "true,\"revision\":6,\"laggards\":[]")
      #expect(
        try await change("\"do\":\"stubs.replace\",\"name\":\"b\",\"stub\":\(stub("d"))")
          == "true,\"revision\":7,\"laggards\":[]")
      #expect(names() == ["d", "c", "a"])
      #expect(try await change("\"do\":\"stubs.remove\",\"name\":\"d\"") == "true,\"revision\":8,\"laggards\":[]")
      #expect(names() == ["c", "a"])
      #expect(try await change("\"do\":\"stubs.reset\",\"name\":\"c\"") == "true,\"revision\":9,\"laggards\":[]")
      #expect(try await change("\"do\":\"stubs.reset\",\"name\":null") == "true,\"revision\":10,\"laggards\":[]")
      #expect(
        try await change("\"do\":\"hold.all\",\"point\":\"both\"") == "true,\"revision\":11,\"laggards\":[]")
      #expect(console.server.holdAll == .both)
      #expect(try await change("\"do\":\"hold.all\",\"point\":null") == "true,\"revision\":12,\"laggards\":[]")
      #expect(console.server.holdAll == nil)
      // Who did it is told.
      try await eventually { console.log.boards.last?.board.revision == 12 }
      #expect(console.log.boards.allSatisfy { $0.by == .controller("a controller") })
    }
  }

  @Test func aStubOfAFileComesBackAsTheFileHasIt() async throws {
    try await TestConsole.run { console in
      let file = Stub(name: "filed", then: .hold(.both))
      try console.server.edit(.fileLoaded(path: "/f.yaml", [file]), by: .file("/f.yaml"))
      try console.server.edit(.setEnabled(name: "filed", false), by: .person)
      let revert = "{\"id\":1,\"do\":\"stubs.revert\",\"name\":\"filed\"}"
      #expect(try await console.answers(revert) == ["{\"id\":1,\"ok\":true,\"revision\":4,\"laggards\":[]}"])
      #expect(console.server.board.stubs == [file])
      try console.server.edit(.remove(name: "filed"), by: .person)
      #expect(try await console.answers(revert) == ["{\"id\":1,\"ok\":true,\"revision\":6,\"laggards\":[]}"])
      #expect(console.server.board.stubs == [file], "one that was removed comes back")
    }
  }

  @Test func whatWasNeverThereDoesNotComeBackForWhatWasRemoved() async throws {
    try await TestConsole.run { console in
      let file = Stub(name: "filed", then: .hold(.both))
      try console.server.edit(.fileLoaded(path: "/f.yaml", [file]), by: .file("/f.yaml"))
      try console.server.edit(.remove(name: "filed"), by: .person)
      #expect(
        try await console.answers("{\"id\":1,\"do\":\"stubs.revert\",\"name\":\"nothing\"}") == [
          "{\"id\":1,\"ok\":false,\"error\":\"There is no stub named `nothing`: see `patchbay stubs list`.\"}"
        ])
      #expect(console.server.board.stubs.isEmpty)
    }
  }

  /// Bodies in files are read by the console that was told, from the folder of the file that is named.
  @Test func bodiesLieBesideTheFileThatIsNamed() async throws {
    try await TestConsole.run { console in
      let path = try console.folder.write("from a file", to: "body.txt")
      let stub = Stub(name: "a", then: .respond(CannedResponse(body: .file("body.txt"))))
      let head = "{\"id\":1,\"do\":\"stubs.add\",\"stubs\":[\(stub.json.compact)]"
      #expect(
        try await console.answers(head + ",\"file\":\"\(console.folder.file("s.yaml"))\"}") == [
          "{\"id\":1,\"ok\":true,\"revision\":2,\"laggards\":[],\"added\":[\"a\"]}"
        ])
      guard case .respond(let response)? = console.server.board["a"]?.stub.then else {
        Issue.record("no answer")
        return
      }
      #expect(response.body == .data(Data("from a file".utf8)))
      let none = console.folder.file("none/body.txt")
      #expect(
        try await console.answers(head + ",\"file\":\"\(console.folder.file("none/s.yaml"))\"}") == [
          "{\"id\":1,\"ok\":false,\"error\":\"its body file \(none) cannot be read (No such file or directory): correct the "
            + "path, or write the body into the stub.\"}"
        ])
      _ = path
    }
  }

  @Test func whatIsMissingOrUnknownIsNamed() async throws {
    try await TestConsole.run { console in
      try console.server.edit(.add(Stub(name: "maintenance", then: .hold(.both)), at: nil), by: .person)
      let before = console.server.board
      func refusal(_ line: String) async throws -> String {
        let answer = try await console.answers("{\"id\":[7],\(line)}")[0]
        let head = "{\"id\":[7],\"ok\":false,\"error\":\""
        return answer.hasPrefix(head) ? String(answer.dropFirst(head.count).dropLast(2)) : answer
      }
      let unknown = "There is no stub named `nothing`: see `patchbay stubs list`."
      let near = "There is no stub named `maintenanc`; did you mean `maintenance`?"
      for command in ["enable", "disable", "remove", "revert", "reset"] {
        #expect(try await refusal("\"do\":\"stubs.\(command)\",\"name\":\"nothing\"") == unknown)
        #expect(try await refusal("\"do\":\"stubs.\(command)\",\"name\":\"maintenanc\"") == near)
      }
      for command in ["enable", "disable", "remove", "revert"] {
        #expect(
          try await refusal("\"do\":\"stubs.\(command)\"") == "stubs.\(command) needs “name”, which must be text.")
      }
      #expect(
        try await refusal("\"do\":\"stubs.replace\",\"name\":\"nothing\",\"stub\":\(stub("a"))") == unknown)
      #expect(
        try await refusal("\"do\":\"stubs.replace\",\"name\":\"maintenance\"")
          == "stubs.replace needs “stub”, which must be a stub.")
      #expect(
        try await refusal("\"do\":\"stubs.edit\"") == "stubs.edit needs “edit”, which must be a change of the stubs.")
      for stubs in ["", ",\"stubs\":[]", ",\"stubs\":{}", ",\"stubs\":null"] {
        #expect(
          try await refusal("\"do\":\"stubs.add\"\(stubs)") == "stubs.add needs “stubs”, which must be a list of stubs."
        )
      }
      #expect(
        try await refusal("\"do\":\"stubs.add\",\"stubs\":[\(stub("x")),\(stub("x"))]")
          == "Two of the stubs are named `x`: names must be unique.")
      #expect(
        try await refusal("\"do\":\"hold.all\",\"point\":\"requests\"")
          == "hold.all needs “point”, which must be request, response, both or null.")
      #expect(try await refusal("\"do\":\"hold.all\",\"point\":7") == "hold.all needs “point”, which must be text.")
      #expect(
        try await refusal("\"do\":\"links.degree\",\"pid\":1,\"degree\":\"half\"")
          == "links.degree needs “degree”, which must be full, observe or bypass.")
      #expect(
        try await refusal("\"do\":\"links.degree\",\"degree\":\"full\"")
          == "links.degree needs “pid”, which must be a whole number.")
      #expect(
        try await refusal("\"do\":\"links.degree\",\"degree\":\"full\",\"pid\":77")
          == "No process with the pid 77 is linked.")
      #expect(
        try await refusal("\"do\":\"stubs.disabel\"")
          == "There is no command “stubs.disabel”: did you mean “stubs.disable”?")
      #expect(
        try await refusal("\"do\":\"xyzzyxyzzy\"")
          == "There is no command “xyzzyxyzzy”: see the commands of the control protocol.")
      for command in ["log", "history", "links.detach"] {
        #expect(
          try await refusal("\"do\":\"\(command)\",\"pid\":7") == "This console does not answer \(command).",
          "without a record")
      }
      #expect(
        try await refusal("\"do\":\"hold.release\",\"filter\":\"x\"") == "This console does not answer hold.release.")
      #expect(console.server.board == before && console.server.holdAll == nil)
    }
  }

  @Test func theRecordIsAskedOfTheConsole() async throws {
    try await TestConsole(delegate: FakeDelegate()).run { console in
      let answers = try await console.answers(
        "{\"id\":1,\"do\":\"history\",\"filter\":\"f\",\"limit\":1}", "{\"id\":2,\"do\":\"history\",\"limit\":0}",
        "{\"id\":3,\"do\":\"history\",\"limit\":-1}", "{\"id\":4,\"do\":\"history\",\"limit\":\"1\"}",
        "{\"id\":5,\"do\":\"log\",\"filter\":\"(\"}", "{\"id\":6,\"do\":\"log\"}")
      #expect(
        answers == [
          "{\"id\":1,\"ok\":true,\"file\":null,\"exchanges\":[{\"id\":1,\"filter\":\"f\"}]}",
          "{\"id\":2,\"ok\":true,\"file\":null,\"exchanges\":[]}",
          "{\"id\":3,\"ok\":false,\"error\":\"history needs “limit”, which must be a number from 0 on.\"}",
          "{\"id\":4,\"ok\":false,\"error\":\"history needs “limit”, which must be a whole number.\"}",
          "{\"id\":5,\"ok\":false,\"error\":\"1: a parenthesis is not closed.\"}",
          "{\"id\":6,\"ok\":true,\"following\":true}",
        ])
    }
    try await TestConsole(delegate: FakeDelegate(historyFile: "/h.sqlite")).run { console in
      let answers = try await console.answers("{\"id\":1,\"do\":\"history\",\"limit\":0}")
      #expect(answers == ["{\"id\":1,\"ok\":true,\"file\":\"/h.sqlite\",\"exchanges\":[]}"])
    }
  }

  @Test func aProcessIsLookedAtLessCloselyOrLetGo() async throws {
    try await TestConsole(delegate: FakeDelegate(guests: [400: 4_711])).run { console in
      let hook = try await FakeHook.link(console.socket, name: "shop", pid: 4_711)
      let twin = try await FakeHook.link(console.socket, name: "shop", pid: 4_711, instance: 5)
      let other = try await FakeHook.link(console.socket, name: "other", pid: 4_712)
      try await eventually { console.server.links.count == 3 }
      let answers = try await console.answers(#"{"id":1,"do":"links.degree","pid":4711,"degree":"bypass"}"#)
      #expect(answers == [#"{"id":1,"ok":true,"changed":2}"#])
      let degrees = console.server.links.map(\.degree.rawValue)
      #expect(degrees.sorted() == ["bypass", "bypass", "full"])
      for pid in ["7", "4711", "99999999999"] {
        let answers = try await console.answers(#"{"id":1,"do":"links.detach","pid":\#(pid)}"#)
        let error = "This console was not attached to a process with the pid \(pid)."
        #expect(answers == [#"{"id":1,"ok":false,"error":"\#(error)"}"#])
      }
      #expect(
        try await console.answers("{\"id\":1,\"by\":\"me\",\"do\":\"links.detach\",\"pid\":400}") == [
          "{\"id\":1,\"ok\":true}"
        ])
      try await eventually { hook.isClosed && twin.isClosed }
      #expect(hook.refusals == ["Detached by me."] && twin.refusals == ["Detached by me."])
      try await eventually { console.server.links.map(\.process.name) == ["other"] }
      #expect(!other.isClosed)
    }
  }
}
