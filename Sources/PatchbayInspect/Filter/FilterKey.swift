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
  case until
  case marked
  case `is`
  case id

  /// What it looks at, for help and completion.
  package var help: String {
    switch self {
    case .url: "the whole URL, as a word without a key does"
    case .host: "host, or host:port"
    case .path: "path without the query"
    case .query: "query of the URL"
    case .method: "GET, or a list: POST,PUT"
    case .status: "404, 5xx, >=400, or a list"
    case .type: "Content-Type of the response or the request"
    case .by: "who answered: network, stub, code, person, console"
    case .stub: "name of the stub that answered"
    case .process: "name or pid of the process"
    case .error: "name, code or domain of the error"
    case .body: "text in either body"
    case .reqbody: "text in the request's body"
    case .resbody: "text in the response's body"
    case .header: "a header field of either side, written name: value"
    case .time: "duration: >500ms"
    case .size: "size of the response's body: >1MB"
    case .since: "started at or after: 10m ago, 12:30, 2026-01-31, 2026-01-31T12:30:00Z"
    case .until: "started before: as since"
    case .marked: "yes or no"
    case .is: FilterState.allCases.map(\.rawValue).joined(separator: ", ")
    case .id: "number in the list: 17, 17..20"
    }
  }

  /// The values that there are, where they are few; else examples.
  package var values: [String] {
    switch self {
    case .method: ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"]
    case .status: ["2xx", "3xx", "4xx", "5xx", ">=400"]
    case .type: ["json", "html", "xml", "image", "text", "form", "multipart"]
    case .by: ["network", "stub", "code", "person", "console"]
    case .time: [">100ms", ">500ms", ">1s", ">5s"]
    case .size: [">10kB", ">100kB", ">1MB", "0"]
    case .since: ["1m", "10m", "1h", "1d"]
    case .until: ["1m", "10m", "1h", "1d"]
    case .marked: ["yes", "no"]
    case .is: FilterState.allCases.map(\.rawValue)
    case .error:
      [
        "timedOut", "cancelled", "cannotFindHost", "cannotConnectToHost", "networkConnectionLost",
        "notConnectedToInternet", "secureConnectionFailed", "badServerResponse",
      ]
    default: []
    }
  }
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
}
