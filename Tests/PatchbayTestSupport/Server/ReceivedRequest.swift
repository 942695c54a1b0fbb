import Foundation

/// One request as the loopback server read it off the wire.
public struct ReceivedRequest: Sendable {
  public var method: String
  /// Path and query, as sent.
  public var target: String
  /// Names and values in the order in which they came.
  public var headers: [(name: String, value: String)]
  /// The decoded body's first 64 KiB; ``bodyLength`` and ``bodyHash`` cover all of it.
  public var bodyStart: [UInt8] = []
  public var bodyLength = 0
  public var bodyHash = FNVHash()
  /// Counts the server's connections from 1, so that reuse of a connection can be seen.
  public var connection: Int

  public var path: String { String(target.prefix { $0 != "?" }) }

  /// The query's items, percent-decoded; a later one wins.
  public var query: [String: String] {
    guard let items = URLComponents(string: target)?.queryItems else { return [:] }
    return Dictionary(items.map { ($0.name, $0.value ?? "") }, uniquingKeysWith: { $1 })
  }

  /// The first value of a header, its name compared without regard to case.
  public func header(_ name: String) -> String? {
    headers.first { $0.name.lowercased() == name.lowercased() }?.value
  }
}

/// The 64-bit FNV-1a hash: lets two processes compare bodies without a library.
public struct FNVHash: Sendable, Equatable, CustomStringConvertible {
  public private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

  public init() {}

  public init(_ bytes: some Sequence<UInt8>) { update(bytes) }

  public mutating func update(_ bytes: some Sequence<UInt8>) {
    var hash = value
    for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    value = hash
  }

  public var description: String { String(value, radix: 16) }
}
