import PatchbayTestSupport
import Testing

@testable import PatchbayRuntime

@Suite("Commands that start others without the hook", .bounded)
struct WrapperCheckTests {
  @Test(
    "env that takes the preload away",
    arguments: [
      ["env", "-"], ["/usr/bin/env", "A=b", "-u", "LD_PRELOAD"], ["env", "--unset=LD_PRELOAD"],
      ["env", "-i"], ["env", "--ignore-environment"], ["env", "-uLD_PRELOAD"], ["env", "--unset", "LD_PRELOAD"],
      ["env", "-u", "HOME", "-i"], ["env", "-C", "/tmp", "-i"], ["env", "--chdir", "/tmp", "-"],
      ["env", "-v", "-u", "HOME", "-u", "LD_PRELOAD"], ["env", "-a", "name", "-i"], ["env", "A=b", "-i"],
      ["env", "LD_PRELOAD="], ["env", "A=b", "LD_PRELOAD=/lib/other.so"], ["env", "--", "LD_PRELOAD="],
    ])
  func clearing(words: [String]) {
    #expect(WrapperCheck.reason(words + ["app"])?.hasPrefix("env takes LD_PRELOAD away") == true)
  }

  @Test(
    "env that leaves it, and other commands",
    arguments: [
      ["env", "A=b", "app", "-i"], ["env", "-u", "HOME", "app"], ["sh", "-i"], [""], [],
      ["env"], ["env", "app", "LD_PRELOAD="], ["env", "app", "-u", "LD_PRELOAD"], ["env", "-u"], ["env", "-C"],
      ["env", "-C", "-i", "app"], ["env", "-u", "-i", "app"], ["env", "--", "app", "-i"], ["env", "MY_LD_PRELOAD=x"],
      ["envy", "-i"], ["/usr/bin/envy", "-"], ["sudoku"], ["app", "sudo"], ["/sudo/app"], ["env", "--", "-i"],
    ])
  func others(words: [String]) {
    #expect(WrapperCheck.reason(words) == nil)
  }

  @Test(
    "commands that start others elsewhere",
    arguments: [
      "sudo", "su", "doas", "pkexec", "runuser", "ssh", "docker", "podman", "systemd-run", "flatpak", "snap",
    ])
  func elsewhere(_ name: String) {
    for path in [name, "/usr/bin/" + name] {
      #expect(
        WrapperCheck.reason([path, "app"])
          == "\(name) starts programs without the environment by which the hook gets into them; put patchbay run behind "
          + "it (\(name) … patchbay run -- PROGRAM).")
    }
  }
}
