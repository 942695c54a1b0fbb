/// The codes of `URLError` by their Swift names.
package enum URLErrorCode {
  /// The error domain that they belong to.
  package static let domain = "NSURLErrorDomain"

  /// All names and codes, as in Foundation on Linux and on macOS.
  package static let all: [(name: String, code: Int)] = [
    ("unknown", -1), ("backgroundSessionRequiresSharedContainer", -995),
    ("backgroundSessionInUseByAnotherProcess", -996), ("backgroundSessionWasDisconnected", -997),
    ("cancelled", -999), ("badURL", -1000), ("timedOut", -1001), ("unsupportedURL", -1002), ("cannotFindHost", -1003),
    ("cannotConnectToHost", -1004), ("networkConnectionLost", -1005), ("dnsLookupFailed", -1006),
    ("httpTooManyRedirects", -1007), ("resourceUnavailable", -1008), ("notConnectedToInternet", -1009),
    ("redirectToNonExistentLocation", -1010), ("badServerResponse", -1011), ("userCancelledAuthentication", -1012),
    ("userAuthenticationRequired", -1013), ("zeroByteResource", -1014), ("cannotDecodeRawData", -1015),
    ("cannotDecodeContentData", -1016), ("cannotParseResponse", -1017), ("internationalRoamingOff", -1018),
    ("callIsActive", -1019), ("dataNotAllowed", -1020), ("requestBodyStreamExhausted", -1021),
    ("appTransportSecurityRequiresSecureConnection", -1022), ("fileDoesNotExist", -1100), ("fileIsDirectory", -1101),
    ("noPermissionsToReadFile", -1102), ("dataLengthExceedsMaximum", -1103), ("secureConnectionFailed", -1200),
    ("serverCertificateHasBadDate", -1201), ("serverCertificateUntrusted", -1202),
    ("serverCertificateHasUnknownRoot", -1203), ("serverCertificateNotYetValid", -1204),
    ("clientCertificateRejected", -1205), ("clientCertificateRequired", -1206), ("cannotLoadFromNetwork", -2000),
    ("cannotCreateFile", -3000), ("cannotOpenFile", -3001), ("cannotCloseFile", -3002), ("cannotWriteToFile", -3003),
    ("cannotRemoveFile", -3004), ("cannotMoveFile", -3005), ("downloadDecodingFailedMidStream", -3006),
    ("downloadDecodingFailedToComplete", -3007),
  ]

  private static let codes = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0.code) })
  private static let names = Dictionary(uniqueKeysWithValues: all.map { ($0.code, $0.name) })

  package static func code(named name: String) -> Int? { codes[name] }
  package static func name(of code: Int) -> String? { names[code] }
}

extension Fault.Failure {
  /// The error that the program gets: its domain and code, the Swift name where it is a code of `URLError`, and the
  /// message where one was given. The name of a fault that answers instead of failing counts as `unknown`.
  package var resolved: (domain: String, code: Int, name: String?, message: String?) {
    switch self {
    case .custom(let domain, let code, let message):
      let name = domain == URLErrorCode.domain ? URLErrorCode.name(of: code) : nil
      return (domain, code, name, message)
    case .named(let name):
      if let code = URLErrorCode.code(named: name) { return (URLErrorCode.domain, code, name, nil) }
      if case .fail(let fault)? = FaultPreset[name]?.action, fault.error != self { return fault.error.resolved }
      return (URLErrorCode.domain, -1, "unknown", nil)
    }
  }
}
