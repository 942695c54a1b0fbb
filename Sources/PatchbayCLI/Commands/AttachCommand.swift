import ArgumentParser
import Foundation
import PatchbayAttach
import PatchbayLaunch
import PatchbayRuntime
import PatchbayServer

/// `patchbay attach PID|NAME`
struct AttachCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "attach", abstract: "Look into a program that is already running.",
    discussion: """
      The program stands still for a few milliseconds at most, and no request is lost. Requests under way end as they \
      would; the next one of each session is seen. When this console ends, however it does, the program goes on as before, \
      whatever --unmatched or --keep-stubs said; a later attach takes it up again.

      Attaching changes the program: the hook's library is loaded into it and stays there, idle, until the program ends. \
      --observe is the careful first step: requests are listed and none is touched.

      It needs the right to trace the program (ptrace): `patchbay doctor` says whether that is given here. Programs that \
      link Patchbay, or that `patchbay run` started, are linked as they are.

      On arm64 it has been built but never been tried on a real machine, so it refuses there unless PATCHBAY_ATTACH_UNTRIED=1 \
      is set.
      """)

  @OptionGroup var console: ConsoleArguments

  @Flag(help: "List the programs that can be attached to, and end; in a pipe with whole command lines.")
  var list = false

  @Argument(help: ArgumentHelp("The program's number or its name.", valueName: "pid|name"), completion: .programs)
  var program: String?

  func validate() throws {
    if program?.allSatisfy(\.isWhitespace) ?? true, !list {
      throw ValidationError("Name a program by its number or name; patchbay attach --list shows which there are")
    }
  }

  func run() async throws {
    guard !list, let program else { return listPrograms() }
    let target = try AttachTarget(program, folders: PrivateFolders())
    try ExitCode.end(with: try await ConsoleStart(attachingTo: target, options: console.options).run())
  }

  private func listPrograms() {
    Self.table(RunningPrograms.attachable()).print()
  }

  static func table(_ programs: [RunningProgram]) -> TextTable {
    TextTable(
      heads: ["pid", "started", "user", "command"], rows: programs.map(\.columns), spare: ["user", "started"])
  }
}

/// `patchbay detach PID|NAME`
struct DetachCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "detach", abstract: "Detach from a program: it runs on as before.")

  @Argument(help: ArgumentHelp("The program's number or its name.", valueName: "pid|name"), completion: .programs)
  var program: String

  func validate() throws {
    if program.allSatisfy(\.isWhitespace) { throw ValidationError("Name a program by its number or name") }
  }

  func run() async throws {
    let guest = try DetachTarget(program)
    guard let socket = guest.console else {
      StandardError.say("\(guest.title) was let go of before: no console attends to it.")
      return
    }
    let client = try await ControlClient.connect(socket: socket, as: "patchbay detach \(getpid())")
    _ = try await client.request("links.detach", [.init("pid", .number(String(guest.process)))])
  }
}
