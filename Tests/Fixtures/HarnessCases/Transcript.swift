import Foundation
import Synchronization

/// What a program saw, line by line, without what differs from run to run.
public final class Transcript: Sendable {
  private struct State {
    var lines: [String] = []
    /// Bytes of the last line if it tells of bytes, so that pieces that follow each other become one line.
    var run: (what: String, digest: ServerlessDigest, count: Int)?
  }

  private let state = Mutex(State())
  private let host: String
  /// With its colon: the host may be spelled otherwise.
  private let port: String
  /// Stands in URLs that the server must not have seen before; written as `TOKEN`.
  let token = UUID().uuidString

  /// - Parameter host: The server's `HOST:PORT`, written as `SERVER`.
  public init(host: String) {
    self.host = host
    port = host.lastIndex(of: ":").map { String(host[$0...]) } ?? host
  }

  public func note(_ line: String) {
    let plain = line.replacingOccurrences(of: host, with: "SERVER").replacingOccurrences(of: port, with: ":PORT")
      .replacingOccurrences(of: token, with: "TOKEN")
    state.withLock { state in
      Self.close(&state)
      state.lines.append(plain)
    }
  }

  /// Bytes of one kind; those that follow each other are told as one, since a network may cut them anywhere.
  func bytes(_ what: String, _ data: Data) {
    state.withLock { state in
      if state.run?.what != what {
        Self.close(&state)
        state.run = (what, ServerlessDigest(host: host), 0)
      }
      guard var run = state.run else { return }
      let bytes = Array(data)
      run.digest.add(bytes)
      run.count += bytes.count
      state.run = run
    }
  }

  /// Of bytes that are all there.
  func digest(of bytes: some Sequence<UInt8>) -> String {
    var digest = ServerlessDigest(host: host)
    digest.add(bytes)
    return String(digest.end(), radix: 16)
  }

  private static func close(_ state: inout State) {
    guard var run = state.run else { return }
    state.lines.append("\(run.what) \(run.count) \(String(run.digest.end(), radix: 16))")
    state.run = nil
  }

  public var lines: [String] {
    state.withLock { state in
      Self.close(&state)
      return state.lines
    }
  }
}

/// A digest of bytes that come in pieces, however they are cut, in which the server's `HOST:PORT` counts as `SERVER`.
private struct ServerlessDigest {
  private let host: [UInt8]
  /// What may be the beginning of the host, and is not told yet.
  private var rest: [UInt8] = []
  private var digest = WordDigest()

  init(host: String) { self.host = Array(host.utf8) }

  mutating func add(_ bytes: some Sequence<UInt8>) {
    rest.append(contentsOf: bytes)
    tell(keeping: host.count - 1)
  }

  mutating func end() -> UInt64 {
    tell(keeping: 0)
    return digest.end()
  }

  private mutating func tell(keeping kept: Int) {
    let told = rest.withUnsafeBytes { bytes in
      var at = 0
      while let place = Self.find(host, in: bytes, from: at) {
        digest.add(UnsafeRawBufferPointer(rebasing: bytes[at..<place]))
        Array("SERVER".utf8).withUnsafeBytes { digest.add($0) }
        at = place + host.count
      }
      let end = max(at, bytes.count - kept)
      digest.add(UnsafeRawBufferPointer(rebasing: bytes[at..<end]))
      return end
    }
    rest.removeFirst(told)
  }

  private static func find(_ text: [UInt8], in bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
    guard let base = bytes.baseAddress, let first = text.first else { return nil }
    var at = start
    while at + text.count <= bytes.count,
      let found = memchr(base + at, Int32(first), bytes.count - text.count + 1 - at)
    {
      if memcmp(found, text, text.count) == 0 { return UnsafeRawPointer(found) - base }
      at = UnsafeRawPointer(found) - base + 1
    }
    return nil
  }
}

/// FNV-1a over words of eight bytes: a build for debugging takes a second for some megabytes one by one.
private struct WordDigest {
  private var value: UInt64 = 0xcbf2_9ce4_8422_2325
  private var tail: UInt64 = 0
  private var tailCount: UInt64 = 0

  private mutating func mix(_ word: UInt64) {
    value = (value ^ word) &* 0x100_0000_01b3
    value ^= value >> 32
  }

  private mutating func push(_ byte: UInt8) {
    tail |= UInt64(byte) << (8 * tailCount)
    tailCount += 1
    guard tailCount == 8 else { return }
    mix(tail)
    (tail, tailCount) = (0, 0)
  }

  mutating func add(_ bytes: UnsafeRawBufferPointer) {
    var at = 0
    while tailCount > 0, at < bytes.count {
      push(bytes[at])
      at += 1
    }
    while at + 8 <= bytes.count {
      mix(bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self))
      at += 8
    }
    while at < bytes.count {
      push(bytes[at])
      at += 1
    }
  }

  mutating func end() -> UInt64 {
    mix(tail | tailCount << 56)
    return value
  }
}
