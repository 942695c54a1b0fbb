import PatchbayStubs

/// What a person asks of a console when it is started; what is nil or empty is left to the config file.
package struct ConsoleOptions: Sendable {
  package var socket: String?
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
  /// Filters that some exchange has to fit.
  package var expect: [String] = []
  /// Filters that no exchange may fit.
  package var forbid: [String] = []
  /// Where stubs that answer what was seen are written at the end.
  package var record: String?

  package init() {}
}
