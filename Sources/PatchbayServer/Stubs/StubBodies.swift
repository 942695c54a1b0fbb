import Foundation
import PatchbayStubs
import PatchbaySystem
import Synchronization

/// Reads the stub bodies that lie in files, so that a hook gets bytes: a harness reads no file of the console's but
/// those of which each request says the name (folders, and templates in `file`); these get whole paths here.
///
/// A file is read again when its size or time of change is another. Its own lock guards only what is known; nothing is
/// locked while a file is looked at or read, because that takes as long as the disk (or the network drive) takes.
final class StubBodies: Sendable {
  /// Larger files are refused.
  static let fileLimit = 64 << 20

  fileprivate struct Version: Equatable {
    var size: Int
    var seconds: Int
    var nanoseconds: Int
  }

  private let known = Mutex<[String: (version: Version, data: Data)]>([:])
  private let load: @Sendable (String) throws -> Data

  /// - Parameter load: reads a whole file; tests make it slow.
  init(load: @escaping @Sendable (String) throws -> Data = { try Data(contentsOf: URL(fileURLWithPath: $0)) }) {
    self.load = load
  }

  /// The stub with its files read; their paths are relative to the folder of that stub file.
  static func read(_ stub: Stub, of file: String) throws(ServerError) -> Stub {
    var used: Set<String> = []
    return try StubBodies().resolve(StubBoard.Entry(stub: stub, origin: .file(file)), used: &used)
  }

  /// The stubs with their files read. One whose file cannot be read fails its requests with the reason. Files that none
  /// of these stubs needs are forgotten.
  func read(_ entries: [StubBoard.Entry]) -> (stubs: [Stub], problems: [String]) {
    var problems: [String] = []
    var used: Set<String> = []
    let stubs = entries.map { entry in
      do throws(ServerError) {
        return try resolve(entry, used: &used)
      } catch {
        var stub = entry.stub
        let problem = "The stub “\(stub.name)” cannot answer: \(error.description)"
        problems.append(problem)
        stub.then = .fail(Fault(.custom(domain: "Patchbay", code: 1, message: problem)))
        return stub
      }
    }
    known.withLock { known in known = known.filter { used.contains($0.key) } }
    return (stubs, problems)
  }

  private func resolve(_ entry: StubBoard.Entry, used: inout Set<String>) throws(ServerError) -> Stub {
    var stub = entry.stub
    var found: [String: Data] = [:]
    for path in stub.then.bodyFiles {
      let absolute = path.hasPrefix("/") ? path : "\(entry.folder)/\(path)"
      found[path] = try contents(absolute)
      used.insert(absolute)
    }
    if !found.isEmpty { stub.then = stub.then.withFiles(found) }
    // What only a request can name is read by the process that makes it.
    stub.then = stub.then.withPaths(from: entry.folder)
    return stub
  }

  private func contents(_ path: String) throws(ServerError) -> Data {
    var status = stat()
    guard stat(path, &status) == 0 else { throw unreadable(path, systemReason(errno)) }
    guard status.st_mode & S_IFMT == S_IFREG else { throw unreadable(path, "it is not a file") }
    guard status.st_size <= Self.fileLimit else { throw unreadable(path, "it is larger than 64 MiB") }
    let version = Version(status)
    if let kept = known.withLock({ $0[path] }), kept.version == version { return kept.data }
    do {
      let data = try load(path)
      known.withLock { $0[path] = (version, data) }
      return data
    } catch {
      throw unreadable(path, "\((error as NSError).localizedDescription)")
    }
  }

  private func unreadable(_ path: String, _ reason: String) -> ServerError {
    .badRequest("its body file \(path) cannot be read (\(reason)): correct the path, or write the body into the stub.")
  }
}

extension StubBodies.Version {
  fileprivate init(_ status: stat) {
    size = Int(status.st_size)
    #if canImport(Darwin)
      let time = status.st_mtimespec
    #else
      let time = status.st_mtim
    #endif
    seconds = Int(time.tv_sec)
    nanoseconds = Int(time.tv_nsec)
  }
}

extension StubBoard.Entry {
  /// What relative paths in the stub start from.
  fileprivate var folder: String {
    guard case .file(let path) = origin else { return FileManager.default.currentDirectoryPath }
    return Path.folder(of: path)
  }
}
