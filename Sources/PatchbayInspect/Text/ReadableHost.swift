import PatchbayStubs

/// International host names as people write them (RFC 5890).
enum ReadableHost {
  /// The host with its `xn--` labels in their own script, or nil where it has none that can be read.
  static func text(_ host: Bytes) -> String? {
    guard host.count > 4, ByteSearch("xn--", isCaseSensitive: false).find(in: host) != nil else { return nil }
    let ascii = String(decoding: host, as: UTF8.self).lowercased()
    let readable = HostName.unicode(ascii)
    return readable == ascii ? nil : readable
  }
}
