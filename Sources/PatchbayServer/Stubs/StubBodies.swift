import Foundation
import PatchbayStubs

/// Reads the stub bodies that lie in files, so that a hook gets bytes: a harness never reads a file of the console's.
struct StubBodies: Sendable {
  /// Larger files are refused.
  static let fileLimit = 64 << 20

  fileprivate struct Version: Equatable {
    var size: Int
    var seconds: Int
    var nanoseconds: Int
  }

  private var known: [String: (version: Version, data: Data)] = [:]
  private var used: Set<String> = []

  /// The stub with its files read, which are relative to the folder of that stub file.
  static func read(_ stub: Stub, of file: String) throws(ServerError) -> Stub {
    var bodies = StubBodies()
    var stub = stub
    stub.then = try bodies.resolve(stub.then, base: StubBoard.Entry(stub: stub, origin: .file(file)).folder)
    return stub
  }

  /// The stubs with their files read. One whose file cannot be read fails its requests with the reason.
  mutating func read(_ entries: [StubBoard.Entry]) -> (stubs: [Stub], problems: [String]) {
    var problems: [String] = []
    used = []
    let stubs = entries.map { entry in
      var stub = entry.stub
      do throws(ServerError) {
        stub.then = try resolve(stub.then, base: entry.folder)
      } catch {
        let problem = "The stub “\(stub.name)” cannot answer: \(error.description)"
        problems.append(problem)
        stub.then = .fail(Fault(.custom(domain: "Patchbay", code: 1, message: problem)))
      }
      return stub
    }
    known = known.filter { used.contains($0.key) }
    return (stubs, problems)
  }

  private mutating func resolve(_ action: Action, base: String) throws(ServerError) -> Action {
    var found: [String: Data] = [:]
    for path in action.bodyFiles { found[path] = try contents(path.hasPrefix("/") ? path : "\(base)/\(path)") }
    return found.isEmpty ? action : action.withFiles(found)
  }

  private mutating func contents(_ path: String) throws(ServerError) -> Data {
    var facts = stat()
    guard stat(path, &facts) == 0 else { throw unreadable(path, systemReason(errno)) }
    guard facts.st_mode & S_IFMT == S_IFREG else { throw unreadable(path, "it is not a file") }
    guard facts.st_size <= Self.fileLimit else { throw unreadable(path, "it is larger than 64 MiB") }
    used.insert(path)
    let version = Version(facts)
    if let kept = known[path], kept.version == version { return kept.data }
    do {
      let data = try Data(contentsOf: URL(fileURLWithPath: path))
      known[path] = (version, data)
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
  fileprivate init(_ facts: stat) {
    size = Int(facts.st_size)
    #if canImport(Darwin)
      let time = facts.st_mtimespec
    #else
      let time = facts.st_mtim
    #endif
    seconds = Int(time.tv_sec)
    nanoseconds = Int(time.tv_nsec)
  }
}

extension StubBoard.Entry {
  /// What relative paths in the stub start from.
  fileprivate var folder: String {
    guard case .file(let path) = origin else { return FileManager.default.currentDirectoryPath }
    let folder = (path as NSString).deletingLastPathComponent
    return folder.isEmpty ? "." : folder
  }
}
