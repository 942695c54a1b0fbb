import ArgumentParser
import PatchbayGrid

/// `patchbay doctor`
struct DoctorCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Check terminal, locale, colours, sockets, config, history, hook and Swift runtime, and say what to mend."
  )

  @Option(help: ArgumentHelp("A program that `run` is to hook.", valueName: "path"), completion: .file()) var program:
    String?

  func run() async throws {
    let findings = await Doctor(program: program).findings()
    for finding in findings {
      print("\(finding.sign) \(finding.topic.padded(to: 10)) \(SafeText.line(finding.sentence))")
    }
    if findings.contains(where: { $0.grade == .broken }) { throw ExitCode.failure }
  }
}

extension String {
  func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}
