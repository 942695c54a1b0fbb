import CLaunch

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// What has to be known of an ELF file (System V ABI, chapters 4 and 5) to tell whether a library can be preloaded into
/// it. Every offset in the file is checked: a broken file has less to say, and never stops us.
package struct ElfFile: Sendable, Equatable {
  package var is64Bit: Bool
  /// `e_machine`: 62 is x86-64, 183 AArch64.
  var machine: UInt16
  /// Whether there is anything in it that can be run (PT_LOAD), as far as its tables can be read.
  var isLoadable: Bool
  /// The dynamic linker's path (PT_INTERP); nil in libraries and static executables.
  package var interpreter: String?
  /// DT_NEEDED, in order.
  var needed: [String] = []
  var name: String?
  var searchPath: [String] = []
  /// Whether `searchPath` is a DT_RUNPATH (it holds for this file alone) and not a DT_RPATH (for what it needs, too).
  var searchPathIsRunpath = false
  /// The GNU build id in hexadecimal digits.
  var buildID: String?
  var sections: Set<String>
  /// Whether the file itself defines FoundationNetworking's URLSession.
  package var definesURLSession: Bool
  /// Whether it may start other programs: it names a call of the C library for that, or has all of that library in it.
  var startsOthers: Bool

  package var isSwift: Bool { sections.contains { $0.hasPrefix("swift5_") } }

  /// Whether it is a Swift program with the runtime, or FoundationNetworking, linked into it.
  var hasStaticRuntime: Bool { isSwift && (!needed.contains(SwiftRuntime.core) || definesURLSession) }

  /// nil if the file at `path` is no ELF file or cannot be read.
  package init?(path: String) {
    guard let file = Self.withBytes(of: path, ElfFile.init(bytes:)) ?? nil else { return nil }
    self = file
  }

  /// Whether the hook is linked into the file: it names a function of the preload library, also when it was stripped.
  package static func linksHook(_ path: String) -> Bool {
    withBytes(of: path) { bytes in
      let wanted = Array("patchbay_preload_socket\0".utf8)
      return wanted.withUnsafeBytes { launch_find(bytes.baseAddress, bytes.count, $0.baseAddress, $0.count) != nil }
    } ?? false
  }

  private static func withBytes<Result>(of path: String, _ body: (UnsafeRawBufferPointer) -> Result) -> Result? {
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size >= 52 else { return nil }
    let size = Int(status.st_size)
    guard let start = mmap(nil, size, PROT_READ, MAP_PRIVATE, file, 0), start != MAP_FAILED else { return nil }
    defer { munmap(start, size) }
    return body(UnsafeRawBufferPointer(start: start, count: size))
  }

  init?(bytes: UnsafeRawBufferPointer) {
    guard let reader = ElfReader(bytes: bytes) else { return nil }
    is64Bit = reader.is64Bit
    machine = reader.machine
    let segments = reader.segments()
    let sections = reader.sections()
    isLoadable = segments.contains { $0.kind == .load }
    interpreter = segments.first { $0.kind == .interpreter }.flatMap { reader.text(at: $0.offset) }
    buildID = segments.lazy.filter { $0.kind == .note }.compactMap { reader.buildID(in: $0) }.first
    self.sections = Set(sections.map(\.name))
    startsOthers = interpreter == nil || Self.starts.contains { reader.names($0, in: sections) }
    definesURLSession = reader.defines("$s20FoundationNetworking10URLSessionCMn", in: sections)
    readDynamic(reader, segments)
  }

  private static let starts = [
    "execve", "execv", "execvp", "execvpe", "execl", "execlp", "execle", "fexecve", "posix_spawn", "posix_spawnp",
    "system", "popen",
  ]

  private mutating func readDynamic(_ reader: ElfReader, _ segments: [ElfReader.Segment]) {
    guard let dynamic = segments.first(where: { $0.kind == .dynamic }) else { return }
    let entries = reader.dynamicEntries(in: dynamic)
    guard let table = entries.first(where: { $0.tag == .stringTable }),
      let start = reader.offset(ofAddress: table.value, in: segments)
    else { return }
    func texts(_ tag: ElfReader.DynamicTag) -> [String] {
      entries.filter { $0.tag == tag }.compactMap { reader.text(at: start &+ $0.value) }
    }
    needed = texts(.needed)
    name = texts(.soname).first
    let runpath = texts(.runpath).first
    searchPathIsRunpath = runpath != nil
    searchPath = (runpath ?? texts(.rpath).first)?.split(separator: ":").map(String.init) ?? []
  }
}
