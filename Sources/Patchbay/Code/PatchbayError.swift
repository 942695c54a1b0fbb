import Foundation

/// What the library itself makes a request fail with.
public enum PatchbayError: Error, Hashable, Sendable, CustomStringConvertible, LocalizedError {
  /// In strict mode: no stub takes the request.
  case unstubbed(method: String, url: String)

  public var description: String {
    switch self {
    case .unstubbed(let method, let url):
      "No stub takes \(method) \(url), and strict mode lets nothing through: add a stub, or set Patchbay.isStrict to false."
    }
  }

  public var errorDescription: String? { description }
}
