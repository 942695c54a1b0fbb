import Foundation
import PatchbayTerminal

/// What the screen needs.
extension Doctor {
  func terminal() -> [Finding] { [terminalType(), locale(), colors()].compactMap { $0 } }

  private var type: String { environment["TERM"] ?? "" }

  private var typeProblem: String? {
    do throws(TerminalError) {
      try Terminal.checkType()
      return nil
    } catch { return error.description }
  }

  private func terminalType() -> Finding {
    if let problem = typeProblem { return .broken("terminal", problem) }
    guard isatty(STDOUT_FILENO) == 1 else {
      return .note("terminal", "Standard output is no terminal: only --headless would work here.")
    }
    return .good("terminal", "TERM is \(type).")
  }

  private func locale() -> Finding {
    let named = ["LC_ALL", "LC_CTYPE", "LANG"].compactMap { environment[$0] }.first { !$0.isEmpty }
    let advice = "the console uses C.UTF-8 by itself; for other programs export LANG=C.UTF-8."
    guard let named else { return .note("locale", "None is set: \(advice)") }
    guard setlocale(LC_CTYPE, "") != nil else { return .note("locale", "\(named) is not installed here: \(advice)") }
    guard String(cString: nl_langinfo(Int32(CODESET))).uppercased() == "UTF-8" else {
      return .note("locale", "\(named) is not UTF-8: \(advice)")
    }
    return .good("locale", "\(named) is UTF-8.")
  }

  private func colors() -> Finding? {
    if environment["NO_COLOR"]?.isEmpty == false {
      return .note("colours", "NO_COLOR is set, so there are none: unset it to have them.")
    }
    guard typeProblem == nil else { return nil }
    let wide =
      Terminal.mayHaveTrueColor(type)
      && ["truecolor", "24bit"].contains(environment["COLORTERM"]?.lowercased())
    let folders = ["/usr/share/terminfo", "/lib/terminfo", "/etc/terminfo"]
    let direct = type.hasPrefix("tmux") || type.hasPrefix("screen") ? "t/tmux-direct" : "x/xterm-direct"
    let hasDirect = folders.contains { FileManager.default.fileExists(atPath: "\($0)/\(direct)") }
    if wide, hasDirect { return .good("colours", "24 bit.") }
    if wide {
      return .note(
        "colours",
        "The terminal has 24-bit colour but terminfo has no \(direct.dropFirst(2)): apt-get install ncurses-term")
    }
    let count = type.contains("256") ? "256" : "What \(type) has"
    return .good("colours", "\(count); export COLORTERM=truecolor asks for 24 bit where the terminal has it.")
  }
}
