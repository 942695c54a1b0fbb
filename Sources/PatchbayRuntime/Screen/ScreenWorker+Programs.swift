import Foundation
import PatchbayAttach
import PatchbayConsole
import PatchbayLaunch
import PatchbayWire

/// Running programs, for the tab of processes.
extension ScreenWorker {
  /// Looks at all processes: some milliseconds, and more where many run.
  func findPrograms(_ runtime: any ScreenHost) {
    Task { [weak runtime] in
      let found = await Task.detached { RunningPrograms.attachable() }.value
      runtime?.send(.programs(found.map(ProgramRow.init)))
    }
  }

  /// Esc stops it as long as nothing was changed in the program.
  func attach(_ process: pid_t, _ runtime: any ScreenHost) {
    // Nothing listens where a file is open.
    guard bench.opened == nil else { return }
    work(runtime) { [bench, weak runtime] token in
      do {
        let target = try await Task.detached { try AttachTarget(process: process, folders: PrivateFolders()) }.value
        guard target.socket == nil else {
          throw AttachError("\(target.title) does not see this console's socket. Use: patchbay attach \(process)")
        }
        runtime?.send(.work(token: token, title: "Attaching to \(target.title)", share: nil))
        let sentence = try await bench.guests.attach(target, to: bench.server)
        runtime?.send(.notice(Notice(.good, sentence)))
      } catch  where Task.isCancelled {
        runtime?.send(.notice(Notice(.info, "Attaching to process \(process) was stopped.")))
      } catch {
        runtime?.send(.notice(Notice(.error, "\(error)")))
      }
    }
  }
}

extension ProgramRow {
  fileprivate init(_ program: RunningProgram) {
    self.init(
      process: HarnessProcess(name: program.name, pid: program.process),
      since: Timestamp(microseconds: Int64(program.startedAt * 1_000_000)), command: program.command)
  }
}
