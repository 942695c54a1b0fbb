import Foundation
import PatchbayFiles
import PatchbayServer
import PatchbayStubs
import PatchbayTestSupport
import Synchronization
import Testing

@testable import PatchbayRuntime

/// The stub files of a console, those that are loaded while it runs too.
@Suite(.bounded) struct StubFileSetTests {
  private let folder: TemporaryFolder
  private let server: ConsoleServer

  init() throws {
    folder = try TemporaryFolder()
    server = ConsoleServer(configuration: ServerConfiguration(socket: folder.file("s.sock")))
  }

  private func write(_ name: String, _ stubs: String...) throws -> String {
    let list = stubs.map { "- name: \($0)\n  when: { path: /\($0) }\n  then: { fail: offline }\n" }.joined()
    return try folder.write("patchbay: 1\nstubs:\n\(list)", to: name)
  }

  private var names: [String] { server.board.stubs.map(\.name) }

  @Test func aFileIsAddedWatchedAndForgotten() async throws {
    let files = try StubFileSet([try write("a.yaml", "a1", "a2")])
    try files.putInForce(on: server)
    defer { files.stop() }
    let path = try write("b.yaml", "b1")
    #expect(try files.add(path, to: server).stubs.map(\.name) == ["b1"])
    #expect(names == ["a1", "a2", "b1"] && server.board.files.count == 2)
    _ = try write("b.yaml", "b1", "b2")
    try await eventually("b2") { names == ["a1", "a2", "b1", "b2"] }
    #expect(try files.add(path, to: server).stubs.count == 2)
    #expect(names == ["a1", "a2", "b1", "b2"] && server.board.files.count == 2)
    try files.forget(path, on: server)
    #expect(names == ["a1", "a2"])
    _ = try write("b.yaml", "b3")
    // The others are watched on.
    _ = try write("a.yaml", "a1", "a3")
    try await eventually("a3") { names == ["a1", "a3"] }
  }

  @Test func withoutAnyTheFirstIsWatchedToo() async throws {
    let files = try StubFileSet([])
    try files.putInForce(on: server)
    defer { files.stop() }
    _ = try files.add(try write("a.yaml", "a1"), to: server)
    _ = try write("a.yaml", "a2")
    try await eventually("a2") { names == ["a2"] }
  }

  @Test func whatCannotBeLoadedChangesNothing() throws {
    let files = try StubFileSet([try write("a.yaml", "a1")])
    try files.putInForce(on: server)
    defer { files.stop() }
    let before = server.board
    #expect(throws: FilesError.self) { try files.add(folder.file("none.yaml"), to: server) }
    let broken = try folder.write("patchbay: 1\nstubs:\n- nmae: x\n", to: "broken.yaml")
    #expect(throws: FilesError.self) { try files.add(broken, to: server) }
    let clash = try write("clash.yaml", "new", "a1")
    let error = #expect(throws: FilesError.self) { try files.add(clash, to: server) }
    #expect("\(error!)".contains("the name `a1` is taken"), "\(error!)")
    #expect(server.board == before)
  }

  @Test func whatWasDoubtfulBeforeAnybodyListenedIsToldOnce() throws {
    let text = "patchbay: 1\nstubs:\n- name: all\n  then: { fail: offline }\n- name: late\n  then: { fail: offline }\n"
    let files = try StubFileSet([try folder.write(text, to: "s.yaml")])
    try files.putInForce(on: server)
    defer { files.stop() }
    let told = Mutex<[String]>([])
    files.onNotice = { sentence, _ in told.withLock { $0.append(sentence) } }
    #expect(told.withLock { $0.count } == 1 && told.withLock { $0[0].contains("`late` can never match") })
    files.onNotice = { sentence, _ in told.withLock { $0.append(sentence) } }
    #expect(told.withLock { $0.count } == 1)
  }

  /// Of a file that is added only what is doubtful about that one.
  @Test func whatComesWhileNobodyListensWaits() throws {
    let text = "patchbay: 1\nstubs:\n- name: all\n  then: { fail: offline }\n- name: late\n  then: { fail: offline }\n"
    let files = try StubFileSet([try folder.write(text, to: "s.yaml")])
    try files.putInForce(on: server)
    defer { files.stop() }
    let told = Mutex<[String]>([])
    files.onNotice = nil
    files.onNotice = { sentence, _ in told.withLock { $0.append(sentence) } }
    #expect(told.withLock { $0.count } == 1)
    files.onNotice = nil
    _ = try files.add(try write("b.yaml", "b1"), to: server)
    #expect(told.withLock { $0.count } == 1)
    files.onNotice = { sentence, _ in told.withLock { $0.append(sentence) } }
    #expect(told.withLock { $0.count } == 2 && told.withLock { $0[1].contains("`b1` can never match") })
  }

  @Test func whatIsDoubtfulAboutAFileThatWasSavedIsTold() async throws {
    let head = "patchbay: 1\nstubs:\n- name: all\n  then: { fail: offline }\n"
    let path = try folder.write(head, to: "s.yaml")
    let files = try StubFileSet([path])
    try files.putInForce(on: server)
    defer { files.stop() }
    let told = Mutex<[(String, Bool)]>([])
    files.onNotice = { sentence, isError in told.withLock { $0.append((sentence, isError)) } }
    _ = try folder.write(head + "- name: late\n  then: { fail: offline }\n", to: "s.yaml")
    try await eventually("two sentences") { told.withLock { $0.count >= 2 } }
    let (sentences, errors) = told.withLock { ($0.map(\.0), $0.map(\.1)) }
    #expect(sentences.count == 2 && sentences[0] == "Read \(path) again: 2 stubs.")
    #expect(sentences[1].contains("`late` can never match") && errors == [false, false])
  }

  /// The files are as they should be, but one has a name that a stub of another was given here.
  @Test func aFileThatCannotBeTakenInIsSaidSo() async throws {
    let (first, second) = (try write("a.yaml", "a1"), try write("b.yaml", "b1"))
    let files = try StubFileSet([first, second])
    try files.putInForce(on: server)
    defer { files.stop() }
    let told = Mutex<[(String, Bool)]>([])
    files.onNotice = { sentence, isError in told.withLock { $0.append((sentence, isError)) } }
    try server.edit(.replace(name: "a1", with: Stub(name: "x", then: .hold(.both))), by: .person)
    _ = try write("b.yaml", "b1", "x")
    try await eventually("a sentence") { told.withLock { !$0.isEmpty } }
    let (sentences, errors) = told.withLock { ($0.map(\.0), $0.map(\.1)) }
    #expect(sentences == ["\(second): The name `x` is taken by a stub of \(first)."] && errors == [true])
    #expect(names == ["x", "b1"])
  }

  @Test func whatBecameOfAFileThatWasSavedIsTold() async throws {
    let path = try write("a.yaml", "a1", "a2")
    let files = try StubFileSet([path])
    try files.putInForce(on: server)
    defer { files.stop() }
    let told = Mutex<[(String, Bool)]>([])
    files.onNotice = { sentence, isError in told.withLock { $0.append((sentence, isError)) } }
    func next(_ text: String) async throws -> [String] {
      told.withLock { $0 = [] }
      _ = try folder.write(text, to: "a.yaml")
      try await eventually("a sentence") { told.withLock { !$0.isEmpty } }
      return told.withLock { $0.map { ($0.1 ? "error: " : "") + $0.0.replacingOccurrences(of: path, with: "FILE") } }
    }
    func stub(_ name: String) -> String { "- name: \(name)\n  when: { path: /\(name) }\n  then: { fail: offline }\n" }
    let head = "patchbay: 1\nstubs:\n"
    #expect(try await next(head + stub("a1")) == ["Read FILE again: 1 stub."])
    #expect(try await next(head + stub("a1") + stub("a2")) == ["Read FILE again: 2 stubs."])
    #expect(
      try await next(head + "- nmae: x\n  then: { fail: offline }\n")
        == ["error: FILE:3:3: unknown key `nmae` in a stub; did you mean `name`? The last good stubs stay in force."])
    #expect(
      try await next(head + "- nmae: x\n  then: { fial: offline }\n") == [
        "error: FILE:3:3: unknown key `nmae` in a stub; did you mean `name`? (and 1 more mistakes); the last good stubs stay "
          + "in force."
      ])
    #expect(names == ["a1", "a2"])
  }

  @Test func whatWasEditedHereStaysAndIsNamed() async throws {
    let path = try write("a.yaml", "a1", "a2", "a3")
    let files = try StubFileSet([path])
    try files.putInForce(on: server)
    defer { files.stop() }
    let told = Mutex<[String]>([])
    files.onNotice = { sentence, _ in told.withLock { $0.append(sentence) } }
    func edit(_ name: String) throws {
      try server.edit(.replace(name: name, with: Stub(name: name, then: .hold(.both))), by: .person)
    }
    func saved(_ stubs: String...) async throws -> [String] {
      told.withLock { $0 = [] }
      let list = stubs.map { "- name: \($0)\n  when: { path: /\($0) }\n  then: { fail: offline }\n" }.joined()
      try folder.write("patchbay: 1\nstubs:\n\(list)", to: "a.yaml")
      try await eventually("two sentences") { told.withLock { $0.count >= 2 } }
      return told.withLock { $0 }
    }
    try edit("a1")
    #expect(
      try await saved("a1", "a2") == [
        "Read \(path) again: 2 stubs.", "“a1” stays as edited here, until written or reverted.",
      ])
    try edit("a2")
    #expect(
      try await saved("a1", "a2", "a3") == [
        "Read \(path) again: 3 stubs.", "“a1” and 1 more stay as edited here, until written or reverted.",
      ])
    #expect(server.board["a1"]?.stub.then == .hold(.both) && server.board["a3"] != nil)
  }

  /// What was made on screen goes to the file of the stub above it; each file that has changed is written, and no other.
  @Test func whatWasChangedIsWrittenToTheFilesThatItCameFrom() throws {
    let (first, second, third) = (
      try write("a.yaml", "a1", "a2"), try write("b.yaml", "b1"), try write("c.yaml", "c1", "c2")
    )
    let files = try StubFileSet([first, second, third])
    try files.putInForce(on: server)
    defer { files.stop() }
    func stubs(_ path: String) throws -> [String] {
      try StubFile.read(path).stubs.map { $0.name + ($0.enabled ? "" : " off") }
    }
    #expect(try files.write(server) == "Nothing was changed since the stubs were read.")
    try server.edit(.setEnabled(name: "a1", false), by: .person)
    #expect(try files.write(server) == "Wrote the stubs to \(first).")
    #expect(try stubs(first) == ["a1 off", "a2"] && stubs(second) == ["b1"])
    #expect(try files.write(server) == "Nothing was changed since the stubs were read.")
    try server.edit(.remove(name: "c1"), by: .person)
    try server.edit(.add(Stub(name: "new", then: .hold(.both)), at: 3), by: .person)
    #expect(names == ["a1", "a2", "b1", "new", "c2"])
    #expect(try files.write(server).hasPrefix("Wrote the stubs to "))
    #expect(try stubs(first) == ["a1 off", "a2"] && stubs(second) == ["b1", "new"] && stubs(third) == ["c2"])
    #expect(server.board["new"]?.origin == .file(second) && server.board.removed.isEmpty)
    #expect(names == ["a1", "a2", "b1", "new", "c2"])
    // The order is the files' own now, and nothing is left to be written.
    #expect(!server.board.isOrderEdited)
    #expect(try files.write(server) == "Nothing was changed since the stubs were read.")
    // Which no file can say: one of the first stands in the midst of the second.
    try server.edit(.move(name: "a1", to: 2), by: .person)
    #expect(names == ["a2", "b1", "a1", "new", "c2"])
    #expect(try files.write(server) == "Wrote the stubs to \(first), \(second), \(third).")
    #expect(try stubs(first) == ["a2", "a1 off"])
    #expect(names == ["a2", "b1", "a1", "new", "c2"] && server.board.isOrderEdited)
  }

  /// Else that sentence would take the place of the one that says what was written.
  @Test func whatWasWrittenHereIsNotToldToHaveBeenRead() async throws {
    func text(_ last: String) -> String {
      "patchbay: 1\nstubs:\n" + ["all", "late", last].map { "- name: \($0)\n  then: { fail: offline }\n" }.joined()
    }
    let path = try folder.write(text("later"), to: "s.yaml")
    let files = try StubFileSet([path])
    try files.putInForce(on: server)
    defer { files.stop() }
    let told = Mutex<[String]>([])
    files.onNotice = { sentence, _ in told.withLock { $0.append(sentence) } }
    told.withLock { $0 = [] }
    try server.edit(.setEnabled(name: "later", false), by: .person)
    #expect(try files.write(server) == "Wrote the stubs to \(path).")
    // What is doubtful about the file is told each time that it is read or written.
    try await eventually("it was read") { told.withLock { $0.contains { $0.contains("`late` can never match") } } }
    #expect(told.withLock { !$0.contains { $0.hasPrefix("Read ") } }, "\(told.withLock { $0 })")
    try folder.write(text("last"), to: "s.yaml")
    try await eventually("it was read") { told.withLock { $0.contains("Read \(path) again: 3 stubs.") } }
  }

  @Test func aBodyThatWasSavedIsReadAgain() async throws {
    let body = try folder.write("old", to: "body.txt")
    let path = try folder.write(
      "patchbay: 1\nstubs:\n- name: a\n  then: { respond: { file: body.txt } }\n", to: "s.yaml")
    let files = try StubFileSet([path])
    try files.putInForce(on: server)
    defer { files.stop() }
    let revision = server.board.revision
    try Data("newer".utf8).write(to: URL(fileURLWithPath: body))
    try await eventually("it is pushed again") { server.board.revision > revision }
  }
}
