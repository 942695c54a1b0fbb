/// Globs that no request can have, by what is said in their place: `v1` as a path, `/x` as a URL. It says nothing where
/// it is not certain.
package enum PatternDoubt {
  /// The keys of `when` that are looked at.
  package static let keys = ["url", "scheme", "host", "path"]

  /// Why a glob can fit nothing in the place of that key, and what was probably meant; nil where it may fit.
  package static func sentence(_ glob: String, in key: String) -> String? {
    let quoted = RequestCondition.quoted(glob)
    // What stands before the first `*` is how it has to begin.
    let start = glob.prefix { $0 != "*" }.lowercased()
    switch key {
    case "path" where !start.isEmpty && !start.hasPrefix("/"):
      return "no path is \(quoted): a path begins with `/`, or with `*` for what may stand before"
    case "path" where glob.contains("?"):
      return "no path is \(quoted): what follows the `?` is said with `query`"
    case "url" where !["http://", "https://"].contains { $0.hasPrefix(start) || start.hasPrefix($0) }:
      return
        "no URL is \(quoted): a URL begins with its scheme, or write `*` for what stands before; a path alone is `path`"
    case "host" where glob.contains("/"):
      return "no host is \(quoted): scheme and path have keys of their own"
    case "host" where !glob.hasPrefix("[") && glob.count { $0 == ":" } == 1:
      return "no host is \(quoted): the port has a key of its own, `port`"
    case "scheme":
      let matcher = TextMatcher(.glob(glob), for: .scheme)
      if ["http", "https"].contains(where: { matcher.test($0) != .fitsNot }) { return nil }
      return "no scheme is \(quoted): only requests of http and https are seen"
    default: return nil
    }
  }
}
