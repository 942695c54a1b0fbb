import Foundation
import PatchbayStubs
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What libcurl knows of the transfer that one of Foundation's classes makes, or has made. To be asked on the task's work
/// queue.
struct CurlTransfer {
  private let handle: UnsafeMutableRawPointer
  private let ask: CurlQuestions

  /// nil where the class does not use libcurl, or is not as expected, or libcurl keeps no heads (before 7.83).
  init?(of loading: URLProtocol) {
    guard let ask = CurlQuestions.loaded, let owner = BuiltInClass.http, type(of: loading) == owner,
      let easy = Self.easyHandle?.object(in: loading), let field = Self.rawHandle(of: easy),
      let handle = field.address(in: easy).load(as: UnsafeMutableRawPointer?.self)
    else { return nil }
    self.handle = handle
    self.ask = ask
  }

  /// Microseconds from the first byte of the answer to the end of the transfer; nil while it has not ended.
  var sinceFirstByte: Int64? {
    guard let total = ask.seconds(ask.total, handle), let first = ask.seconds(ask.firstByte, handle), first > 0,
      total >= first
    else { return nil }
    return Int64((total - first) * 1e6)
  }

  /// Microseconds from the transfer's beginning to the first byte of the answer; nil where none has come.
  var firstByte: Int64? {
    guard let first = ask.seconds(ask.firstByte, handle), first > 0 else { return nil }
    return Int64(first * 1e6)
  }

  /// How many bytes of the answer's body have come, as they were sent.
  var received: Int64 { ask.seconds(ask.received, handle).flatMap { Int64(exactly: $0) } ?? 0 }

  /// The head of the answer if it has come as a whole, sorted by name as Foundation's heads are recorded.
  ///
  /// - Parameter isCut: The answer broke off in its body.
  func head(isCut: Bool) -> (status: Int, headers: [HeaderField])? {
    guard let status = ask.number(ask.status, handle), status >= 200,
      isCut || (ask.seconds(ask.received, handle) ?? 0) > 0
    else { return nil }
    var headers: [HeaderField] = []
    var last: UnsafeMutablePointer<CurlQuestions.Header>?
    while headers.count < Self.mostFields,
      let next = ask.nextHeader(handle, CurlQuestions.fromServer, CurlQuestions.lastAnswer, last)
    {
      if let name = next.pointee.name, let value = next.pointee.value {
        headers.append(HeaderField(String(cString: name), String(cString: value)))
      }
      last = next
    }
    return (status, headers.sorted { $0.name < $1.name })
  }

  /// For each field libcurl walks through all of them, to count those of its name: ten thousand, which is what it takes of
  /// a server at most, would keep the program waiting for seconds.
  private static let mostFields = 1_000

  private static let word = MemoryLayout<UnsafeRawPointer>.size
  private static let easyHandle = BuiltInClass.http.flatMap { StoredField("easyHandle", in: $0, size: word) }
  private static let known = Mutex<(owner: ObjectIdentifier, field: StoredField?)?>(nil)

  private static func rawHandle(of easy: AnyObject) -> StoredField? {
    let owner: AnyClass = Swift.type(of: easy)
    return known.withLock { known in
      if let known, known.owner == ObjectIdentifier(owner) { return known.field }
      let field = StoredField("rawHandle", in: owner, size: word)
      known = (ObjectIdentifier(owner), field)
      return field
    }
  }
}

/// Foundation's own way of asking libcurl, and libcurl's own for heads; the numbers of what is asked for.
private struct CurlQuestions: Sendable {
  /// `struct curl_header`.
  struct Header {
    var name: UnsafePointer<CChar>?
    var value: UnsafePointer<CChar>?
    var amount = 0
    var index = 0
    var origin: CUnsignedInt = 0
    var anchor: UnsafeRawPointer?
  }

  typealias Seconds = @convention(c) (UnsafeMutableRawPointer, CInt, UnsafeMutablePointer<Double>) -> CInt
  typealias Number = @convention(c) (UnsafeMutableRawPointer, CInt, UnsafeMutablePointer<CLong>) -> CInt
  typealias NextHeader =
    @convention(c) (UnsafeMutableRawPointer, CUnsignedInt, CInt, UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer?

  private let askSeconds: Seconds
  private let askNumber: Number
  private let askHeader: NextHeader
  let total: CInt
  let firstByte: CInt
  let received: CInt
  let status: CInt

  /// `CURLH_HEADER`.
  static let fromServer: CUnsignedInt = 1
  static let lastAnswer: CInt = -1

  /// A value that libcurl has as a floating-point number; nil where it went wrong, or the answer is not known.
  func seconds(_ question: CInt, _ handle: UnsafeMutableRawPointer) -> Double? {
    var value = 0.0
    return askSeconds(handle, question, &value) == 0 ? value : nil
  }

  func number(_ question: CInt, _ handle: UnsafeMutableRawPointer) -> Int? {
    var value = 0
    return askNumber(handle, question, &value) == 0 ? value : nil
  }

  func nextHeader(
    _ handle: UnsafeMutableRawPointer, _ origin: CUnsignedInt, _ answer: CInt, _ last: UnsafeMutablePointer<Header>?
  ) -> UnsafeMutablePointer<Header>? {
    askHeader(handle, origin, answer, last)?.assumingMemoryBound(to: Header.self)
  }

  static let loaded: CurlQuestions? = {
    guard let seconds = symbol("CFURLSession_easy_getinfo_double"),
      let number = symbol("CFURLSession_easy_getinfo_long"),
      let header = symbol("curl_easy_nextheader"), let total = symbol("CFURLSessionInfoTOTAL_TIME"),
      let firstByte = symbol("CFURLSessionInfoSTARTTRANSFER_TIME"),
      let received = symbol("CFURLSessionInfoSIZE_DOWNLOAD"),
      let status = symbol("CFURLSessionInfoRESPONSE_CODE")
    else { return nil }
    return CurlQuestions(
      askSeconds: unsafeBitCast(seconds, to: Seconds.self), askNumber: unsafeBitCast(number, to: Number.self),
      askHeader: unsafeBitCast(header, to: NextHeader.self), total: total.load(as: CInt.self),
      firstByte: firstByte.load(as: CInt.self), received: received.load(as: CInt.self),
      status: status.load(as: CInt.self))
  }()

  private static func symbol(_ name: String) -> UnsafeMutableRawPointer? {
    dlsym(UnsafeMutableRawPointer(bitPattern: 0), name)
  }
}

extension CurlTransfer {
  /// Whether heads that nobody listened for can be had afterwards.
  static let keepsHeads = CurlQuestions.loaded != nil
}

/// The head of the answer that one of Foundation's classes is receiving. Dear to find, so to be asked for where a
/// transfer is slow or ends early. To be called on the task's work queue.
enum TransferResponse {
  private static let state = BuiltInClass.http.flatMap { StoredField("internalState", in: $0) }

  /// nil where no head has come as a whole, or it is not known.
  static func response(of loading: URLProtocol) -> HTTPURLResponse? {
    guard let owner = BuiltInClass.http, type(of: loading) == owner, let state else { return nil }
    let payload = Mirror(reflecting: state.value(in: loading)).children.first
    guard payload?.label == "transferInProgress" || payload?.label == "transferReady",
      let transfer = payload?.value,
      let response = Mirror(reflecting: transfer).children.first(where: { $0.label == "response" })?.value
    else { return nil }
    return Mirror(reflecting: response).children.first?.value as? HTTPURLResponse
  }

  /// Whether a transfer has ended, and with which answer, while the class decides what becomes of it; nil where that is
  /// not known.
  static func completed(of loading: URLProtocol) -> (hasEnded: Bool, response: HTTPURLResponse?)? {
    guard let owner = BuiltInClass.http, type(of: loading) == owner, let state else { return nil }
    let payload = Mirror(reflecting: state.value(in: loading)).children.first
    guard let payload, payload.label == "transferCompleted" else { return (false, nil) }
    let response = Mirror(reflecting: payload.value).children.first { $0.label == "response" }?.value
    return (true, response as? HTTPURLResponse)
  }
}
