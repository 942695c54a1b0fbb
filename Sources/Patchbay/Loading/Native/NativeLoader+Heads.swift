import Foundation
import PatchbayStubs
import PatchbayWire

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Heads that nobody listened for when they came: an answer that comes quickly is told of when it has ended, which costs
/// the request nothing on its way.
extension NativeLoader {
  /// The head of an answer that has come as a whole, unless it was told when it came.
  func tellHead(before end: URLProtocol) {
    let response = TaskInternals.response(of: task)
    recorder.head(response, soon: true, age: { CurlTransfer(of: end)?.sinceFirstByte ?? 0 })
  }

  /// The head of an answer of which the rest is still to come, or will not come.
  func tellHeadSoFar(of loading: URLProtocol) {
    guard recorder.listens, !recorder.hasHead, let transfer = CurlTransfer(of: loading),
      let firstByte = transfer.firstByte, let response = TransferResponse.response(of: loading),
      !Self.isRedirect(response.statusCode)
    else { return }
    recorder.head(response, age: { self.recorder.elapsed - self.transferBegan - firstByte })
  }

  /// The head of an answer that has broken off.
  func tellHead(of loading: URLProtocol, cutBy error: any Error) {
    guard recorder.listens, !recorder.hasHead, takeover == nil, let transfer = CurlTransfer(of: loading),
      let head = transfer.head(isCut: (error as? URLError)?.code == .unknown), !Self.isRedirect(head.status)
    else { return }
    recorder.head(head.status, .list(head.headers), soon: true, age: transfer.sinceFirstByte ?? 0)
  }

  /// What came of a body that breaks off before the program is given any of it: nobody keeps it, so it is only counted.
  func countBody(of loading: URLProtocol) {
    guard recorder.listens, recorder.hasHead, takeover == nil, tap?.seesBody != true,
      let received = CurlTransfer(of: loading)?.received, received > 0
    else { return }
    recorder.counted(received)
  }

  /// What the built-in class follows, or asks the delegate about: no head of an answer.
  private static func isRedirect(_ status: Int) -> Bool {
    [301, 302, 303].contains(status) || (305...308).contains(status)
  }
}
