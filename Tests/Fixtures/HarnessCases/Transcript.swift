import Foundation
import Synchronization

/// What a program saw, line by line, without what differs from run to run.
public final class Transcript: Sendable {
  private struct State {
    var lines: [String] = []
    /// Bytes of the last line if it tells of bytes, so that pieces that follow each other become one line.
    var run: (what: String, hash: FNV, count: Int)?
  }

  private let state = Mutex(State())
  private let host: String
  /// Stands in URLs that the server must not have seen before; written as `TOKEN`.
  let token = UUID().uuidString

  /// - Parameter host: The server's `HOST:PORT`, written as `SERVER`.
  public init(host: String) {
    self.host = host
  }

  public func note(_ line: String) {
    let plain = line.replacingOccurrences(of: host, with: "SERVER").replacingOccurrences(of: token, with: "TOKEN")
    state.withLock { state in
      Self.close(&state)
      state.lines.append(plain)
    }
  }

  /// Bytes of one kind; those that follow each other are told as one, since a network may cut them anywhere.
  func bytes(_ what: String, _ data: some Sequence<UInt8>) {
    state.withLock { state in
      if state.run?.what != what {
        Self.close(&state)
        state.run = (what, FNV(), 0)
      }
      guard var run = state.run else { return }
      for byte in data {
        run.hash.add(byte)
        run.count += 1
      }
      state.run = run
    }
  }

  private static func close(_ state: inout State) {
    guard let run = state.run else { return }
    state.lines.append("\(run.what) \(run.count) \(String(run.hash.value, radix: 16))")
    state.run = nil
  }

  public var lines: [String] {
    state.withLock { state in
      Self.close(&state)
      return state.lines
    }
  }
}

/// FNV-1a, 64 bits.
struct FNV {
  private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

  mutating func add(_ byte: UInt8) { value = (value ^ UInt64(byte)) &* 0x100_0000_01b3 }
}

func bodyHash(_ bytes: some Sequence<UInt8>) -> String {
  var fnv = FNV()
  for byte in bytes { fnv.add(byte) }
  return String(fnv.value, radix: 16)
}
