import Foundation
import PatchbayConsole
import PatchbayServer
import PatchbayStubs
import PatchbayTestSupport
import Testing

@testable import PatchbayCLI

@Suite struct KeptStubsStoreTests {
  private var board: StubBoard {
    StubBoard(
      revision: 3,
      entries: [
        .init(
          stub: Stub(name: "名前 \"q\"\n😀", then: .respond(CannedResponse(body: .data(Data([0, 255]))))), origin: .console
        )
      ])
  }

  @Test func whatADeadConsoleLeftIsFoundAndALivingOnesIsNot() throws {
    let folder = NSTemporaryDirectory() + "patchbay-kept-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let first = try KeptStubsStore(folder: folder, place: "here")
    first.take(.board(board, by: .person))
    first.take(StubDraft(base: nil, stub: Stub(name: "draft", then: .hold(.both))))
    first.end(forgetting: false)
    let file = try #require(
      try FileManager.default.contentsOfDirectory(atPath: folder + "/stubs").first { $0.hasSuffix(".json") })
    let mode = try FileManager.default.attributesOfItem(atPath: "\(folder)/stubs/\(file)")[.posixPermissions] as? Int
    #expect(mode == 0o600)

    let second = try KeptStubsStore(folder: folder, place: "here")
    let found = try #require(second.found().first)
    #expect(second.found().count == 1)
    #expect(found.board == board)
    #expect(found.draft == StubDraft(base: nil, stub: Stub(name: "draft", then: .hold(.both))))
    second.drop(found.id)
    second.end(forgetting: false)
    let third = try KeptStubsStore(folder: folder, place: "here")
    #expect(third.found().isEmpty)
    third.end(forgetting: true)
    let elsewhere = try KeptStubsStore(folder: folder, place: "elsewhere")
    #expect(elsewhere.found().isEmpty)
    elsewhere.end(forgetting: true)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder + "/stubs").isEmpty)
  }

  @Test func nothingIsLeftWhereEverythingIsWritten() throws {
    let folder = NSTemporaryDirectory() + "patchbay-kept-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let store = try KeptStubsStore(folder: folder, place: "here")
    store.take(.board(board, by: .person))
    store.take(.board(StubBoard(revision: 4), by: .person))
    store.end(forgetting: false)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder + "/stubs").isEmpty)
  }
}
