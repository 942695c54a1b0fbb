import Dispatch
import Foundation

#if !os(Linux)
  /// Changes of the files in folders, from the kernel's events for them: of the folder for files that are replaced, of
  /// each file for those that are written in place.
  final class FolderEvents: @unchecked Sendable {
    // Guarded by `queue`: sources are made and replaced on it only, but for `init`, before which nobody else has it.
    private var folderSources: [any DispatchSourceFileSystemObject] = []
    private var fileSources: [any DispatchSourceFileSystemObject] = []
    private let queue: DispatchQueue
    private let folders: [String]
    private let handler: @Sendable (String, String?) -> Void

    init(
      _ folders: [String], selves: [String], queue: DispatchQueue,
      handler: @escaping @Sendable (String, String?) -> Void
    ) throws(FilesError) {
      self.queue = queue
      self.folders = folders
      self.handler = handler
      for folder in folders {
        let descriptor = open(folder, O_EVTONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
          throw FilesError(path: folder, "this folder cannot be watched: \(TextFile.reason(errno))")
        }
        let source = DispatchSource.makeFileSystemObjectSource(
          fileDescriptor: descriptor, eventMask: [.write, .delete, .rename], queue: queue)
        source.setEventHandler { [weak self] in
          self?.watchFiles()
          handler(folder, nil)
        }
        source.setCancelHandler { close(descriptor) }
        folderSources.append(source)
      }
      for folder in selves where !folders.contains(folder) {
        let descriptor = open(folder, O_EVTONLY | O_CLOEXEC)
        guard descriptor >= 0 else { continue }
        let source = DispatchSource.makeFileSystemObjectSource(
          fileDescriptor: descriptor, eventMask: [.delete, .rename], queue: queue)
        source.setEventHandler { handler(folder, nil) }
        source.setCancelHandler { close(descriptor) }
        folderSources.append(source)
      }
    }

    func resume() {
      for source in folderSources { source.resume() }
      queue.async { self.watchFiles() }
    }

    func cancel() {
      queue.async {
        for source in self.folderSources + self.fileSources { source.cancel() }
        self.folderSources = []
        self.fileSources = []
      }
    }

    private func watchFiles() {
      for source in fileSources { source.cancel() }
      fileSources = []
      for folder in folders {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder))?.prefix(200) ?? [] {
          let descriptor = open(folder + "/" + name, O_EVTONLY | O_CLOEXEC)
          guard descriptor >= 0 else { continue }
          let source = DispatchSource.makeFileSystemObjectSource(
            fileDescriptor: descriptor, eventMask: [.write, .extend], queue: queue)
          source.setEventHandler { [handler] in handler(folder, name) }
          source.setCancelHandler { close(descriptor) }
          source.resume()
          fileSources.append(source)
        }
      }
    }
  }
#endif
