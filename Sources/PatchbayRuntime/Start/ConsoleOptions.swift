import Foundation
import PatchbayInspect
import PatchbayStubs
import PatchbaySystem
import PatchbayWire

/// What a person asks of a console when it is started; what is nil or empty is left to the config file.
package struct ConsoleOptions: Sendable {
  package var socket: String?
  /// Programs and controllers of another user are taken too.
  package var trustPeer = false
  /// Stub files; the earlier wins.
  package var stubs: [String] = []
  /// A file, or `:memory:`.
  package var history: String?
  package var unmatched: StubSet.Unmatched?
  package var observe = false
  package var keepStubs = false
  package var redact = false
  package var bodyLimit: BodyLimit?
  package var timeoutsRunWhileHeld = false
  /// A theme by name or file.
  package var theme: String?
  package var filter: String?
  package var headless = false
  /// The console ends after that time.
  package var duration: Duration?
  /// The console ends when no request was under way for that time.
  package var untilIdle: Duration?
  /// Where JSON Lines go; `-` is standard output.
  package var log: String?
  /// Filters that exchanges have to fit, with `count:` so many; see `CountedFilter`.
  package var expect: [String] = []
  /// Filters that exchanges may not fit, with `count:` not so many.
  package var forbid: [String] = []
  /// Each stub that is switched on has to take a request.
  package var expectStubsUsed = false
  /// Where the checks are reported as JUnit XML.
  package var report: String?
  /// Whether something is checked, so that the status is that of the checks.
  package var hasChecks: Bool { !expect.isEmpty || !forbid.isEmpty || expectStubsUsed }
  /// Where stubs that answer what was seen are written at the end.
  package var record: String?
  /// Whatever lies there is replaced by what is recorded.
  package var force = false
  /// Secrets are left as they are in what is printed and recorded.
  package var withSecrets = false

  package init() {}
}

/// How much of each body is recorded, such as `1MiB`: of requests and of responses alike.
package struct BodyLimit: Hashable, Sendable {
  /// In bytes.
  var bytes: UInt64

  /// More would not fit into one message of the link.
  static let largest = UInt64(Wire.messageLimit) / 2

  /// - Throws: a sentence about what a limit is.
  package init(parsing text: String) throws {
    try self.init(bytes: SizeText.parse(text) ?? -1)
  }

  /// - Throws: a sentence about what a limit is.
  init(bytes: Int) throws {
    guard let bytes = UInt64(exactly: bytes), bytes <= Self.largest else {
      throw RuntimeError("A limit of bodies is a size of at most 128MiB, such as 500kB or 16MiB")
    }
    self.bytes = bytes
  }
}

/// Filters as they come from the command line.
package enum FilterArgument {
  /// - Throws: a sentence with the filter and the column where it goes wrong.
  package static func parse(_ text: String?, option: String = "the filter") throws -> Filter {
    guard let text else { return .everything }
    return try read(text, option) { text throws(FilterError) in try Filter(parsing: text) }
  }

  /// What began after the moment that `--since` names.
  ///
  /// - Throws: a sentence with what was given.
  package static func since(_ text: String) throws -> Filter {
    do {
      return try Filter(parsing: "since:\(text)")
    } catch {
      throw RuntimeError("--since “\(text)” cannot be read: \(error.message).", isUsage: true)
    }
  }

  /// Of a check, which may say how many have to fit.
  ///
  /// - Throws: a sentence with the filter and the column where it goes wrong.
  static func counted(_ text: String, option: String) throws -> CountedFilter {
    try read(text, option) { text throws(FilterError) in try CountedFilter(parsing: text) }
  }

  private static func read<Value>(
    _ text: String, _ option: String, _ read: (String) throws(FilterError) -> Value
  ) throws -> Value {
    do {
      return try read(text)
    } catch {
      let hint = error.suggestion.map { "; did you mean “\($0)”?" } ?? "."
      throw RuntimeError(
        "\(option) “\(text)” cannot be read at column \(error.range.lowerBound + 1): \(error.message)\(hint)",
        isUsage: true)
    }
  }
}

/// Paths as a person types them.
package enum AbsolutePath {
  /// With `~` and the working directory put in.
  package static func of(_ path: String) -> String {
    // Foundation takes the account's folder for `~`, whatever HOME says; `~name` and slashes are its own.
    let expanded = NSString(string: Path.expandingTilde(path)).expandingTildeInPath
    guard !expanded.hasPrefix("/") else { return expanded }
    return FileManager.default.currentDirectoryPath + "/" + expanded
  }
}
