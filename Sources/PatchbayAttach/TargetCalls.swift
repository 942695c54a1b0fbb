/// Where in the target what is called there lies.
struct TargetCalls: Equatable, Sendable {
  /// A `syscall` instruction that is followed, where it succeeds, by `ret`.
  var systemCall: UInt64
  /// `mov $15, %rax; syscall`: `rt_sigreturn` of what the stack pointer stands on.
  var signalReturn: UInt64
  var makeThread, openLibrary, findSymbol, errorNumber, libraryError, thisThread, detachThread: UInt64
}

extension TargetCalls {
  /// Found in its own C library, which may be another than ours.
  init(of target: TargetProcess, _ maps: ProcessMaps) throws(AttachError) {
    let memory = target.memory
    func unknown(_ what: String) -> AttachError {
      AttachError(
        "The C library of process \(target.process) \(what), so nothing can be loaded by it. Start it with: patchbay run"
      )
    }
    // Before glibc 2.34 threads and dlopen had libraries of their own.
    let images = ["libc.so.6", "libpthread.so.0", "libdl.so.2"].compactMap { maps.image(named: $0) }
      .compactMap { found in TargetImage(base: found.base, in: memory).map { (found.path, $0) } }
    func address(_ name: String) throws(AttachError) -> UInt64 {
      guard let found = images.lazy.compactMap({ $0.1.address(of: name) }).first else {
        throw unknown("has no \(name), as glibc has")
      }
      return found
    }
    let system = try address("syscall")
    guard let offset = Self.place(of: [0x0f, 0x05], in: memory.bytes(at: system, count: 64)) else {
      throw unknown("makes system calls in a way that Patchbay does not know")
    }
    var signalReturn: UInt64?
    for mapping in maps.mappings(of: images[0].0) where mapping.isExecutable && signalReturn == nil {
      let code = memory.bytes(at: mapping.start, count: Int(mapping.size))
      signalReturn = Self.place(of: [0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05], in: code)
        .map { mapping.start + UInt64($0) }
    }
    guard let signalReturn else { throw unknown("returns from signals in a way that Patchbay does not know") }
    self.init(
      systemCall: system + UInt64(offset), signalReturn: signalReturn, makeThread: try address("pthread_create"),
      openLibrary: try address("dlopen"), findSymbol: try address("dlsym"),
      errorNumber: try address("__errno_location"), libraryError: try address("dlerror"),
      thisThread: try address("pthread_self"), detachThread: try address("pthread_detach"))
  }

  static func place(of pattern: [UInt8], in bytes: [UInt8]) -> Int? {
    bytes.withUnsafeBufferPointer { bytes in
      guard bytes.count >= pattern.count else { return nil }
      return (0...bytes.count - pattern.count).first { start in
        bytes[start] == pattern[0] && bytes[start..<start + pattern.count].elementsEqual(pattern)
      }
    }
  }
}
