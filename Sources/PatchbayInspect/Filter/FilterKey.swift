import PatchbayWire

/// The keys of the filter language.
package enum FilterKey: String, Hashable, Sendable, CaseIterable {
  case url
  case host
  case path
  case query
  case method
  case status
  case type
  case by
  case stub
  case process
  case error
  case body
  case reqbody
  case resbody
  case header
  case time
  case size
  case since
  case before
  case marked
  case `is`
  case id
  case run
  case op
  case tag
  case note

  /// - Parameter name: in any letter case; `until` was the name of `before`.
  init?(named name: String) {
    let name = name.lowercased()
    self.init(rawValue: name == "until" ? FilterKey.before.rawValue : name)
  }
}

extension FilterKey {
  /// What the key looks at, for help and completion.
  package var help: String { row.help }

  /// The values that there are, where they are few; else examples.
  package var values: [String] { row.values }

  /// Whether commas part several values.
  var takesList: Bool { row.takesList }

  /// - Throws: where and why the value cannot be read.
  func term(_ word: FilterWord) throws(FilterError) -> FilterTerm { try row.term(word) }

  /// All that the language says of a key but for its meaning: that is in `FilterMatching` for values in memory, and in the
  /// history's `StoredCondition` for stored ones.
  private struct Row {
    let help: String
    let values: [String]
    let takesList: Bool
    let term: (FilterWord) throws(FilterError) -> FilterTerm

    static func text(_ field: FilterField, _ help: String, _ values: [String] = [], list: Bool = false) -> Row {
      Row(help: help, values: values, takesList: list) { (word) throws(FilterError) in
        try FilterTermReader.text(field, word, list: list)
      }
    }

    /// Of values with commas between them.
    static func list<Value>(
      _ help: String, _ values: [String] = [], _ read: @escaping (FilterWord.Item) throws(FilterError) -> Value,
      _ term: @escaping ([Value]) -> FilterTerm
    ) -> Row {
      Row(help: help, values: values, takesList: true) { (word) throws(FilterError) in
        term(try FilterTermReader.each(word, read))
      }
    }

    /// Of one value.
    static func one<Value>(
      _ help: String, _ values: [String], _ read: @escaping (FilterWord) throws(FilterError) -> Value,
      _ term: @escaping (Value) -> FilterTerm
    ) -> Row {
      Row(help: help, values: values, takesList: false) { (word) throws(FilterError) in term(try read(word)) }
    }
  }

  private var row: Row {
    switch self {
    case .url: .text(.url, "the whole URL, as a word without a key does")
    case .host: .text(.host, "host, or host:port", list: true)
    case .path: .text(.path, "path without the query")
    case .query: .text(.query, "query of the URL")
    case .method:
      .list("GET, or a list: POST,PUT", ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"], exact) {
        .method($0)
      }
    case .status:
      .list("404, 5xx, >=400, or a list", ["2xx", "3xx", "4xx", "5xx", ">=400"], FilterNumber.status) { .status($0) }
    case .type:
      .text(
        .type, "Content-Type of the response or the request",
        ["json", "html", "xml", "image", "text", "form", "multipart"], list: true)
    case .by:
      .list(
        "who answered: network, cache, stub, code, person, console", Exchange.Answerer.allCases.map(\.rawValue),
        FilterTermReader.choice
      ) { .by(Set($0)) }
    case .stub: .text(.stub, "name of the stub that answered")
    case .process: .text(.process, "name or pid of the process", list: true)
    case .error:
      .text(
        .error, "name, code or domain of the error",
        [
          "timedOut", "cancelled", "cannotFindHost", "cannotConnectToHost", "networkConnectionLost",
          "notConnectedToInternet", "secureConnectionFailed", "badServerResponse",
        ], list: true)
    case .body: .text(.body, "text in either body")
    case .reqbody: .text(.requestBody, "text in the request's body")
    case .resbody: .text(.responseBody, "text in the response's body")
    case .header: .text(.header, "a header field of either side, written name: value")
    case .time: .list("duration: >500ms", [">100ms", ">500ms", ">1s", ">5s"], FilterNumber.duration) { .time($0) }
    case .size:
      .list("size of the response's body: >1MB", [">10kB", ">100kB", ">1MB", "0"], FilterNumber.size) { .size($0) }
    case .since:
      .one(
        "started at or after: 10m ago, 12:30, 2026-01-31, 2026-01-31T12:30:00Z", ["1m", "10m", "1h", "1d"],
        FilterTermReader.moment
      ) { .since($0) }
    case .before: .one("started before: as since", ["1m", "10m", "1h", "1d"], FilterTermReader.moment) { .until($0) }
    case .marked: .one("yes or no", ["yes", "no"], FilterTermReader.yesOrNo) { .marked($0) }
    case .is:
      .list(Self.states.joined(separator: ", "), Self.states, FilterTermReader.choice) { .state(Set($0)) }
    case .id: .list("number in the list: 17, 17..20", [], FilterNumber.plain) { .id($0) }
    case .run: .list("which start of a console: last, 3, 2..4", ["last"], FilterTermReader.run) { .run($0) }
    case .op: .text(.operation, "name of the GraphQL operation", list: true)
    case .tag: .text(.tag, "a tag that you gave it", list: true)
    case .note: .text(.note, "text in the note that you wrote about it")
    }
  }

  private static let states = FilterState.allCases.map(\.rawValue)

  private func exact(_ item: FilterWord.Item) throws(FilterError) -> FilterText { FilterText.exactly(item.text) }
}

/// What `is:` may ask.
package enum FilterState: String, Hashable, Sendable, CaseIterable {
  case held
  /// The program got an error.
  case failed
  case redirected
  /// A body was not recorded whole.
  case truncated
  /// Not ended.
  case running
  case ended
  case responded
  case cancelled
  case abandoned
  /// Only looked on: what became of it is not known.
  case observed
  /// A stub answered, or patched the answer.
  case stubbed
  /// It repeats another one.
  case replayed
  /// The program got an error, or a status of 400 and above.
  case bad

  /// What it means for a row in memory; the history's `StoredCondition` says the same of stored ones.
  func holds(for row: ExchangeSummary) -> Bool {
    switch self {
    case .held: row.isHeld
    case .failed: row.outcome == .failed
    case .redirected: row.redirects > 0
    case .truncated: row.isTruncated
    case .running: row.phase != .ended
    case .ended: row.phase == .ended
    case .responded: row.outcome == .responded
    case .cancelled: row.outcome == .cancelled
    case .abandoned: row.outcome == .abandoned
    case .observed: row.isObserved
    case .stubbed: row.by == .stub || row.by == .code || row.stub != nil
    case .replayed: row.replayOf != nil
    case .bad: row.isBad
    }
  }
}
