import Foundation

/// Which names say that their value is a secret.
enum SecretNames {
  /// Of query items, form fields, parts and JSON members; case and what is no letter or digit do not count, so that
  /// `user[password]` is one too.
  static func isSecret(_ name: String) -> Bool {
    let text = name.contains("%") ? name.removingPercentEncoding ?? name : name
    let plain = text.lowercased().filter { $0.isLetter || $0.isNumber }
    return names.contains(plain) || endings.contains { plain.hasSuffix($0) }
  }

  /// - Parameter name: of a header field, in small letters.
  static func isSecretHeader(_ name: String) -> Bool {
    headers.contains(name) || endings.contains { name.filter { $0 != "-" && $0 != "_" }.hasSuffix($0) }
  }

  private static let names: Set<String> = [
    "password", "passwd", "pwd", "pass", "passphrase", "secret", "token", "auth", "authorization", "apikey",
    "sig", "signature", "session", "sessionid", "sid", "jwt", "otp", "assertion", "credential",
    "credentials", "privatekey", "cvv", "cvc", "cardnumber", "xamzsignature", "xamzcredential", "xgoogsignature",
    "codeverifier",
  ]

  private static let endings = [
    "token", "secret", "password", "apikey", "accesskey", "secretkey", "privatekey", "sessionid", "passphrase",
  ]

  private static let headers: Set<String> = [
    "authorization", "proxy-authorization", "cookie", "set-cookie", "authentication", "x-auth", "x-session",
    "x-jwt-assertion", "x-amz-credential", "x-goog-iam-authorization-token", "www-authenticate-token",
    "x-functions-key", "ocp-apim-subscription-key", "x-csrf", "x-access-key", "private-token", "x-goog-api-key",
  ]
}
