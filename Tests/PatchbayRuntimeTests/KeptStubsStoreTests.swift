import Foundation
import PatchbayConsole
import PatchbayServer
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayRuntime

@Suite(.bounded) struct KeptStubsStoreTests {
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
    first.received(.board(board, by: .person))
    first.keep(draft: KeptDraft(base: nil, stub: Stub(name: "draft", then: .hold(.both))))
    first.end(forgetting: false)
    let file = try #require(
      try FileManager.default.contentsOfDirectory(atPath: folder + "/stubs").first { $0.hasSuffix(".json") })
    let mode = try FileManager.default.attributesOfItem(atPath: "\(folder)/stubs/\(file)")[.posixPermissions] as? Int
    #expect(mode == 0o600)

    let second = try KeptStubsStore(folder: folder, place: "here")
    let found = try #require(second.found().first)
    #expect(second.found().count == 1)
    #expect(found.board == board)
    #expect(found.draft == KeptDraft(base: nil, stub: Stub(name: "draft", then: .hold(.both))))
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
    store.received(.board(board, by: .person))
    store.received(.board(StubBoard(revision: 4), by: .person))
    store.end(forgetting: false)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder + "/stubs").isEmpty)
  }

  /// Runs that with a folder of its own.
  private func inFolder(_ body: (String) throws -> Void) throws {
    let folder = NSTemporaryDirectory() + "patchbay-kept-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try body(folder)
  }

  private func files(_ folder: String) -> [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder + "/stubs")) ?? []
    return names.sorted().map { "\(folder)/stubs/\($0)" }
  }

  @Test func aChangeIsKeptWhenKeepingReturns() throws {
    try inFolder { folder in
      let store = try KeptStubsStore(folder: folder, place: "here")
      defer { store.end(forgetting: true) }
      store.keep(board)
      let file = try #require(files(folder).first { $0.hasSuffix(".json") })
      #expect(KeptStubsFile.read(file, place: "here")?.board == board)
      // An older board that comes late changes nothing.
      store.received(.board(StubBoard(revision: 2), by: .person))
      store.keep(StubBoard(revision: 1))
      #expect(KeptStubsFile.read(file, place: "here")?.board == board)
      store.keep(StubBoard(revision: 4))
      #expect(!FileManager.default.fileExists(atPath: file))
    }
  }

  /// A file that is written again is another one.
  @Test func aChangeIsWrittenOnceAndNotAgainWhenItIsTold() throws {
    try inFolder { folder in
      let store = try KeptStubsStore(folder: folder, place: "here")
      store.keep(board)
      let file = try #require(files(folder).first { $0.hasSuffix(".json") })
      func number() throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: file)[.systemFileNumber] as? Int
      }
      let first = try number()
      // So that its number is not given to another one.
      let held = try #require(FileHandle(forReadingAtPath: file))
      store.received(.board(board, by: .person))
      store.end(forgetting: false)
      #expect(try number() == first)
      try held.close()
    }
  }

  @Test func whatCannotBeKeptIsSaidOnce() throws {
    try inFolder { folder in
      let store = try KeptStubsStore(folder: folder, place: "here")
      defer { store.end(forgetting: true) }
      let said = SeenLock<[String]>([])
      store.onProblem { sentence in said.withLock { $0.append(sentence) } }
      try FileManager.default.removeItem(atPath: folder + "/stubs")
      store.keep(board)
      var next = board
      next.revision = 9
      store.keep(next)
      #expect(said.withLock { $0 }.count == 1)
      #expect(said.withLock { $0 }.first?.contains("Write it to a stub file with w.") == true)
      try FileManager.default.createDirectory(atPath: folder + "/stubs", withIntermediateDirectories: true)
      next.revision = 10
      store.keep(next)
      #expect(files(folder).count == 1)
    }
  }

  /// The undone decision would otherwise be one that cannot be undone, and nobody would know.
  @Test func whatCannotBeKeptAgainIsSaid() throws {
    try inFolder { folder in
      let store = try KeptStubsStore(folder: folder, place: "here")
      let said = SeenLock<[String]>([])
      store.onProblem { sentence in said.withLock { $0.append(sentence) } }
      let left = KeptStubs(id: folder + "/stubs/left.json", savedAt: .now, board: board, draft: nil)
      store.keepAgain(left)
      store.keep(StubBoard())  // Returns when what was asked for before is done.
      #expect(FileManager.default.fileExists(atPath: left.id) && said.withLock { $0 }.isEmpty)
      try FileManager.default.removeItem(atPath: folder + "/stubs")
      store.keepAgain(left)
      store.end(forgetting: true)
      let sentences = said.withLock { $0 }
      #expect(sentences.count == 1)
      #expect(sentences.first?.hasPrefix("What an earlier console kept cannot be kept again: ") == true)
      #expect(sentences.first?.hasSuffix("write it with w, or it is gone with this console.") == true)
    }
  }

  @Test(arguments: ["", "{", "[]", "{\"place\":\"here\",\"savedAt\":1,\"board\":{\"revision\":1}}", "\u{0}\u{0}"])
  func whatCannotBeReadIsSetAsideAndSaid(_ text: String) throws {
    try inFolder { folder in
      let first = try KeptStubsStore(folder: folder, place: "here")
      first.keep(board)
      first.end(forgetting: false)
      let file = try #require(files(folder).first)
      try Data(text.utf8).write(to: URL(fileURLWithPath: file))
      let second = try KeptStubsStore(folder: folder, place: "here")
      defer { second.end(forgetting: true) }
      let said = SeenLock<[String]>([])
      second.onProblem { sentence in said.withLock { $0.append(sentence) } }
      #expect(second.found().isEmpty)
      #expect(said.withLock { $0 }.count == 1)
      #expect(files(folder).contains { $0.hasSuffix(".unreadable") })
      #expect(second.found().isEmpty)
      #expect(said.withLock { $0 }.count == 1)
    }
  }

  @Test func whatSeveralLeftIsFoundTheNewestFirst() throws {
    try inFolder { folder in
      let store = try KeptStubsStore(folder: folder, place: "here")
      defer { store.end(forgetting: true) }
      let lock = try #require(files(folder).first { $0.hasSuffix(".json.lock") })
      let name = try #require(lock.split(separator: "/").last?.split(separator: "-").first)
      #expect(name.count == 16 && name.allSatisfy(\.isHexDigit))
      for (number, saved) in [(1, 20), (2, 30), (3, 10)] as [(Int, Int64)] {
        let kept = KeptStubs(id: "", savedAt: Timestamp(microseconds: saved), board: board, draft: nil)
        try KeptStubsFile.text(kept, place: "here")
          .write(toFile: "\(folder)/stubs/\(name)-\(number).json", atomically: false, encoding: .utf8)
      }
      #expect(store.found().map(\.savedAt.microseconds) == [30, 20, 10])
      // One of them is a console's that lives.
      let living = open("\(folder)/stubs/\(name)-2.json.lock", O_RDWR | O_CREAT, 0o600)
      #expect(flock(living, LOCK_EX | LOCK_NB) == 0)
      #expect(store.found().map(\.savedAt.microseconds) == [20, 10])
      close(living)
      #expect(store.found().map(\.savedAt.microseconds) == [30, 20, 10])
    }
  }

  @Test func aDraftAloneIsKeptUntilItIsGone() throws {
    try inFolder { folder in
      let store = try KeptStubsStore(folder: folder, place: "here")
      store.keep(draft: KeptDraft(base: nil, stub: Stub(name: "draft", then: .hold(.both))))
      store.end(forgetting: false)
      let next = try KeptStubsStore(folder: folder, place: "here")
      defer { next.end(forgetting: true) }
      #expect(next.found().map(\.draft?.stub.name) == ["draft"])
      #expect(next.found().map(\.board) == [StubBoard()])
    }
  }

  @Test func oneConsoleHasItsFileToItself() throws {
    try inFolder { folder in
      let store = try KeptStubsStore(folder: folder, place: "here")
      let error = #expect(throws: RuntimeError.self) { try KeptStubsStore(folder: folder, place: "here") }
      #expect(
        error?.description
          == "Stubs changed on screen cannot be kept in \(folder)/stubs (Resource temporarily unavailable); write them with w."
      )
      let other = try KeptStubsStore(folder: folder, place: "elsewhere")
      other.end(forgetting: true)
      store.end(forgetting: true)
      try KeptStubsStore(folder: folder, place: "here").end(forgetting: true)
      try Data().write(to: URL(fileURLWithPath: folder + "/file"))
      let none = #expect(throws: RuntimeError.self) { try KeptStubsStore(folder: folder + "/file", place: "here") }
      #expect(none?.description.contains("\(folder)/file/stubs (Not a directory)") == true)
      let mode = try FileManager.default.attributesOfItem(atPath: folder + "/stubs")[.posixPermissions] as? Int
      #expect(mode == 0o700)
    }
  }

  /// A file of this process's number is another's, who had the number before.
  @Test func whatOneOfTheSameNumberLeftIsFound() throws {
    try inFolder { folder in
      let first = try KeptStubsStore(folder: folder, place: "here")
      first.keep(board)
      let own = try #require(files(folder).first { $0.hasSuffix(".json") })
      first.end(forgetting: false)
      let second = try KeptStubsStore(folder: folder, place: "here")
      #expect(!FileManager.default.fileExists(atPath: own))
      let found = second.found()
      #expect(found.count == 1 && found[0].board == board && found[0].id.hasPrefix(own.dropLast(5) + "-"))
      // What is in force now is kept before the other is deleted.
      second.received(.board(board, by: .person))
      second.drop(found[0].id)
      second.end(forgetting: false)
      #expect(FileManager.default.fileExists(atPath: own) && !FileManager.default.fileExists(atPath: found[0].id))
    }
  }

  /// The number of its lock may be another's by then: a look at the accounts of the system ended so once.
  @Test(.alone) func aSecondEndClosesNothing() throws {
    try inFolder { folder in
      let store = try KeptStubsStore(folder: folder, place: "here")
      store.keep(board)
      let name = try #require(files(folder).first { $0.hasSuffix(".lock") })
      var file = stat()
      #expect(stat(name, &file) == 0)
      let lock = try #require(
        (3..<1_024 as Range<Int32>).first { number in
          var open = stat()
          return fstat(number, &open) == 0 && open.st_ino == file.st_ino && open.st_dev == file.st_dev
        })
      store.end(forgetting: false)
      let other = open("/dev/null", O_RDONLY | O_CLOEXEC)
      #expect(other == lock || dup2(other, lock) == lock)
      defer {
        close(lock)
        if other != lock { close(other) }
      }
      store.end(forgetting: true)
      #expect(fcntl(lock, F_GETFD) >= 0)
      #expect(files(folder).filter { $0.hasSuffix(".json") }.count == 1)
    }
  }

  /// However large: it is kept, in the end.
  @Test(arguments: [(2 << 20) - 1, 2 << 20, (2 << 20) + 1]) func aLargeBodyIsKeptToo(_ size: Int) async throws {
    let folder = try TemporaryFolder()
    let response = CannedResponse(body: .data(Data(count: size)))
    for action in [
      Action.respond(response), .fail(Fault(.named("timedOut"), after: .init(response: response))),
      .sequence([.hold(.both), .respond(response)], afterwards: .last),
    ] {
      let board = StubBoard(revision: 2, entries: [.init(stub: Stub(name: "a", then: action), origin: .console)])
      let store = try KeptStubsStore(folder: folder.path, place: "here")
      store.keep(board)
      let file = folder.path + "/stubs"
      try await eventually("it is kept") {
        try FileManager.default.contentsOfDirectory(atPath: file).contains { $0.hasSuffix(".json") }
      }
      store.end(forgetting: true)
    }
  }

  @Test func aProblemThatComesAgainIsSaidAgain() throws {
    try inFolder { folder in
      let store = try KeptStubsStore(folder: folder, place: "here")
      defer { store.end(forgetting: true) }
      let said = SeenLock<[String]>([])
      store.onProblem { sentence in said.withLock { $0.append(sentence) } }
      var next = board
      for round in 1...2 {
        try FileManager.default.removeItem(atPath: folder + "/stubs")
        for _ in 0..<2 {
          next.revision += 1
          store.keep(next)
        }
        #expect(said.withLock { $0.count } == round)
        try FileManager.default.createDirectory(atPath: folder + "/stubs", withIntermediateDirectories: true)
        next.revision += 1
        store.keep(next)
      }
      #expect(
        said.withLock {
          $0.allSatisfy { $0.hasPrefix("What is changed on screen cannot be kept for the next start: ") }
        })
    }
  }

  @Test func aFileOfAnotherPlaceOrWithoutItsPartsIsNone() throws {
    try inFolder { folder in
      let kept = KeptStubs(
        id: "\(folder)/a", savedAt: Timestamp(microseconds: 77), board: board,
        draft: KeptDraft(base: "b", stub: Stub(name: "draft", then: .hold(.both))))
      let text = KeptStubsFile.text(kept, place: "here")
      func read(_ text: String, place: String = "here") throws -> KeptStubs? {
        try Data(text.utf8).write(to: URL(fileURLWithPath: "\(folder)/a"))
        return KeptStubsFile.read("\(folder)/a", place: place)
      }
      #expect(try read(text) == kept)
      #expect(try read(text, place: "there") == nil)
      #expect(try read(text.replacing("\"savedAt\":77", with: "\"savedAt\":\"77\"")) == nil)
      #expect(try read(text.replacing("\"place\"", with: "\"plce\"")) == nil)
      let without = try read(text.replacing("\"draft\"", with: "\"drft\""))
      #expect(without?.draft == nil && without?.board == board)
      #expect(KeptStubsFile.read("\(folder)/none", place: "here") == nil)
    }
  }

  /// A console that was killed leaves its lock too, which nobody holds.
  @Test func withWhatAKilledConsoleLeftItsLockGoes() throws {
    try inFolder { folder in
      let store = try KeptStubsStore(folder: folder, place: "here")
      let own = try #require(files(folder).first { $0.hasSuffix(".json.lock") })
      let head = own.dropLast("-\(getpid()).json.lock".count)
      let kept = KeptStubs(id: "", savedAt: Timestamp(microseconds: 5), board: board, draft: nil)
      for (number, text) in [(1, KeptStubsFile.text(kept, place: "here")), (2, "{")] {
        try text.write(toFile: "\(head)-\(number).json", atomically: false, encoding: .utf8)
        try "".write(toFile: "\(head)-\(number).json.lock", atomically: false, encoding: .utf8)
      }
      #expect(store.found().map(\.id) == ["\(head)-1.json"])
      #expect(Set(files(folder)) == [own, "\(head)-1.json", "\(head)-1.json.lock", "\(head)-2.json.unreadable"])
      store.drop("\(head)-1.json")
      store.end(forgetting: false)
      #expect(files(folder) == ["\(head)-2.json.unreadable"])
    }
  }

  @Test func aBodyOfTwoMegabytesIsKeptWhenKeepingReturns() throws {
    try inFolder { folder in
      let store = try KeptStubsStore(folder: folder, place: "here")
      defer { store.end(forgetting: true) }
      let response = CannedResponse(body: .data(Data(count: 2 << 20)))
      store.keep(
        StubBoard(revision: 2, entries: [.init(stub: Stub(name: "a", then: .respond(response)), origin: .console)]))
      #expect(files(folder).contains { $0.hasSuffix(".json") })
    }
  }
}
