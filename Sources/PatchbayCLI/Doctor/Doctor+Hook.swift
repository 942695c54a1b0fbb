import Foundation
import PatchbayLaunch

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

  private static func compiler(in searchPath: String) -> String? {
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
