/// Other words for what commands do: those of other programs, and what a person would type who does not know ours.
enum CommandWords {
  private static let words: [ConsoleCommand: String] = [
    .global(.pauseStubs): "disable enable toggle all stubs mocks",
    .global(.faultsForEverything): "offline airplane no network disconnect",
    .global(.saveScreen): "screenshot image picture svg",
    .global(.openFile): "load session yesterday browse history file",
    .global(.holdAll): "breakpoint intercept everything",
    .global(.releaseAll): "hold resume continue forward release",
    .global(.themes): "colours colors dark light",
    .global(.quit): "exit leave close",
    .global(.undo): "revert back",
    .global(.toggleMouse): "select text copy pointer",
    .requests(.importRequests): "load har archive",
    .requests(.exportRequests): "save record har curl jsonl download offline playback",
    .requests(.tag): "label colour pin mark",
    .requests(.note): "comment annotate remark",
    .requests(.savedFilters): "bookmarks chips views favourites",
    .requests(.filter): "search find query",
    .requests(.filterOutValue): "exclude ignore hide endpoint",
    .requests(.filterByValue): "only same host endpoint",
    .requests(.hold): "breakpoint intercept pause",
    .requests(.stubFromRequest): "mock map local rewrite fake",
    .requests(.faults): "error break fail timeout offline throttle slow",
    .requests(.replay): "resend repeat again",
    .requests(.replayEdited): "resend modify compose",
    .requests(.compare): "diff difference",
    .requests(.clear): "erase empty",
    .requests(.delete): "remove forget",
    .requests(.follow): "tail autoscroll live",
    .requests(.pause): "freeze stop",
    .requests(.columns): "fields headers",
    .requests(.saveBody): "download file image",
    .requests(.viewBody): "image picture preview browser external",
    .stubs(.toggleStub): "disable enable",
    .stubs(.addStub): "new mock rule",
    .stubs(.writeStubs): "save",
    .stubs(.findStubs): "search filter list",
    .stubs(.filter): "hits answered requests",
    .stubs(.loadStubs): "open read file session offline playback mocks",
    .stubs(.toggleSet): "disable enable group folder file collection",
    .stubs(.setUnmatched): "offline block network deny default otherwise",
    .traffic(.open): "statistics",
    .processes(.degree): "bypass ignore record observe",
  ]

  /// Whether what was typed begins one of them.
  static func fit(_ wanted: String, _ command: ConsoleCommand) -> Bool {
    let wanted = wanted.lowercased()
    guard wanted.count >= 2, let words = words[command] else { return false }
    return words.hasPrefix(wanted) || words.contains(" " + wanted)
  }
}
