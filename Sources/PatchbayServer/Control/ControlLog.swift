import PatchbayStubs

/// The exchanges that end at a console, line by line, over a client that lives as long. While it is not read, the
/// connection is not read either beyond some lines, and the console sheds and counts what does not fit. One task may
/// read it.
public struct ControlLog: AsyncSequence, Sendable {
  public enum Line: Hashable, Sendable {
    /// An exchange that has ended, as the console writes it.
    case exchange(JSONValue)
    /// So many were left out because this controller was slow to read.
    case shed(Int)
  }

  let buffer: LogBuffer
  let client: ControlClient

  public struct AsyncIterator: AsyncIteratorProtocol {
    fileprivate let log: ControlLog

    /// The next line; throws `ServerError.controlLost` when the console goes, and ends when the task is cancelled.
    public mutating func next() async throws -> Line? { try await log.buffer.next() }
  }

  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(log: self) }
}
