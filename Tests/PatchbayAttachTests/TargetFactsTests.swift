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
}
