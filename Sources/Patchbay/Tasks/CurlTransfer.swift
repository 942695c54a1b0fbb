import Foundation
import PatchbayStubs
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What libcurl knows of the transfer that one of Foundation's classes makes. To be asked on the task's work queue.
struct CurlTransfer {
  private let handle: UnsafeMutableRawPointer

  /// nil where the class does not use libcurl, or is not as expected.
  init?(of loading: URLProtocol) {
    guard let owner = Self.owner, type(of: loading) == owner, let easy = Self.easyHandle?.object(in: loading),
      let field = Self.rawHandle(of: easy),
      let handle = field.address(in: easy).load(as: UnsafeMutableRawPointer?.self)
    else { return nil }
    self.handle = handle
  }

  /// Microseconds from the first byte of the answer to the end of the transfer; nil while it has not ended.
  var sinceFirstByte: Int64? {
    guard let ask = CurlQuestions.loaded, let total = ask.seconds(ask.total, handle),
      let first = ask.seconds(ask.firstByte, handle), first > 0, total >= first
    else { return nil }
    return Int64((total - first) * 1e6)
  }

  private static let word = MemoryLayout<UnsafeRawPointer>.size
  private static let owner: AnyClass? = URLSessionConfiguration.ephemeral.protocolClasses?.first
  private static let easyHandle = owner.flatMap { StoredField("easyHandle", in: $0, size: word) }
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

/// Foundation's own way of asking libcurl, and the numbers of what is asked for.
private struct CurlQuestions: Sendable {
  typealias Ask = @convention(c) (UnsafeMutableRawPointer, CInt, UnsafeMutablePointer<Double>) -> CInt

  let ask: Ask
  let total: CInt
  let firstByte: CInt

  /// nil where it went wrong, or the answer is not known.
  func seconds(_ question: CInt, _ handle: UnsafeMutableRawPointer) -> Double? {
    var seconds = 0.0
    return ask(handle, question, &seconds) == 0 ? seconds : nil
  }

  static let loaded: CurlQuestions? = {
    guard let function = symbol("CFURLSession_easy_getinfo_double"),
      let total = symbol("CFURLSessionInfoTOTAL_TIME"),
      let firstByte = symbol("CFURLSessionInfoSTARTTRANSFER_TIME")
    else { return nil }
    return CurlQuestions(
      ask: unsafeBitCast(function, to: Ask.self), total: total.load(as: CInt.self),
      firstByte: firstByte.load(as: CInt.self))
  }()

  private static func symbol(_ name: String) -> UnsafeMutableRawPointer? {
    dlsym(UnsafeMutableRawPointer(bitPattern: 0), name)
  }
}
