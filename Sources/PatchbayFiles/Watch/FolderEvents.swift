import Dispatch
import Foundation
import PatchbaySystem

#if os(Linux)
  /// Changes of the files in folders, from inotify, read by a thread that sleeps until there are some.
  ///
  /// Not a dispatch source: on Linux those are used after they were freed when several are torn down at once.
  final class FolderEvents: Sendable {
    private let descriptors: Descriptors
    private let onChange: @Sendable () -> Void
    /// In milliseconds, after each burst: a file that is written without end is not to keep the thread awake.
    private let pause: Int32

    /// Closed when neither the watch nor its thread needs them any more.
    private final class Descriptors: Sendable {
      let inotify: Int32
      /// A pair of sockets that ends the thread: what is written to one wakes it at the other.
      let stop: Int32
      let stopping: Int32

      init?(inotify: Int32) {
        var ends: [Int32] = [-1, -1]
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let isPaired = socketpair(AF_UNIX, type, 0, &ends) == 0
        self.inotify = inotify
        (stop, stopping) = (ends[0], ends[1])
        if !isPaired { return nil }
      }

      deinit {
        for descriptor in [inotify, stop, stopping] where descriptor >= 0 { close(descriptor) }
      }
    }

    /// nil where the system has no more of them to give, or one of the folders cannot be listened to. The handler gets
    /// the folder and the file's name (nil when anything may have changed), on the queue.
    ///
    /// - Parameters:
    ///   - selves: folders of which it matters that they go or are moved, whatever is in them.
    ///   - everyWrite: also what is written to a file that stays open.
    init?(
      _ folders: [String], selves: [String], everyWrite: Bool, queue: DispatchQueue,
      handler: @escaping @Sendable (String, String?) -> Void
    ) {
      let descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
      guard descriptor >= 0, let descriptors = Descriptors(inotify: descriptor) else { return nil }
      self.descriptors = descriptors
      let entries =
        UInt32(IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_CREATE | IN_DELETE)
        | (everyWrite ? UInt32(IN_MODIFY) : 0)
      pause = everyWrite ? 50 : 0
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
        guard watch >= 0 else { return nil }
        names[watch] = folder
      }
      onChange = { [names, descriptors] in
        queue.sync { Self.read(descriptors.inotify, names, handler) }
      }
    }

    func resume() {
      Thread.detachWithoutSignals(name: "patchbay.files") { [descriptors, onChange, pause] in
        while true {
          var watched = [
            pollfd(fd: descriptors.inotify, events: Int16(POLLIN), revents: 0),
            pollfd(fd: descriptors.stop, events: Int16(POLLIN), revents: 0),
          ]
          if poll(&watched, 2, -1) < 0, errno != EINTR { return }
          if watched[1].revents != 0 { return }
          guard watched[0].revents != 0 else { continue }
          onChange()
          if pause > 0 {
            var ending = pollfd(fd: descriptors.stop, events: Int16(POLLIN), revents: 0)
            poll(&ending, 1, pause)
          }
        }
      }
    }

    func cancel() {
      var byte: UInt8 = 0
      _ = write(descriptors.stopping, &byte, 1)
    }

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
#endif

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

    /// nil where one of the folders cannot be listened to. Each file is listened to here, so that `everyWrite` is told in any case.
    init?(
      _ folders: [String], selves: [String], everyWrite: Bool, queue: DispatchQueue,
      handler: @escaping @Sendable (String, String?) -> Void
    ) {
      self.queue = queue
      self.folders = folders
      self.handler = handler
      for folder in folders {
        let descriptor = open(folder, O_EVTONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
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
