import PatchbayTestSupport
import Testing

/// What the plain program sees in each of its cases, bare and with the hook in it: preloaded, or in a program that links
/// it and has the same cases.
struct CaseTable: Sendable {
  typealias Lines = [String: [String]]

  private static let plain = "plain-harness"
  private let base: String
  private let program: String
  private let environment: [String: String]
  private let isWanted: @Sendable (String) -> Bool

  /// - Parameters:
  ///   - program: The one with the hook.
  ///   - environment: What puts the hook into the program.
  ///   - isWanted: Which cases are run, by their names.
  init(
    _ base: String, program: String = plain, hooked environment: [String: String],
    where isWanted: @escaping @Sendable (String) -> Bool = { _ in true }
  ) {
    self.base = base
    self.program = program
    self.environment = environment
    self.isWanted = isWanted
  }

  func bare() async throws -> Lines { try await Self.bareLines.value.filter { isWanted($0.key) } }

  /// Run once for all that compare with it, at a server of its own: a run takes half a minute, and half of a processor
  /// while it waits (Foundation's own).
  private static let bareLines = Task {
    let server = try LoopbackServer()
    defer { server.stop() }
    return try await CaseTable("http://127.0.0.1:\(server.port)", hooked: [:]).lines(plain, [:])
  }

  func hooked() async throws -> Lines { try await lines(program, environment) }

  /// The lines of each case. Faults of Foundation's own end the program on a busy machine, bare or not: then it goes on
  /// behind the case that it ended in, of which that is what there is to say.
  private func lines(_ program: String, _ environment: [String: String]) async throws -> Lines {
    var rest = try await names()[...]
    var result: Lines = [:]
    var ends = 0
    while !rest.isEmpty {
      let transcript = try await Harness.transcript(of: program, [base] + rest, environment)
      result.merge(transcript.cases) { $1 }
      rest = rest.drop { transcript.cases[$0] != nil }
      if transcript.status == 0 { break }
      ends += 1
      try #require(ends < 10, "the program does not come to its end:\n\(transcript.text.suffix(2_000))")
      // A case that was given up has told so.
      if transcript.status != 3, let name = rest.popFirst() { result[name] = [Self.end(transcript.status)] }
    }
    return result
  }

  /// A busy machine may cut a body elsewhere or let a pause pass, bare or not: once in a few times both must see the
  /// same.
  func compareAgain(_ name: String, isSame: ([String], [String]) -> Bool = { $0 == $1 }) async throws {
    var last: ([String], [String]) = ([], [])
    for _ in 0..<8 {
      last = (try await lines(of: name, Self.plain, [:]), try await lines(of: name, program, environment))
      if isSame(last.0, last.1) { return }
    }
    Issue.record("“\(name)” differs.\nbare: \(last.0)\nhooked: \(last.1)")
  }

  private func lines(
    of name: String, _ program: String, _ environment: [String: String]
  ) async throws -> [String] {
    let transcript = try await Harness.transcript(of: program, [base, name], environment)
    let lines = transcript.cases[name] ?? []
    return transcript.status == 0 ? lines : lines + [Self.end(transcript.status)]
  }

  private func names() async throws -> [String] {
    let transcript = try await Harness.transcript(of: Self.plain, ["--list"])
    return transcript.text.split(separator: "\n").map(String.init).filter(isWanted)
  }

  private static func end(_ status: Int32) -> String { "the program ended with \(status)" }
}
