import Foundation
import PatchbayTestSupport
import Testing

@testable import PatchbayAttach

@Suite(.bounded) struct TargetFactsTests {
  private let mine = TargetFacts.Rights(user: 1000, mayTraceAll: false, scope: 0, isDescendant: false)

  private func facts(_ change: (inout TargetFacts) -> Void = { _ in }) -> TargetFacts {
    var facts = TargetFacts(process: 4711)
    facts.name = "shop"
    facts.user = 1000
    facts.runtime = ["libswiftCore.so": "aaaabbbbccccdddd", "libFoundationNetworking.so": "1111"]
    change(&facts)
    return facts
  }

  private func sentence(_ rights: TargetFacts.Rights? = nil, _ change: (inout TargetFacts) -> Void = { _ in })
    -> String?
  {
    facts(change).refusal(rights ?? mine, hookRuntime: ["libswiftCore.so": "aaaabbbbccccdddd"])?.description
  }

  @Test func anOrdinaryProgramIsTaken() {
    #expect(sentence() == nil)
    #expect(sentence { $0.seccomp = 2 } == nil)
    // The hook was linked without a build id, or the program's library was.
    #expect(sentence { $0.runtime = [:] } == nil)
  }

  @Test func anotherProcessorIsRefused() {
    var rights = mine
    rights.isKnownProcessor = false
    #expect(sentence(rights)?.hasPrefix("Attaching works on x86-64 only as yet") == true)
  }

  @Test func whatNobodyHasTriedIsRefusedUntilSomebodyWantsTo() throws {
    var rights = mine
    rights.mayBeTried = false
    let said = try #require(sentence(rights))
    #expect(said.contains("never been tried on a real machine") && said.contains("PATCHBAY_ATTACH_UNTRIED=1"))
    #expect(said.contains("patchbay run"))
    for value in [nil, "", "0", "yes"] as [String?] {
      #expect(!AttachAbility.mayBeTried(on: .arm64, untried: value))
      #expect(AttachAbility.mayBeTried(on: .x86, untried: value))
    }
    #expect(AttachAbility.mayBeTried(on: .arm64, untried: "1"))
  }

  @Test func whatIsNoProgramIsRefused() {
    #expect(sentence { $0.state = "Z" } == "shop 4711 has ended: only its entry is left, for its parent to collect.")
    #expect(sentence { $0.isKernelThread = true } == "shop 4711 is a thread of the kernel, not a program.")
  }

  @Test func anotherUsersProgramNeedsRoot() {
    #expect(
      sentence { $0.user = 33 }
        == "shop 4711 belongs to another user (33). Attach with: sudo patchbay attach 4711, or start it with: patchbay run"
    )
    var root = mine
    root.mayTraceAll = true
    #expect(sentence(root) { $0.user = 33 } == nil)
  }

  @Test func whatTheSystemForbidsIsSaidWithTheWayOut() throws {
    var rights = mine
    rights.scope = 1
    #expect(try #require(sentence(rights)).contains("sudo sysctl kernel.yama.ptrace_scope=0"))
    rights.isDescendant = true
    #expect(sentence(rights) == nil)
    rights.scope = 2
    #expect(try #require(sentence(rights)).contains("sudo patchbay attach 4711"))
    rights.mayTraceAll = true
    #expect(sentence(rights) == nil)
    rights.scope = 3
    #expect(try #require(sentence(rights)).contains("patchbay run"))
  }

  @Test func rootIsNotToldToBecomeRoot() throws {
    // As in a container that was not given CAP_SYS_PTRACE.
    var rights = mine
    rights.user = 0
    func look(_ change: @escaping (inout TargetFacts) -> Void) throws {
      let said = try #require(sentence(rights, change))
      #expect(
        !said.contains("sudo patchbay") && said.contains("CAP_SYS_PTRACE") && said.contains("patchbay run"), "\(said)")
    }
    try look { $0.user = 33 }
    try look {
      $0.user = 0
      $0.mayRead = false
    }
    for scope in [1, 2] {
      rights.scope = scope
      try look { $0.user = 0 }
    }
  }

  @Test func whatTheProgramIsDecides() throws {
    #expect(sentence { $0.tracer = 99 } == "shop 4711 is being debugged by process 99. End the debugger, then attach.")
    #expect(try #require(sentence { $0.state = "T" }).contains("kill -CONT 4711"))
    #expect(try #require(sentence { $0.mayRead = false }).contains("sudo patchbay attach 4711"))
    var root = mine
    root.mayTraceAll = true
    #expect(try #require(sentence(root) { $0.mayRead = false }).contains("not even by root"))
    #expect(try #require(sentence { $0.seccomp = 1 }).contains("strict seccomp"))
    #expect(try #require(sentence { $0.is64Bit = false }).contains("32-bit"))
    #expect(try #require(sentence { $0.hasStaticSwift = true }).contains("-static-stdlib"))
    #expect(
      try #require(
        sentence {
          $0.isDynamic = false
          $0.isSwift = false
        }
      ).contains("linked statically"))
    #expect(try #require(sentence { $0.isSwift = false }).contains("not a Swift program"))
    for (overseer, word) in [
      (.threadSanitizer, "was built with the thread sanitizer"), (.valgrind, "runs under valgrind"),
    ] as [(TargetFacts.Overseer, String)] {
      // Whatever its file looks like then: it is valgrind's.
      let said = sentence {
        $0.overseer = overseer
        $0.hasStaticSwift = true
      }
      #expect(try #require(said).contains(word))
    }
    #expect(try #require(sentence { $0.hasNetworking = false }).contains("has not loaded FoundationNetworking"))
  }

  @Test func anotherBuildOfSwiftIsNamed() throws {
    let sentence = try #require(sentence { $0.runtime["libswiftCore.so"] = "ffffeeeeddddcccc" })
    #expect(
      sentence.contains("another build of Swift (libswiftCore.so ffffeeeedddd, Patchbay's hook needs aaaabbbbcccc)"))
  }

  /// What is wrong with a program in each way, and the sentence; one that has several is told the first of them.
  @Test func eachRefusalIsASentenceAndTheFirstOneCounts() {
    let run = "Start it with: patchbay run"
    let sudo = "Attach with: sudo patchbay attach 4711, or start it with: patchbay run"
    let cases: [(change: (inout TargetFacts) -> Void, sentence: String)] = [
      ({ $0.state = "X" }, "shop 4711 has ended: only its entry is left, for its parent to collect."),
      ({ $0.isKernelThread = true }, "shop 4711 is a thread of the kernel, not a program."),
      ({ $0.user = 33 }, "shop 4711 belongs to another user (33). \(sudo)"),
      ({ $0.tracer = 99 }, "shop 4711 is being debugged by process 99. End the debugger, then attach."),
      (
        { $0.state = "T" },
        "shop 4711 is stopped. Let it go on with kill -CONT 4711, then attach."
      ),
      (
        { $0.mayRead = false },
        "shop 4711 does not let its memory be read: it has more rights than this process, or guards itself (prctl "
          + "PR_SET_DUMPABLE). \(sudo)"
      ),
      (
        { $0.seccomp = 1 },
        "shop 4711 runs under strict seccomp, which lets nothing be loaded. Start it with patchbay run."
      ),
      ({ $0.overseer = .valgrind }, "shop 4711 runs under valgrind, whose threads are not the program's. \(run)"),
      ({ $0.is64Bit = false }, "shop 4711 is a 32-bit program, and Patchbay's hook is a 64-bit library."),
      (
        { $0.hasStaticSwift = true },
        "shop 4711 has Swift's libraries linked into it, and the hook's library would bring others. Build it without "
          + "-static-stdlib, or link Patchbay and call Patchbay.attach()."
      ),
      (
        {
          $0.isDynamic = false
          $0.isSwift = false
        }, "shop 4711 is linked statically, so that nothing can be loaded into it."
      ),
      (
        { $0.isSwift = false },
        "shop 4711 is not a Swift program. Patchbay sees the requests of Swift's URLSession only."
      ),
      (
        { $0.hasNetworking = false },
        "shop 4711 has not loaded FoundationNetworking, so it makes no URLSession requests. Attach once it does."
      ),
      (
        { $0.runtime["libswiftCore.so"] = "ffffeeeeddddcccc" },
        "shop 4711 runs on another build of Swift (libswiftCore.so ffffeeeedddd, Patchbay's hook needs aaaabbbbcccc). "
          + "Build Patchbay with the toolchain that built the program."
      ),
    ]
    for (index, (change, expected)) in cases.enumerated() {
      #expect(sentence(nil, change) == expected)
      let whole = sentence { facts in
        for (change, _) in cases[index...].reversed() { change(&facts) }
      }
      #expect(whole == expected, "\(index)")
    }
  }

  @Test func theSystemsRulesAreSaidWhole() {
    func said(_ scope: Int, user: uid_t = 1000, all: Bool = false, child: Bool = false) -> String? {
      sentence(TargetFacts.Rights(user: user, mayTraceAll: all, scope: scope, isDescendant: child)) { $0.user = user }
    }
    let sudo = "Attach with: sudo patchbay attach 4711, or start it with: patchbay run"
    let root = "Root may not trace programs here, as in a container without CAP_SYS_PTRACE. Start it with: patchbay run"
    for (user, way) in [(1000, sudo), (0, root)] as [(uid_t, String)] {
      #expect(
        said(1, user: user)
          == "The system lets a program attach to its own children only (kernel.yama.ptrace_scope is 1). \(way), or allow it "
          + "until the system's next start with: sudo sysctl kernel.yama.ptrace_scope=0")
      #expect(
        said(2, user: user) == "Only root may attach to programs here (kernel.yama.ptrace_scope is 2). \(way)")
    }
    for scope in [3, 4] {
      for all in [false, true] {
        #expect(
          said(scope, all: all)
            == "The system allows attaching to nobody until it is started again (kernel.yama.ptrace_scope is 3). Start the "
            + "program with: patchbay run")
      }
    }
    for scope in 0...2 { #expect(said(scope, all: true) == nil) }
    #expect(said(0) == nil && said(1, child: true) == nil && said(2, child: true) != nil)
  }

  @Test func rootIsToldWhatEvenItMayNotRead() {
    var root = mine
    root.mayTraceAll = true
    #expect(
      sentence(root) { $0.mayRead = false }
        == "shop 4711 does not let its memory be read, not even by root: the system guards it, or it is of another user "
        + "namespace.")
  }

  @Test func aStaticSwiftProgramIsTakenForWhatItIs() throws {
    let said = try #require(sentence { $0.isDynamic = false })
    #expect(said.contains("has Swift's libraries linked into it"))
  }

  @Test func aProgramWithoutANameIsAProcess() {
    var nameless = TargetFacts(process: 12)
    #expect(nameless.title == "Process 12" && nameless.innerProcess == 12)
    nameless.name = "shop"
    #expect(nameless.title == "shop 12")
    #expect(nameless.refusal(.init(user: 0, mayTraceAll: true, scope: 0, isDescendant: false), hookRuntime: [:]) == nil)
  }

  @Test func ofSeveralLibrariesTheFirstByNameIsSaid() {
    let said = facts().refusal(
      mine, hookRuntime: ["libswiftCore.so": "0", "libFoundationNetworking.so": "2", "libother.so": "3"])?.description
    #expect(said?.contains("(libFoundationNetworking.so 1111, Patchbay's hook needs 2)") == true)
  }

  @Test func whatIsMeantByNobodyIsSaid() {
    #expect(AttachError.nobody("12").description == "No program has the number 12.")
    #expect(AttachError.nobody("shop").description == "No program is called shop.")
    #expect(AttachError.nobody("12a").description == "No program is called 12a.")
  }
}
