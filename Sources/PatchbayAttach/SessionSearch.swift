import CAttach

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Finds the `URLSession` objects that are alive in a process: words that equal the address of the class (or of one that
/// inherits from it), looked for while the process runs; each is believed only once it has been checked while all threads
/// stand, and it is retained before they go on.
struct SessionSearch: Sendable {
  /// Where FoundationNetworking has what has to be known.
  struct Layout: Equatable, Sendable {
    let session, configuration: UInt64
    /// Of `_configuration` in a session, in bytes.
    let configurationOffset: UInt64

    private static let name = "$s20FoundationNetworking10URLSessionC"

    init(session: UInt64, configuration: UInt64, configurationOffset: UInt64) {
      self.session = session
      self.configuration = configuration
      self.configurationOffset = configurationOffset
    }

    init?(_ networking: TargetImage, in memory: TargetMemory) {
      guard let session = networking.address(of: Self.name + "N"),
        let configuration = networking.address(of: "$s20FoundationNetworking23URLSessionConfigurationCN"),
        let place = networking.address(of: Self.name + "13configurationAA0C13ConfigurationCvpWvd"),
        let offset = memory.word(at: place), offset < 4096
      else { return nil }
      self.init(session: session, configuration: configuration, configurationOffset: offset)
    }
  }

  let memory: TargetMemory
  let layout: Layout
  /// Whether blocks are glibc's; a sanitizer or another allocator keeps its own words before them.
  let usesSystemAllocator: Bool
  private(set) var classes: [UInt64: ClassFacts] = [:]

  private static let piece = 1 << 20
  /// An object lies at a multiple of this.
  private static let alignment: UInt64 = 16
  /// No allocator has blocks in one mapping of this size; a sanitizer's shadow is one of terabytes.
  private static let largest: UInt64 = 1 << 40
  /// `attach_find_words` looks for as many.
  private static let classLimit = 64

  /// nil where the class is not what it was when this was written.
  init?(memory: TargetMemory, layout: Layout, usesSystemAllocator: Bool) {
    self.memory = memory
    self.layout = layout
    self.usesSystemAllocator = usesSystemAllocator
    guard let base = ClassFacts(words: memory.words(at: layout.session, count: ClassFacts.wordCount) ?? []),
      Int(layout.configurationOffset) + 8 <= base.instanceSize
    else { return nil }
    classes[layout.session] = base
  }

  /// `candidates`, without taking the processor from anybody.
  mutating func candidatesAside(in target: TargetProcess) -> [UInt64] {
    let (search, places) = aside { [self] in
      var search = self
      let places = search.candidates(in: target.maps())
      return (search, places)
    }
    self = search
    return places
  }

  /// Where sessions may lie, those of subclasses, too. Takes about 0.5 s for a gigabyte.
  mutating func candidates(in maps: ProcessMaps) -> [UInt64] {
    // A class has its superclass in its second word. Classes lie in the data of images, which is small; generic ones on the
    // heap, which is gone through once unless it has such a one.
    let images = maps.mappings.filter { !$0.isHeap }
    let heap = maps.mappings.filter(\.isHeap)
    addSubclasses(of: Array(classes.keys), in: images)
    var candidates: [UInt64] = []
    var new = Array(classes.keys)
    while !new.isEmpty {
      let places = places(of: new, in: heap)
      candidates += places.filter { $0 % Self.alignment == 0 }
      new = places.map { $0 - 8 }.filter { addSubclass($0) }
      new += addSubclasses(of: new, in: images)
    }
    return candidates
  }

  /// Returns those that were added.
  @discardableResult
  private mutating func addSubclasses(of bases: [UInt64], in images: [Mapping]) -> [UInt64] {
    var added: [UInt64] = []
    var new = bases
    while !new.isEmpty {
      new = places(of: new, in: images).map { $0 - 8 }.filter { addSubclass($0) }
      added += new
    }
    return added
  }

  private mutating func addSubclass(_ place: UInt64) -> Bool {
    guard classes[place] == nil, classes.count < Self.classLimit, let base = classes[layout.session],
      let facts = ClassFacts(words: memory.words(at: place, count: ClassFacts.wordCount) ?? []),
      classes[facts.superclass] != nil, facts.instanceSize >= base.instanceSize
    else { return false }
    classes[place] = facts
    return true
  }

  private func places(of words: [UInt64], in mappings: [Mapping]) -> [UInt64] {
    var found: [UInt64] = []
    let stride = 8
    var offsets = [UInt64](repeating: 0, count: Self.piece / stride)
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.piece, alignment: 16)
    defer { buffer.deallocate() }
    let pages = PresentPages(of: memory.process)
    for mapping in mappings where mapping.mayHoldObjects && mapping.size < Self.largest {
      for start in Swift.stride(from: mapping.start, to: mapping.end, by: Self.piece) {
        let size = min(Self.piece, Int(mapping.end - start))
        guard pages.hasAny(from: start, size: size) else { continue }
        let count = attach_read(memory.process, start, buffer.baseAddress, size)
        guard count > 0 else { continue }
        let number = attach_find_words(buffer.baseAddress, count, stride, words, words.count, &offsets, offsets.count)
        found += offsets[..<number].map { start + $0 }
      }
    }
    return found
  }

  /// A session that is alive, and where the word stands by which it is retained.
  struct Found: Equatable, Sendable {
    let place, count: UInt64
  }

  /// Which of these places are sessions that are alive. To be believed only while all threads stand. Takes about 1 ms for a
  /// thousand.
  func sessions(at places: some Collection<UInt64>) -> [Found] {
    let heads = memory.pieces(at: places.map { $0 - 8 }, words: 3)
    let configurations = memory.pieces(at: places.map { $0 + layout.configurationOffset }, words: 1)
    let kinds = memory.pieces(at: configurations, words: 1)
    let nexts = memory.pieces(
      at: zip(places, 0...).map { place, index in place - 8 + (heads[3 * index] & ~7) & 0xffff }, words: 1)
    return zip(places, 0...).compactMap { place, index in
      let head = heads[3 * index..<3 * index + 3].map { $0 }
      guard let facts = classes[head[1]], fits(head[0], next: nexts[index], facts),
        let count = ReferenceCount(word: head[2]), configurations[index] > 4096, configurations[index] & 7 == 0,
        kinds[index] == layout.configuration
      else { return nil }
      switch count {
      case .inline: return Found(place: place, count: place + 8)
      case .sideTable(let table):
        guard let side = memory.words(at: table, count: 3), side[0] == place, ReferenceCount.isAlive(side[2]) else {
          return nil
        }
        return Found(place: place, count: table + 16)
      }
    }
  }

  private func fits(_ header: UInt64, next: UInt64, _ facts: ClassFacts) -> Bool {
    !usesSystemAllocator
      || HeapBlock.fits(header: header, instanceSize: facts.instanceSize) && HeapBlock.isInUse(nextHeader: next)
  }

  /// Takes one reference more, so that the object lives until it is given back.
  func retain(_ found: Found) throws(AttachError) {
    guard let word = memory.word(at: found.count) else { return }
    try memory.write(ReferenceCount.retained(word), at: found.count)
  }
}

/// Which pages of a process are there at all: of memory that was mapped and never touched there are none, and reading it
/// would make them.
private final class PresentPages {
  private let file: Int32
  private let page = UInt64(sysconf(Int32(_SC_PAGESIZE)))

  init(of process: pid_t) { file = open("/proc/\(process)/pagemap", O_RDONLY | O_CLOEXEC) }

  deinit { if file >= 0 { close(file) } }

  /// True where it cannot be known.
  func hasAny(from start: UInt64, size: Int) -> Bool {
    guard file >= 0 else { return true }
    let count = (size + Int(page) - 1) / Int(page)
    let entries = [UInt64](unsafeUninitializedCapacity: count) { room, used in
      used = max(0, pread(file, room.baseAddress, count * 8, off_t(start / page * 8))) / 8
    }
    // Present, or swapped out (proc(5), pagemap).
    return entries.count < count || entries.contains { $0 >> 62 != 0 }
  }
}
