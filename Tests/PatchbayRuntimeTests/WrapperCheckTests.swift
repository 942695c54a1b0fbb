import PatchbayTestSupport
import Testing

@testable import PatchbayRuntime

@Suite("Commands that start others without the hook", .bounded)
struct WrapperCheckTests {
  @Test(
    "env that takes the preload away",
    arguments: [
      ["env", "-"], ["/usr/bin/env", "A=b", "-u", "LD_PRELOAD"], ["env", "--unset=LD_PRELOAD"],
    ])
  func clearing(words: [String]) {
    #expect(WrapperCheck.reason(words + ["app"])?.hasPrefix("env takes LD_PRELOAD away") == true)
  }

  @Test(
    "env that leaves it, and other commands",
    arguments: [
      ["env", "A=b", "app", "-i"], ["env", "-u", "HOME", "app"], ["sh", "-i"], [""], [],
    ])
  func others(words: [String]) {
    #expect(WrapperCheck.reason(words) == nil)
  }

  @Test("commands that start others elsewhere")
  func elsewhere() {
    #expect(WrapperCheck.reason(["/usr/bin/sudo", "app"])?.contains("sudo … patchbay run") == true)
  }
}
