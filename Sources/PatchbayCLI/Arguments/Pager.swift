import Foundation

/// Shows a long text page by page.
enum Pager {
  /// Through `PATCHBAY_PAGER`, else `PAGER`, else `less`; as it is where that is empty or cannot be started.
  static func show(_ text: String, environment: [String: String]) {
    guard let command = command(environment) else { return print(text, terminator: "") }
    // Colours as they are, and no page for a text that fits.
    if environment["LESS"] == nil { setenv("LESS", "FRX", 1) }
    // Of the same process group, so that it has the terminal; the shell gives 127 where there is no such program.
    guard let pager = popen(command, "w") else { return print(text, terminator: "") }
    // The pager is left by its own keys, and may be left before all was read.
    let interrupt = signal(SIGINT, SIG_IGN)
    let pipe = signal(SIGPIPE, SIG_IGN)
    fputs(text, pager)
    let status = pclose(pager)
    signal(SIGINT, interrupt)
    signal(SIGPIPE, pipe)
    if status == 127 << 8 { print(text, terminator: "") }
  }

  /// What the shell is given; nil where nothing is to be paged.
  static func command(_ environment: [String: String]) -> String? {
    let command = environment["PATCHBAY_PAGER"] ?? environment["PAGER"] ?? "less"
    return command.allSatisfy(\.isWhitespace) ? nil : command
  }
}
