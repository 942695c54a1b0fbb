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
    switch action {
    case .respond(let response):
      return .respond(try resolve(response, base: base))
    case .fail(var fault):
      if let partial = fault.after?.response { fault.after?.response = try resolve(partial, base: base) }
      return .fail(fault)
    case .sequence(let steps, let afterwards):
      var resolved: [Action] = []
      for step in steps { resolved.append(try resolve(step, base: base)) }
      return .sequence(resolved, afterwards: afterwards)
    case .pass, .hold:
      return action
    }
  }

  private mutating func resolve(_ response: CannedResponse, base: String) throws(ServerError) -> CannedResponse {
    guard case .file(let path) = response.body else { return response }
    var response = response
    response.body = .data(try contents(path.hasPrefix("/") ? path : "\(base)/\(path)"))
    if response.headers.first(named: "Content-Type") == nil {
      response.headers.append(HeaderField("Content-Type", MediaType.guess(path: path)))
    }
    return response
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

/// Media types by file name.
enum MediaType {
  private static let known = [
    "json": "application/json", "txt": "text/plain; charset=utf-8", "html": "text/html; charset=utf-8",
    "htm": "text/html; charset=utf-8", "xml": "application/xml", "css": "text/css; charset=utf-8",
    "csv": "text/csv; charset=utf-8", "js": "text/javascript; charset=utf-8", "png": "image/png",
    "jpg": "image/jpeg", "jpeg": "image/jpeg", "gif": "image/gif", "webp": "image/webp", "svg": "image/svg+xml",
    "pdf": "application/pdf", "ndjson": "application/x-ndjson", "yaml": "application/yaml", "yml": "application/yaml",
    "mp3": "audio/mpeg", "mp4": "video/mp4", "zip": "application/zip", "gz": "application/gzip",
  ]

  static func guess(path: String) -> String {
    known[(path as NSString).pathExtension.lowercased()] ?? "application/octet-stream"
  }
}
