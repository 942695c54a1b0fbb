import Foundation

/// Files and folders that a path that is being typed may mean.
enum PathCompletion {
  /// The whole paths, as they would be typed on, folders with a slash behind them. Archives and folders only, unless
  /// there is neither; hidden ones only where their dot was typed.
  static func candidates(for text: String) -> [String] {
    let head = text.lastIndex(of: "/").map { String(text[...$0]) } ?? ""
    let begun = text.dropFirst(head.count)
    let folder = head.isEmpty ? FileManager.default.currentDirectoryPath : AbsolutePath.of(head)
    let names = ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).filter {
      $0.hasPrefix(begun) && ($0.hasPrefix(".") == false || begun.hasPrefix("."))
    }
    let all = names.sorted().prefix(1_000).map { name -> (path: String, fits: Bool) in
      var isFolder: ObjCBool = false
      _ = FileManager.default.fileExists(atPath: folder + "/" + name, isDirectory: &isFolder)
      return (head + name + (isFolder.boolValue ? "/" : ""), isFolder.boolValue || name.lowercased().hasSuffix(".har"))
    }
    let fitting = all.filter(\.fits)
    return (fitting.isEmpty ? all : fitting).map(\.path)
  }
}
