import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

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
}
