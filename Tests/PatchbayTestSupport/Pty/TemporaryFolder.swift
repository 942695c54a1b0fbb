import Foundation

/// A folder of its own for one test, removed when this goes. Its path is short enough for sockets.
public final class TemporaryFolder: Sendable {
  public let url: URL
  public var path: String { url.path }

  public init() throws {
    var template = Array("/tmp/pb-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    url = URL(fileURLWithPath: String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self))
  }

  /// A path in the folder.
  public func file(_ name: String) -> String {
    url.appendingPathComponent(name).path
  }

  /// Writes a file into the folder and returns its path.
  @discardableResult
  public func write(_ text: String, to name: String) throws -> String {
    try Data(text.utf8).write(to: url.appendingPathComponent(name))
    return file(name)
  }

  deinit {
    try? FileManager.default.removeItem(at: url)
  }
}
