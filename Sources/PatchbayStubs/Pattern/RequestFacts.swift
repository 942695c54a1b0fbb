import Foundation

/// What matching looks at: one request as the program made it, with the session's headers merged in.
package struct RequestFacts: Hashable, Sendable {
  package var method: String
  /// The absolute URL.
  package var url: String
  package var headers: [HeaderField]
  /// nil where there is none, or where it is a stream that has not been read.
  package var body: Data?
  /// The name of the process.
  package var process: String
  /// Its number; nil where it is not known.
  package var pid: Int32?

  package init(
    method: String, url: String, headers: [HeaderField] = [], body: Data? = nil, process: String = "",
    pid: Int32? = nil
  ) {
    self.method = method
    self.url = url
    self.headers = headers
    self.body = body
    self.process = process
    self.pid = pid
  }
}
