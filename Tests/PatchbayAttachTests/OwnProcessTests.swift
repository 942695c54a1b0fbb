import Foundation
import PatchbayTestSupport
import Testing

@testable import PatchbayAttach

/// What is read of a process, tried on the tests' own.
@Suite(.bounded) struct OwnProcessTests {
  private let own = TargetProcess(getpid())

  @Test func factsAreThoseOfTheProcess() throws {
    let facts = try #require(own.facts())
    #expect(facts.user == geteuid() && facts.is64Bit && facts.isDynamic && facts.isSwift && facts.mayRead)
    #expect(facts.sharesFiles && facts.innerProcess == getpid() && facts.state != "Z")
    #expect(own.startedAt == facts.startedAt && own.threads().contains(getpid()))
    #expect(TargetProcess(1 << 22 - 1).facts() == nil)
  }

  @Test func theNumberOfAThreadMeansItsProcess() throws {
    let thread = Thread { while !Thread.current.isCancelled { usleep(1_000) } }
    thread.start()
    defer { thread.cancel() }
    var other: pid_t?
    while other == nil { other = own.threads().first { $0 != getpid() } }
    #expect(RunningPrograms.named(String(try #require(other))).map(\.process) == [getpid()])
  }

  @Test func aProcessThatIsNotThereSharesNothing() {
    let gone = TargetProcess(1 << 29)
    #expect(!gone.isThere && !gone.sharesFiles && !gone.sharesNumbers && gone.threads() == [])
    #expect(gone.ownPath("/tmp/x") == "/proc/\(1 << 29)/root/tmp/x")
    #expect(!gone.rights().isDescendant && gone.signals(of: 1 << 29) == nil && gone.maps().mappings == [])
    #expect(!Tracer(gone).hasHandler(1 << 29) && !Tracer(gone).hasLate && Tracer(gone).stops == [])
    // And who is asked for by such a number is nobody.
    #expect(RunningPrograms.named("\(1 << 29)") == [])
  }

  @Test func aProgramWithoutArgumentsIsCalledByItsName() {
    var facts = TargetFacts(process: 12)
    (facts.name, facts.user) = ("kthreadd", 7)
    #expect(RunningProgram(facts).command == "kthreadd" && RunningProgram(facts).user == 7)
    facts.command = "/bin/shop --port 80"
    #expect(RunningProgram(facts).command == "/bin/shop --port 80" && RunningProgram(facts).name == "kthreadd")
    // In ticks of the clock.
    let began = RunningProgram(facts).startedAt
    facts.startedAt = UInt64(10 * sysconf(Int32(_SC_CLK_TCK)))
    #expect(RunningProgram(facts).startedAt - began == 10)
  }

  @Test func timeIsThatOfTheMonotonicClock() {
    func clock() -> Double {
      var time = timespec()
      clock_gettime(CLOCK_MONOTONIC, &time)
      return Double(time.tv_sec) * 1e6 + Double(time.tv_nsec) / 1e3
    }
    for _ in 0..<5 {
      let before = clock()
      let now = Double(Tracer.now)
      #expect(before - 1 <= now && now <= clock())
    }
  }

  @Test func aFunctionIsFoundInAnImageOfAnotherProcess() throws {
    let libc = try #require(own.maps().image(named: "libc.so.6"))
    let image = try #require(TargetImage(base: libc.base, in: own.memory))
    let found = try #require(image.address(of: "getpid"))
    #expect(found == UInt64(UInt(bitPattern: dlsym(nil, "getpid"))))
    #expect(image.address(of: "no_such_function") == nil)
    #expect(image.buildID?.count == 40)
    #expect(TargetImage(base: libc.base + 4096, in: own.memory) == nil)
    let calls = try TargetCalls(of: own, own.maps())
    #expect(own.memory.bytes(at: calls.systemCall, count: 2) == [0x0f, 0x05])
  }

  @Test func signalsThatHaveAHandlerAreToldFromOthers() throws {
    let urgent: UInt64 = 1 << 22
    #expect(try #require(own.signals(of: getpid())).caught & urgent == 0)
    signal(SIGURG) { _ in }
    defer { signal(SIGURG, SIG_DFL) }
    #expect(try #require(own.signals(of: getpid())).caught & urgent != 0)
    #expect(TargetProcess.Signals(pending: 5, pendingForAll: 2, blocked: 4).coming == 3)
  }

  @Test func memoryIsReadInPiecesWithZerosWhereThereIsNone() {
    let words: [UInt64] = [1, 2, 3, 4]
    words.withUnsafeBufferPointer { words in
      let place = UInt64(UInt(bitPattern: words.baseAddress))
      #expect(own.memory.pieces(at: [place + 8, 16, place], words: 2) == [2, 3, 0, 0, 1, 2])
      #expect(own.memory.words(at: 16, count: 1) == nil && own.memory.word(at: place + 24) == 4)
    }
  }

  @Test func aProgramIsFoundByNumberAndByName() throws {
    let name = try #require(own.facts()).name
    #expect(RunningPrograms.named(String(getpid())).map(\.process) == [getpid()])
    // Not itself by its name, for it is the one that asks.
    #expect(!RunningPrograms.named(name).contains { $0.process == getpid() })
    #expect(RunningPrograms.named("no such program").isEmpty)
    let started = try #require(RunningPrograms.named(String(getpid())).first).startedAt
    #expect(abs(Date(timeIntervalSince1970: started).timeIntervalSinceNow) < 3_600)
  }
}
