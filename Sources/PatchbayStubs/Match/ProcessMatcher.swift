/// What a pattern asks of the process: a name; or, written with a number behind it (`demo 4121`), that one process.
struct ProcessMatcher: Sendable {
  private let name: TextMatcher
  private let one: (name: TextMatcher, pid: Int32)?

  init(_ pattern: TextPattern) {
    name = TextMatcher(pattern, for: .plain)
    guard case .glob(let text) = pattern, let blank = text.lastIndex(of: " "),
      let pid = Int32(text[text.index(after: blank)...]), pid > 0
    else {
      one = nil
      return
    }
    one = (TextMatcher(.glob(String(text[..<blank])), for: .plain), pid)
  }

  /// Whether a number is part of it.
  var asksOne: Bool { one != nil }

  var problem: String? { if case .never(let reason) = name { reason } else { nil } }

  /// A name that ends with a number is a name too.
  func test(_ process: String, _ pid: Int32?) -> TextMatcher.Verdict {
    let verdict = name.test(process)
    guard case .fitsNot = verdict, let one, one.pid == pid else { return verdict }
    return one.name.test(process)
  }
}
