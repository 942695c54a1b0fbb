/// tmux with a server of its own, which ends with whoever looks at it.
public enum TmuxCommand {
  /// - Parameters:
  ///   - program: what runs in it, with its arguments.
  ///   - folder: where the server's socket and configuration lie.
  public static func words(_ program: [String], in folder: TemporaryFolder) throws -> [String] {
    let configuration = try folder.write("set -g destroy-unattached on\n", to: "tmux.conf")
    return ["/usr/bin/tmux", "-S", folder.file("tmux"), "-f", configuration, "-u", "new-session"] + program
  }
}
