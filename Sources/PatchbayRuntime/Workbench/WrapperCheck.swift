/// Knows commands that start others without the environment in which these would be hooked.
enum WrapperCheck {
  private static let others: Set<String> = [
    "sudo", "su", "doas", "pkexec", "runuser", "ssh", "docker", "podman", "systemd-run", "flatpak", "snap",
  ]

  /// Why what such a command starts is not hooked, and what to do; nil for any other command.
  static func reason(_ words: [String]) -> String? {
    guard let name = words.first?.split(separator: "/").last.map(String.init) else { return nil }
    if others.contains(name) {
      return
        "\(name) starts programs without the environment by which the hook gets into them; put patchbay run behind "
        + "it (\(name) … patchbay run -- PROGRAM)."
    }
    guard name == "env", clears(words.dropFirst()) else { return nil }
    return "env takes LD_PRELOAD away, by which the hook gets into programs; put patchbay run behind it "
      + "(env … patchbay run -- PROGRAM)."
  }

  /// Whether these options of env(1) take our variables away.
  private static func clears(_ words: ArraySlice<String>) -> Bool {
    let options = words.prefix { $0.hasPrefix("-") || $0 == "LD_PRELOAD" || $0.contains("=") }
    return options.contains { ["-", "-i", "--ignore-environment", "-uLD_PRELOAD", "--unset=LD_PRELOAD"].contains($0) }
      || zip(options, options.dropFirst()).contains { ["-u", "--unset"].contains($0) && $1 == "LD_PRELOAD" }
  }
}
