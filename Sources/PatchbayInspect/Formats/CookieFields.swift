/// The values of `Cookie` and `Set-Cookie` fields (RFC 6265).
enum CookieFields {
  /// The cookies of a `Set-Cookie` field, with their attributes. Foundation joins several fields of a name to one, with
  /// commas between them, and dates have commas, too: a cookie begins where a name and `=` follow.
  static func set(_ value: String) -> [Substring] {
    var cookies: [Substring] = []
    var start = value.startIndex
    var index = start
    while let comma = value[index...].firstIndex(of: ",") {
      index = value.index(after: comma)
      let name = value[index...].drop { $0 == " " || $0 == "\t" }.prefix { !" \t;,=".contains($0) }
      guard !name.isEmpty, name.endIndex < value.endIndex, value[name.endIndex] == "=" else { continue }
      cookies.append(value[start..<comma])
      start = index
    }
    return cookies + [value[start...]]
  }
}
