import Foundation
import PatchbayStubs
import PatchbaySystem

/// Bodies that lie in files beside what is imported.
struct ImportedBodies {
  /// The folder in which the stub file will lie; nil where that is not known.
  private let base: String?
  private var written = 0

  /// Larger ones stay files; smaller ones are better read where they are used.
  private static let large = 64 << 10
  /// As many bytes in all are written into the stub file.
  private static let room = 4 << 20

  init(output: String?) {
    base = output.flatMap { Path.resolved(Path.folder(of: $0)) }
  }

  /// What comes of a file of the folder.
  enum Found {
    /// To be written into the stub.
    case text(String)
    case bytes(Data)
    /// Where it lies, as the stub file says it.
    case file(String)
  }

  /// - Throws: a clause that says why not.
  mutating func body(_ name: String, in folder: String) throws(StubError) -> Found {
    guard let root = Path.resolved(folder), let path = Path.resolved(Path.join(folder, name)) else {
      throw StubError("the file `\(name.shortened(to: 80))` is not in `__files`")
    }
    guard path.hasPrefix(root + "/") else {
      throw StubError("the file `\(name.shortened(to: 80))` lies outside `__files` and is not read")
    }
    let data: Data
    do throws(FilesError) {
      data = try TextFile.bytes(path, limit: BodyFile.limit)
    } catch {
      throw StubError("the file `\(name.shortened(to: 80))` \(error.mistakes.first?.message ?? "cannot be read")")
    }
    let text = String(data: data, encoding: .utf8).flatMap { $0.unicodeScalars.contains("\0") ? nil : $0 }
    guard data.count <= Self.large, written + data.count <= Self.room else {
      return .file(reference(path))
    }
    written += data.count
    return text.map { .text($0) } ?? .bytes(data)
  }

  /// Where files lie whose name is made for each request, as the stub file says it; nil where the folder is not there.
  func place(_ template: String, in folder: String) -> String? {
    guard let root = Path.resolved(folder) else { return nil }
    return reference(root) + "/" + template.drop { $0 == "/" }
  }

  /// Relative where the file lies below the stub file's folder, so that both can be moved together.
  private func reference(_ path: String) -> String {
    guard let base, path.hasPrefix(base + "/") else { return path }
    return String(path.dropFirst(base.count + 1))
  }
}
