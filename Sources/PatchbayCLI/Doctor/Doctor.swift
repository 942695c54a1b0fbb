import Foundation
import PatchbayHistory
import PatchbayLaunch
import PatchbayServer

/// What `patchbay doctor` looks at.
struct Doctor {
  struct Finding {
    enum Grade { case good, note, broken }
    var grade: Grade
    var topic: String
    var sentence: String

    var sign: String {
      switch grade {
      case .good: "✓"
      case .note: "·"
      case .broken: "✗"
      }
    }
  }

  var program: String?
  private let environment = ProcessInfo.processInfo.environment

  init(program: String?) {
    self.program = program
  }

  func findings() async -> [Finding] {
    terminal() + sockets() + [history(), hook()] + [commandCheck()].compactMap { $0 } + [
      Finding(
        grade: .note, topic: "invisible",
        sentence:
          "Requests of AsyncHTTPClient, libcurl and other clients do not go through URLSession: they never show.")
    ]
  }

  private func terminal() -> [Finding] {
    let term = environment["TERM"] ?? ""
    var found: [Finding] = []
    if isatty(STDOUT_FILENO) == 0 {
      found.append(note("terminal", "Standard output is no terminal: only --headless would work here."))
    } else if term.isEmpty || term == "dumb" {
      found.append(broken("terminal", "TERM is “\(term)”, which cannot place text: set it, or use --headless."))
    } else {
      found.append(good("terminal", "TERM is \(term)."))
    }
    let locale = environment["LC_ALL"] ?? environment["LC_CTYPE"] ?? environment["LANG"] ?? ""
    let isUTF8 = locale.lowercased().contains("utf")
    found.append(
      isUTF8
        ? good("locale", "\(locale) is UTF-8.")
        : note("locale", "“\(locale)” is not UTF-8; the console uses C.UTF-8 by itself. Better: export LANG=C.UTF-8"))
    found.append(colors(term))
    return found
  }

  private func colors(_ term: String) -> Finding {
    if environment["NO_COLOR"]?.isEmpty == false { return note("colours", "NO_COLOR is set: there are none.") }
    let wide = ["truecolor", "24bit"].contains(environment["COLORTERM"]?.lowercased())
    let folders = ["/usr/share/terminfo", "/lib/terminfo", "/etc/terminfo"]
    let hasDirect = folders.contains { FileManager.default.fileExists(atPath: $0 + "/x/xterm-direct") }
    if wide, hasDirect { return good("colours", "24 bit.") }
    if wide {
      return note(
        "colours", "The terminal has 24-bit colour but terminfo has no xterm-direct: apt-get install ncurses-term")
    }
    return good("colours", term.contains("256") ? "256." : "What \(term) has; COLORTERM=truecolor would ask for more.")
  }

  private func sockets() -> [Finding] {
    do {
      let folder = try PrivateFolders().runtime()
      let running = ControlClient.consoles(in: folder)
      let who = running.isEmpty ? "no console runs" : "running: \(running.joined(separator: ", "))"
      return [good("sockets", "\(folder) is ours alone; \(who).")]
    } catch {
      return [broken("sockets", error.description)]
    }
  }

  private func history() -> Finding {
    do {
      let path = try PrivateFolders().history()
      guard FileManager.default.fileExists(atPath: path) else {
        return good("history", "\(path) will be made when needed.")
      }
      let store = try HistoryStore.open(.file(path), access: .read)
      return good("history", "\(path) has \(store.count) exchanges.")
    } catch {
      return broken("history", "\(error)")
    }
  }

  private func hook() -> Finding {
    do {
      let libraries = try HookLibraries.find()
      return good("hook", "\(libraries.preload) and \(libraries.hook).")
    } catch {
      return broken("hook", error.description)
    }
  }

  private func commandCheck() -> Finding? {
    guard let program else { return nil }
    do {
      let environment = ChildEnvironment.current()
      let runtime = try HookLibraries.find().runtime(environment: environment)
      let check = try ExecutableCheck(command: program, environment: environment, runtime: runtime)
      if let caution = check.cautions.first { return broken("program", caution.description) }
      return good("program", "\(check.path) can be hooked.")
    } catch {
      return broken("program", error.description)
    }
  }

  private func good(_ topic: String, _ sentence: String) -> Finding {
    Finding(grade: .good, topic: topic, sentence: sentence)
  }

  private func note(_ topic: String, _ sentence: String) -> Finding {
    Finding(grade: .note, topic: topic, sentence: sentence)
  }

  private func broken(_ topic: String, _ sentence: String) -> Finding {
    Finding(grade: .broken, topic: topic, sentence: sentence)
  }
}
