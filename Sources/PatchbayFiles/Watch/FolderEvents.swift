import Dispatch
import Foundation

#if os(Linux)
  /// Changes of the files in folders, from inotify.
  final class FolderEvents: @unchecked Sendable {
    // Set once in `init`; a dispatch source guards itself, and only `resume` and `cancel` are called on it.
    private let source: any DispatchSourceRead

    /// The handler gets the folder and the file's name (nil when anything may have changed), on the queue.
    ///
    /// - Parameter selves: folders of which it matters that they go or are moved, whatever is in them.
    init(
      _ folders: [String], selves: [String], queue: DispatchQueue,
      handler: @escaping @Sendable (String, String?) -> Void
    ) throws(FilesError) {
      let descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
      guard descriptor >= 0 else {
        throw FilesError(path: folders.first ?? "", "cannot be watched: \(TextFile.reason(errno))")
      }
      let entries = UInt32(IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_CREATE | IN_DELETE)
      let own = UInt32(IN_DELETE_SELF | IN_MOVE_SELF)
      var names: [Int32: String] = [:]
      // One that may not be read cannot be listened to; what lies below may be.
      for folder in selves {
        let watch = inotify_add_watch(descriptor, folder, own)
        if watch >= 0 { names[watch] = folder }
      }
      for folder in folders {
        let mask = entries | (selves.contains(folder) ? own : 0)
        let watch = inotify_add_watch(descriptor, folder, mask)
        guard watch >= 0 else {
          let reason = TextFile.reason(errno)
          close(descriptor)
          throw FilesError(path: folder, "this folder cannot be watched: \(reason)")
        }
        names[watch] = folder
      }
      source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
      source.setEventHandler { [names] in Self.read(descriptor, names, handler) }
      source.setCancelHandler { close(descriptor) }
    }

    func resume() { source.resume() }

    func cancel() { source.cancel() }

    /// inotify(7): watch, mask, cookie, the length of the name, then the name filled up with zeros.
    private static func read(
      _ descriptor: Int32, _ names: [Int32: String], _ handler: (String, String?) -> Void
    ) {
      var buffer = [UInt8](repeating: 0, count: 16 << 10)
      while true {
        let count = Glibc.read(descriptor, &buffer, buffer.count)
        guard count > 0 else { return }
        buffer.withUnsafeBytes { bytes in
          var at = 0
          while at + 16 <= count {
            let watch = bytes.loadUnaligned(fromByteOffset: at, as: Int32.self)
            let mask = bytes.loadUnaligned(fromByteOffset: at + 4, as: UInt32.self)
            let length = Int(bytes.loadUnaligned(fromByteOffset: at + 12, as: UInt32.self))
            let name = bytes[(at + 16)..<min(at + 16 + length, count)].prefix { $0 != 0 }
            at += 16 + length
            if mask & UInt32(IN_Q_OVERFLOW) != 0 {
              for folder in names.values { handler(folder, nil) }
            } else if let folder = names[watch] {
              handler(folder, name.isEmpty ? nil : String(decoding: name, as: UTF8.self))
            }
          }
        }
      }
    }
  }
#else
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
