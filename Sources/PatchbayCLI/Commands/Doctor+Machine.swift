import Foundation
import PatchbayAttach
import PatchbayLaunch
import PatchbayTerminal

/// What the screen needs.
extension Doctor {
  func terminal() -> [Finding] { [terminalType(), locale(), colors()].compactMap { $0 } }

  private var type: String { environment["TERM"] ?? "" }

  private var typeProblem: String? {
    do throws(TerminalError) {
      try Terminal.checkType(type)
      return nil
    } catch { return error.description }
  }

  func terminalType() -> Finding {
    if let problem = typeProblem { return .broken("terminal", problem) }
    guard isTerminal else {
      return .note("terminal", "Standard output is no terminal: only --headless would work here.")
    }
    return .good("terminal", "TERM is \(type).")
  }

  private func locale() -> Finding {
    locale(codeset: setlocale(LC_CTYPE, "") == nil ? nil : String(cString: nl_langinfo(Int32(CODESET))))
  }

  /// - Parameter codeset: of the locale that the environment names; nil where that is not installed.
  func locale(codeset: String?) -> Finding {
    let named = ["LC_ALL", "LC_CTYPE", "LANG"].compactMap { environment[$0] }.first { !$0.isEmpty }
    let advice = "the console uses C.UTF-8 by itself; for other programs export LANG=C.UTF-8."
    guard let named else { return .note("locale", "None is set: \(advice)") }
    guard let codeset else { return .note("locale", "\(named) is not installed here: \(advice)") }
    guard codeset.uppercased() == "UTF-8" else {
      return .note("locale", "\(named) is not UTF-8: \(advice)")
    }
    return .good("locale", "\(named) is UTF-8.")
  }

  func colors() -> Finding? {
    if environment["NO_COLOR"]?.isEmpty == false {
      return .note("colours", "NO_COLOR is set, so there are none: unset it to have them.")
    }
    guard typeProblem == nil else { return nil }
    let wide =
      Terminal.mayHaveTrueColor(type)
      && ["truecolor", "24bit"].contains(environment["COLORTERM"]?.lowercased())
    if wide { return .good("colours", "24 bit.") }
    let count = type.contains("256") ? "256" : "What \(type) has"
    return .good("colours", "\(count); export COLORTERM=truecolor asks for 24 bit where the terminal has it.")
  }
}

/// What `run` needs.
extension Doctor {
  func hook() -> [Finding] {
    do {
      let libraries = try HookLibraries.find()
      return [.good("hook", "\(libraries.preload) and \(libraries.hook).")] + runtime(libraries)
    } catch {
      return [.broken("hook", error.description)]
    }
  }

  /// Swift has no stable binary interface on Linux: hook and program must come from the same toolchain.
  private func runtime(_ libraries: HookLibraries) -> [Finding] {
    let ours = libraries.runtime()
    guard let place = ours.place else {
      return [
        .broken(
          "runtime",
          "The Swift runtime of the hook is not found: install the toolchain that built patchbay, or build it "
            + "again with the one that is here.")
      ]
    }
    guard let compiler = Self.compiler(in: environment["PATH"] ?? "") else {
      return [.good("runtime", "Swift in \(place); programs are hooked if the same toolchain built them.")]
    }
    guard ours.differs(from: SwiftRuntime(compiler: compiler)) else {
      return [.good("runtime", "Swift in \(place), that of \(compiler).")]
    }
    return [
      .broken(
        "runtime",
        "\(compiler) builds for another Swift runtime than the hook's in \(place), so that its programs cannot "
          + "be hooked: build patchbay with that toolchain.")
    ]
  }

  /// What `attach` needs.
  func attaching() -> Finding {
    if let problem = AttachAbility.problem { return .note("attach", problem) }
    return .good("attach", "Programs that run may be attached to: patchbay attach --list.")
  }

  static func compiler(in searchPath: String) -> String? {
    searchPath.split(separator: ":").map { "\($0)/swiftc" }.first { access($0, X_OK) == 0 }
  }

  func commandCheck() -> Finding? {
    guard let program else { return nil }
    do {
      let environment = ChildEnvironment.current()
      let runtime = try HookLibraries.find().runtime(environment: environment)
      let check = try ExecutableCheck(command: program, environment: environment, runtime: runtime)
      if let caution = check.cautions.first { return .broken("program", caution.description) }
      switch check.kind {
      case .swift(networking: true): return .good("program", "\(check.path) can be hooked.")
      case .swift(networking: false):
        return .note(
          "program",
          "\(check.path) can be hooked, but does not load FoundationNetworking: it makes no URLSession itself.")
      case .native: return .note("program", "\(check.path) is no Swift program; those that it starts can be hooked.")
      case .script:
        return .note("program", "\(check.path) is a script; the Swift programs that it starts can be hooked.")
      }
    } catch {
      return .broken("program", error.description)
    }
  }
}
