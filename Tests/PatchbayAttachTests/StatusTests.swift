import PatchbayTestSupport
import Testing

@testable import PatchbayAttach

/// What the kernel says of a process and of a thread, as text (proc(5), `status`).
@Suite(.bounded) struct StatusTests {
  private static let whole = """
    Name:\tmy shop: 2
    Umask:\t0022
    State:\tT (tracing stop)
    Tgid:\t4711
    Ngid:\t0
    Pid:\t4711
    PPid:\t1
    TracerPid:\t99
    Uid:\t1000\t1001\t1002\t1003
    Gid:\t2000\t2001\t2002\t2003
    NSpid:\t4711\t12\t7
    Kthread:\t1
    SigPnd:\t0000000000000001
    ShdPnd:\t0000000000004002
    SigBlk:\tffffffff00000004
    SigIgn:\t0000000000001000
    SigCgt:\t0000000000000180
    Seccomp:\t2
    Seccomp_filters:\t1
    """

  @Test func eachFactIsTakenFromItsLine() {
    var facts = TargetFacts(process: 4711)
    #expect(facts.read(status: Self.whole) == 4711)
    var expected = TargetFacts(process: 4711)
    (expected.name, expected.state, expected.tracer) = ("my shop: 2", "T", 99)
    (expected.user, expected.group, expected.innerProcess) = (1001, 2001, 7)
    (expected.isKernelThread, expected.seccomp) = (true, 2)
    #expect(facts == expected)
  }

  @Test func aThreadTellsItsProgram() {
    var facts = TargetFacts(process: 5)
    #expect(facts.read(status: "Tgid:\t4\nPid:\t5\n") == 4 && facts == TargetFacts(process: 5))
  }

  @Test(arguments: [
    "", "Name\nState\n", "Uid:\t1000\nGid:\t2000\n",
    "Uid:\tx\ty\nGid:\tx\ty\nTgid:\tx\nTracerPid:\tx\nSeccomp:\tx\nNSpid:\tx\n",
    "Kthread:\t0\nSeccomp:\t0\nTracerPid:\t0\nState:\tS (sleeping)\nOther:\t7\n", "State:\t\nNSpid:\t\nKthread:\t\n",
  ])
  func whatIsNotSaidStaysAsItIsByItself(_ status: String) {
    var facts = TargetFacts(process: 8)
    #expect(facts.read(status: status) == nil && facts == TargetFacts(process: 8))
  }

  @Test func signalsAreMasks() {
    let signals = TargetProcess.Signals(status: Self.whole)
    #expect(
      signals
        == TargetProcess.Signals(pending: 1, pendingForAll: 0x4002, blocked: 0xffff_ffff_0000_0004, caught: 0x180))
    #expect(TargetProcess.Signals(status: "SigPnd:\tx\nSigBlk:\n") == TargetProcess.Signals())
    // What waits for the process may come to any thread that does not block it.
    #expect(TargetProcess.Signals(pending: 4, pendingForAll: 3, blocked: 2, caught: 0).coming == 5)
  }
}
