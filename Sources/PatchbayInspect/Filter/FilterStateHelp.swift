extension FilterState {
  /// What it asks, for the manual. A test sees to it that each state has one.
  package var help: String? { Self.meanings[self] }

  private static let meanings: [FilterState: String] = [
    .held: "waits for a person", .failed: "the program got an error", .redirected: "was led elsewhere at least once",
    .truncated: "a body was not recorded whole", .running: "has not ended", .ended: "has ended, however it did",
    .responded: "the program got the whole answer", .cancelled: "by the program",
    .abandoned: "its process went away first", .observed: "only looked at: what became of it is not known",
    .stubbed: "a stub answered, or patched the answer", .replayed: "repeats another one",
    .bad: "the program got an error, or a status of 400 and above",
  ]
}
