/// Where in the target what is called there lies.
struct TargetCalls: Equatable, Sendable {
  /// An instruction that calls the system and is followed, where it succeeds, by `ret`.
  var systemCall: UInt64
  /// `rt_sigreturn` of what the stack pointer stands on (`Processor.signalReturnCode`).
  var signalReturn: UInt64
  var makeThread, openLibrary, findSymbol, errorNumber, libraryError, thisThread, detachThread: UInt64
}

extension TargetCalls {
  /// Found in its own C library, which may be another than ours.
  init(of target: TargetProcess, _ maps: ProcessMaps) throws(AttachError) {
    let memory = target.memory
    let processor = Processor.own
    func unknown(_ what: String) -> AttachError {
      AttachError(
        "The C library of process \(target.process) \(what), so nothing can be loaded by it. Start it with: patchbay run"
      )
    }
    // Before glibc 2.34 threads and dlopen had libraries of their own.
    let images = ["libc.so.6", "libpthread.so.0", "libdl.so.2"].compactMap { maps.image(named: $0) }
      .compactMap { found in TargetImage(base: found.base, in: memory).map { (found.path, $0) } }
    func address(_ name: String) throws(AttachError) -> UInt64 {
      for (_, image) in images {
        if let found = image.address(of: name) { return found }
      }
      throw unknown("has no \(name), as glibc has")
    }
    let system = try address("syscall")
    guard let offset = Self.systemCall(in: memory.bytes(at: system, count: 64), on: processor) else {
      throw unknown("makes system calls in a way that Patchbay does not know")
    }
    var signalReturn: UInt64?
    // On arm64 the kernel's own page has it, and glibc in setcontext(3) alone.
    let places = (processor == .arm64 ? maps.mappings(of: "[vdso]") : []) + maps.mappings(of: images[0].0)
    for mapping in places where mapping.isExecutable && signalReturn == nil {
      let code = memory.bytes(at: mapping.start, count: Int(mapping.size))
      signalReturn = Self.place(of: processor.signalReturnCode, in: code, every: processor.step)
        .map { mapping.start + UInt64($0) }
    }
    guard let signalReturn else { throw unknown("returns from signals in a way that Patchbay does not know") }
    self.init(
      systemCall: system + UInt64(offset), signalReturn: signalReturn, makeThread: try address("pthread_create"),
      openLibrary: try address("dlopen"), findSymbol: try address("dlsym"),
      errorNumber: try address("__errno_location"), libraryError: try address("dlerror"),
      thisThread: try address("pthread_self"), detachThread: try address("pthread_detach"))
  }

  /// Where in the C library's `syscall` the system is called.
  static func systemCall(in code: [UInt8], on processor: Processor) -> Int? {
    guard let place = place(of: processor.systemCallCode, in: code, every: processor.step) else { return nil }
    guard processor == .arm64 else { return place }
    // A function that checks a signed return address (autiasp, retaa) cannot be entered in its middle: behind the call there
    // may be a comparison with -4095 and a jump aside, as in glibc, and then `ret`.
    for at in stride(from: place + 4, through: min(place + 12, code.count - 4), by: 4) {
      let instruction = code[at...].littleEndianWord & 0xffff_ffff
      if instruction == 0xd65f_03c0 { return place }
      guard instruction == 0xb13f_fc1f || instruction & 0xff00_0010 == 0x5400_0000 else { return nil }
    }
    return nil
  }

  /// - Parameter step: a multiple of it.
  static func place(of pattern: [UInt8], in bytes: [UInt8], every step: Int = 1) -> Int? {
    bytes.withUnsafeBufferPointer { bytes in
      guard bytes.count >= pattern.count else { return nil }
      return stride(from: 0, through: bytes.count - pattern.count, by: step).first { start in
        bytes[start] == pattern[0] && bytes[start..<start + pattern.count].elementsEqual(pattern)
      }
    }
  }
}
