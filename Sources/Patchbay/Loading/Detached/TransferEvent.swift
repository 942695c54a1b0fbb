import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What happens to a request in a session of the hook's own.
enum TransferEvent: Sendable {
  typealias ChallengeAnswer = @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void

  case redirect(HTTPURLResponse, URLRequest, @Sendable (URLRequest?) -> Void)
  case challenge(URLAuthenticationChallenge, ChallengeAnswer)
  /// The body's stream is wanted: the program's delegate has it.
  case stream(@Sendable (InputStream?) -> Void)
  case sent(Int64, total: Int64, expected: Int64)
  case head(HTTPURLResponse)
  case data(Data)
  /// Bytes of a download.
  case written(Int64, total: Int64, expected: Int64)
  /// A download is there, and whoever hears this has to remove it.
  case file(URL)
  /// With the response as the task has it.
  case end(HTTPURLResponse?, (any Error)?)

  /// Whether the task's counts may have changed with it.
  var isCounted: Bool { if case .data = self { false } else { true } }

  /// Nobody wants it any more: a download leaves no file behind. Any thread.
  func discard() {
    if case .file(let location) = self { DownloadedFile.remove(location) }
  }
}
