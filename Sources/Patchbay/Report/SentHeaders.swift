import Foundation
import PatchbayStubs

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The header lines that Foundation and libcurl add to a request on its way out, which nobody hands to the hook: worked
/// out from what they are made of. Where a value cannot be known the line is left out.
enum SentHeaders {
  /// - Parameter headers: The request's and the session's; whatever they name stays as they have it.
  static func added(to headers: [HeaderField], of request: URLRequest, body: RequestBody) -> [HeaderField] {
    #if os(Linux)
      let names = Set(headers.map { $0.name.lowercased() })
      var all = headers
      all.reserveCapacity(headers.count + fixed.count + 4)
      func add(_ field: HeaderField?) {
        guard let field, names.isEmpty || !names.contains(field.name.lowercased()) else { return }
        all.append(field)
      }
      for field in fixed { add(field) }
      add(host(of: request.url))
      add(password(in: request.url))
      for field in describing(body, of: request, names) { add(field) }
      all.sort { $0.name < $1.name }
      return all
    #else
      return headers
    #endif
  }

  #if os(Linux)
    /// What each request of the process gets.
    private static let fixed: [HeaderField] = {
      let curl = Curl.loaded
      var fields = [HeaderField("Accept", "*/*"), HeaderField("Connection", "keep-alive")]
      if let language = Locale.current.language.languageCode?.identifier {
        fields.append(HeaderField("Accept-Language", language))
      }
      if let curl {
        if !curl.encodings.isEmpty { fields.append(HeaderField("Accept-Encoding", curl.encodings)) }
        let name = ProcessInfo.processInfo.processName
        fields.append(HeaderField("User-Agent", "\(name) (unknown version) curl/\(curl.version)"))
      }
      return fields
    }()

    private static func host(of url: URL?) -> HeaderField? {
      guard let url, let host = url.host, !host.isEmpty else { return nil }
      let name = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
      let usual = url.scheme?.lowercased() == "https" ? 443 : 80
      guard let port = url.port, port != usual else { return HeaderField("Host", name) }
      return HeaderField("Host", "\(name):\(port)")
    }

    /// What a URL says before its `@` goes out as Basic credentials (RFC 7617).
    private static func password(in url: URL?) -> HeaderField? {
      guard let url, let user = url.user(percentEncoded: false) else { return nil }
      let pair = Data("\(user):\(url.password(percentEncoded: false) ?? "")".utf8)
      return HeaderField("Authorization", "Basic \(pair.base64EncodedString())")
    }

    private static func describing(_ body: RequestBody, of request: URLRequest, _ names: Set<String>) -> [HeaderField] {
      let method = request.httpMethod ?? "GET"
      var fields: [HeaderField] = []
      var isForm = !(request.httpBody?.isEmpty ?? true)
      if case .stream = body {
        isForm = true
        fields.append(HeaderField("Transfer-Encoding", "chunked"))
        // Foundation keeps libcurl from asking first (RFC 9110 §10.1.1) where it knows that there is a body, which it
        // does not before the delegate has given one.
        if request.httpBodyStream == nil { fields.append(HeaderField("Expect", "100-continue")) }
      } else if !names.contains("transfer-encoding"), method != "GET", method != "HEAD" {
        fields.append(HeaderField("Content-Length", "\(body.length ?? 0)"))
      }
      if isForm, method == "POST" { fields.append(HeaderField("Content-Type", "application/x-www-form-urlencoded")) }
      return fields
    }
  #endif
}

#if os(Linux)
  /// The libcurl that Foundation has loaded.
  private struct Curl: Sendable {
    /// Such as `7.88.1`.
    let version: String
    /// What it decodes, as it says it.
    let encodings: String

    static let loaded: Curl? = {
      typealias VersionInfo = @convention(c) (CInt) -> UnsafeRawPointer?
      guard let symbol = dlsym(UnsafeMutableRawPointer(bitPattern: 0), "curl_version_info"),
        let info = unsafeBitCast(symbol, to: VersionInfo.self)(0),
        let text = info.load(fromByteOffset: 8, as: UnsafePointer<CChar>?.self)
      else { return nil }
      // The beginning of `curl_version_info_data` has been the same since its first version: age, version, version_num,
      // host, features.
      let features = info.load(fromByteOffset: 32, as: CInt.self)
      let known: [(bit: CInt, names: [String])] = [(3, ["deflate", "gzip"]), (23, ["br"]), (26, ["zstd"])]
      let names = known.filter { features & (1 << $0.bit) != 0 }.flatMap(\.names)
      return Curl(version: String(cString: text), encodings: names.joined(separator: ", "))
    }()
  }
#endif
