import ArgumentParser
import PatchbayStubs

/// What the shells offer where an argument is a name and no file.
extension CompletionKind {
  /// URLError's codes by their Swift names, and the named faults.
  static var faults: CompletionKind {
    .list(Set(URLErrorCode.all.map(\.name) + NamedFault.all.map(\.name)).sorted())
  }

  /// The stubs of the console that runs; none where no console runs, or more than one.
  static var stubs: CompletionKind { .shellCommand("patchbay stubs list 2>/dev/null | cut -f2") }

  /// The themes that are found by name.
  static var themes: CompletionKind { .shellCommand("patchbay themes list 2>/dev/null | cut -f1") }
}
