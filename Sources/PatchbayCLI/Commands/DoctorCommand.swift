import ArgumentParser
import Foundation
import PatchbayFiles
import PatchbayGrid
import PatchbayHistory
import PatchbayLaunch
import PatchbayRuntime
import PatchbayServer

/// `patchbay doctor`
struct DoctorCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Check terminal, locale, colours, sockets, config, history, hook and Swift runtime, and say what to fix."
  )

  @Option(help: ArgumentHelp("A program that `run` is to hook.", valueName: "path"), completion: .file()) var program:
    String?

  func run() async throws {
    let findings = await Doctor(program: program).findings()
    for finding in findings { print(finding.line) }
    if findings.contains(where: { $0.grade == .broken }) { throw ExitCode.failure }
  }
}

extension String {
  func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}

/// What `patchbay doctor` looks at.
@MainActor
struct Doctor {
  /// What `run` is to start, where it was named.
  var program: String?
  var environment = ProcessInfo.processInfo.environment
  var isTerminal = isatty(STDOUT_FILENO) == 1

  init(program: String?) {
    self.program = program
  }

  func findings() -> [Finding] {
    terminal() + [sockets(), config(), history()] + hook() + [attaching(), commandCheck()].compactMap { $0 } + [
      .note(
        "invisible",
        "Requests of AsyncHTTPClient, libcurl and other clients do not go through URLSession: they never show.")
    ]
  }

  private func sockets() -> Finding {
    do {
      let folder = try PrivateFolders().runtime()
      let running = ControlClient.consoles(in: folder)
      let who = running.isEmpty ? "no console runs" : "running: \(running.joined(separator: ", "))"
      return .good("sockets", "\(folder) is ours alone; \(who).")
    } catch {
      return .broken("sockets", error.description)
    }
  }

  private func config() -> Finding {
    let folders = PrivateFolders()
    let path = folders.config + "/config.yaml"
    guard FileManager.default.fileExists(atPath: path) else {
      return .good("config", "There is no \(path); none is needed.")
    }
    do {
      let screen = try ScreenConfig(folders: folders)
      guard screen.slips.isEmpty else {
        let slips = screen.slips.map {
          $0.description.hasSuffix(".") ? String($0.description.dropLast()) : $0.description
        }
        return .broken("config", slips.joined(separator: "; ") + "; the rest of it counts.")
      }
      _ = try StubFiles.read(screen.config.stubs)
      return .good("config", "\(path) has no mistakes.")
    } catch {
      return .broken("config", "\(error)".split(separator: "\n").joined(separator: "; "))
    }
  }

  private func history() -> Finding {
    do {
      let path = try (try? ConfigLoading.history(nil)) ?? PrivateFolders().history()
      guard FileManager.default.fileExists(atPath: path) else {
        return .good("history", "\(path) will be made when needed.")
      }
      let store = try HistoryStore.open(.file(path), access: .read)
      return .good("history", "\(path) has \(store.count) exchanges.")
    } catch {
      return .broken("history", "\(error)")
    }
  }
}

/// One thing that `patchbay doctor` looked at.
struct Finding: Equatable {
  enum Grade {
    case good
    /// Good to know; nothing is broken.
    case note
    /// Something does not work until it is mended.
    case broken
  }

  var grade: Grade
  var topic: String
  /// What it is like and, where it is not good, what to do.
  var sentence: String

  static func good(_ topic: String, _ sentence: String) -> Finding {
    Finding(grade: .good, topic: topic, sentence: sentence)
  }

  static func note(_ topic: String, _ sentence: String) -> Finding {
    Finding(grade: .note, topic: topic, sentence: sentence)
  }

  static func broken(_ topic: String, _ sentence: String) -> Finding {
    Finding(grade: .broken, topic: topic, sentence: sentence)
  }

  var line: String { "\(sign) \(topic.padded(to: 10)) \(SafeText.line(sentence))" }

  var sign: String {
    switch grade {
    case .good: "✓"
    case .note: "·"
    case .broken: "✗"
    }
  }
}
