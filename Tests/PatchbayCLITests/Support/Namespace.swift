import PatchbayTestSupport

/// Namespaces of our own (unshare(1)), which not every machine lets be made.
enum Namespace {
  /// Whether a command can be run so.
  static func isPossible(_ unshare: [String]) -> Bool {
    (try? TestProgram.run(unshare + ["/bin/true"], errors: .nothing))?.status == 0
  }
}
