#if os(Linux)
  import Foundation
  import PatchbayTestSupport
  import Testing

  @testable import PatchbayAttach

  /// Sessions are looked for in memory that is made here, as FoundationNetworking's lie in a program.
  @Suite(.bounded) struct SessionSearchTests {
    /// Some pages of this process's own, by words.
    private final class Pages {
      let start: UInt64
      private let words: UnsafeMutablePointer<UInt64>
      private let count: Int
      private var next = 2

      init(bytes: Int = 1 << 16) throws {
        count = bytes / 8
        let room = mmap(nil, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        try #require(room != MAP_FAILED)
        words = room!.bindMemory(to: UInt64.self, capacity: count)
        start = UInt64(UInt(bitPattern: room!))
      }

      deinit { munmap(words, count * 8) }

      subscript(address: UInt64) -> UInt64 {
        get { words[Int(address - start) / 8] }
        set { words[Int(address - start) / 8] = newValue }
      }

      /// Puts words at the next multiple of 16, and says where.
      func put(_ values: [UInt64]) -> UInt64 {
        next += next % 2
        for (index, value) in values.enumerated() { words[next + index] = value }
        defer { next += values.count }
        return start + UInt64(next) * 8
      }

      func line(_ name: String, rights: String = "rw-p") -> String {
        "\(String(start, radix: 16))-\(String(start + UInt64(count) * 8, radix: 16)) \(rights) 0 0:0 0 \(name)"
      }
    }

    private let image: Pages, heap: Pages
    private let session: UInt64, configuration: UInt64
    private static let size = 104, offset: UInt64 = 24

    init() throws {
      (image, heap) = (try Pages(), try Pages())
      session = image.put(Self.metadata(superclass: 0))
      configuration = image.put([1, 2, 3])
    }

    private static func metadata(superclass: UInt64, size: Int = size) -> [UInt64] {
      [0, superclass, 2, UInt64(size) | 7 << 32, 400 | 24 << 32, 0]
    }

    private var layout: SessionSearch.Layout {
      SessionSearch.Layout(session: session, configuration: configuration, configurationOffset: Self.offset)
    }

    private func search(system: Bool = true) throws -> SessionSearch {
      try #require(
        SessionSearch(memory: TargetMemory(process: getpid()), layout: layout, usesSystemAllocator: system))
    }

    private var maps: ProcessMaps { ProcessMaps(text: image.line("/opt/lib.so") + "\n" + heap.line("[heap]")) }

    /// An object in a block of its own: its size and flags, its class, how often it is referred to; and the block behind it.
    private func object(
      _ type: UInt64, count: UInt64 = 3 | 2 << 33, header: UInt64 = 112 | 1, configured: Bool = true,
      next: UInt64 = 0x21
    ) -> UInt64 {
      let configured = configured ? heap.put([configuration, 3]) : 0
      let block = heap.put([0, header, type, count] + [UInt64](repeating: 0, count: 11) + [next, 0, 0])
      let place = block + 16
      heap[place + Self.offset] = configured
      return place
    }

    private func found(_ search: SessionSearch, _ places: [UInt64]) -> [UInt64] {
      search.sessions(at: places).map(\.place)
    }

    @Test func aSessionThatIsAliveIsFoundAndRetained() throws {
      let place = object(session)
      var search = try search()
      #expect(search.candidates(in: maps) == [place])
      #expect(search.sessions(at: [place]) == [.init(place: place, count: place + 8)])
      let before = heap[place + 8]
      try search.retain(.init(place: place, count: place + 8))
      #expect(heap[place + 8] == before + 1 << 33)
      // Where nothing can be read nothing is written.
      #expect(throws: Never.self) { try search.retain(.init(place: 16, count: 16)) }
    }

    @Test func theBlockHasToFitWhereTheAllocatorIsTheSystems() throws {
      let good = object(session)
      let long = object(session, header: 128 | 5)
      // Where the block behind it begins is read in its own header: here one step further.
      heap[long - 8 + 128] = 0x31
      let wrong = object(session, header: 144 | 1)
      let free = object(session, next: 0x20)
      let all = [good, long, wrong, free]
      #expect(try found(search(), all) == [good, long])
      #expect(try found(search(system: false), all) == all)
    }

    @Test func whatOnlyLooksLikeASessionIsNone() throws {
      let good = object(session)
      let bad = [
        object(session, configured: false), object(configuration), object(session, count: 3 | 1 << 32),
        object(session, count: 0), object(0),
      ]
      let odd = object(session)
      heap[odd + Self.offset] |= 4
      let low = object(session)
      heap[low + Self.offset] = 4096
      let other = object(session)
      heap[heap[other + Self.offset]] = session
      #expect(try found(search(), bad + [odd, low, other, good, 8, 4096]) == [good])
      #expect(try found(search(), []) == [])
    }

    /// One that was ever referred to weakly has its counts elsewhere.
    @Test func theCountsMayStandInATableOfTheirOwn() throws {
      let place = object(session)
      let table = heap.put([place, 0, 3 | 2 << 33])
      heap[place + 8] = 3 << 62 | table >> 3
      #expect(try search().sessions(at: [place]) == [.init(place: place, count: table + 16)])
      heap[table + 16] = 3 | 1 << 32
      #expect(try search().sessions(at: [place]) == [])
      heap[table + 16] = 3 | 2 << 33
      heap[table] = place + 16
      #expect(try search().sessions(at: [place]) == [])
      heap[place + 8] = 3 << 62 | 0x1_0000 >> 3
      #expect(try search().sessions(at: [place]) == [])
    }

    @Test func subclassesAreFoundInImagesAndOnTheHeap() throws {
      let near = image.put(Self.metadata(superclass: session))
      let far = image.put(Self.metadata(superclass: near, size: 112))
      let generic = heap.put(Self.metadata(superclass: far, size: 112))
      let small = image.put(Self.metadata(superclass: session, size: 88))
      let stranger = image.put(Self.metadata(superclass: configuration))
      let wide = heap.put(Self.metadata(superclass: generic, size: 200))
      var search = try search()
      let places = [
        object(session), object(near), object(far, header: 128 | 1), object(generic, header: 128 | 1),
        object(wide, header: 208 | 1),
      ]
      let others = [object(small), object(stranger)]
      heap[places[2] - 8 + 128] = 0x21
      heap[places[3] - 8 + 128] = 0x21
      heap[places[4] - 8 + 208] = 0x21
      let candidates = search.candidates(in: maps)
      #expect(Set(candidates).isSuperset(of: places) && Set(candidates).isDisjoint(with: others))
      #expect(Set(search.classes.keys) == [session, near, far, generic, wide])
      #expect(search.classes[far]?.superclass == near && search.classes[far]?.instanceSize == 112)
      #expect(found(search, candidates).sorted() == places.sorted())
      // The second time it knows them.
      #expect(Set(search.candidates(in: maps)) == Set(candidates))
      #expect(search.candidatesAside(in: TargetProcess(1 << 29)) == [] && search.classes.count == 5)
    }

    /// A generic class lies on the heap; what inherits from it may lie in an image again, and so on.
    @Test func aClassMayInheritFromOneOnTheHeap() throws {
      let generic = heap.put(Self.metadata(superclass: session))
      let late = image.put(Self.metadata(superclass: generic))
      let later = image.put(Self.metadata(superclass: late))
      let last = heap.put(Self.metadata(superclass: later))
      let places = [object(late), object(later), object(last)]
      var search = try search()
      let candidates = search.candidates(in: maps)
      #expect(Set(candidates).isSuperset(of: places) && Set(candidates).count == candidates.count)
      #expect(Set(search.classes.keys) == [session, generic, late, later, last])
      #expect(found(search, candidates).sorted() == places.sorted())
    }

    /// As many as are looked for at once.
    @Test func ofManyClassesSixtyFourAreKnown() throws {
      for _ in 0..<63 { _ = image.put(Self.metadata(superclass: session)) }
      var all = try search()
      #expect(all.candidates(in: maps) == [] && all.classes.count == 64)
      for _ in 0..<3 { _ = image.put(Self.metadata(superclass: session)) }
      var some = try search()
      #expect(some.candidates(in: maps) == [] && some.classes.count == 64)
    }

    /// Where the block behind a large one begins is said by all the bits of its length.
    @Test func aLargeSessionIsFound() throws {
      let type = image.put(Self.metadata(superclass: session, size: 40_000))
      let configured = heap.put([configuration, 3])
      let block = heap.put([0, 40_016 | 1, type, 3 | 2 << 33] + [UInt64](repeating: 0, count: 4_999) + [0x21])
      heap[block + 16 + Self.offset] = configured
      var search = try search()
      let candidates = search.candidates(in: maps)
      #expect(candidates == [block + 16] && found(search, candidates) == candidates)
    }

    @Test func onlyMemoryThatMayHoldObjectsIsLookedThrough() throws {
      let place = object(session)
      // A class's word where no object can be.
      let odd = heap.put([7, session])
      #expect(heap[odd + 8] == session)
      for (rights, name, isFound) in [
        ("rw-p", "[heap]", true), ("rw-p", "", true), ("rw-p", "[anon:x]", true), ("r--p", "", false),
        ("rw-s", "", false), ("-w-p", "", false), ("rw-p", "[stack]", false), ("rw-p", "/opt/other.so", false),
      ] {
        var search = try search()
        let text = image.line("/opt/lib.so") + "\n" + heap.line(name, rights: rights)
        #expect(search.candidates(in: ProcessMaps(text: text)) == (isFound ? [place] : []), "\(rights) \(name)")
      }
      // A sanitizer's shadow is terabytes long.
      var search = try search()
      let text = "\(String(heap.start, radix: 16))-\(String(heap.start + 1 << 40, radix: 16)) rw-p 0 0:0 0 [heap]"
      #expect(search.candidates(in: ProcessMaps(text: text)) == [])
    }

    @Test func largeMemoryIsLookedThroughPieceByPiece() throws {
      let large = try Pages(bytes: 3 << 20)
      let places = [16, 1 << 20, 2 << 20, (3 << 20) - 16].map { large.start + $0 }
      for place in places { large[place] = session }
      var search = try search()
      #expect(search.candidates(in: ProcessMaps(text: large.line(""))) == places)
    }

    /// Of a program that has mapped much and used little the search makes none of what it has not used.
    @Test func memoryThatWasNeverTouchedStaysSo() throws {
      let large = try Pages(bytes: 4 << 20)
      let place = large.start + 3 << 20 + 4096
      large[place] = session
      var search = try search()
      #expect(search.candidates(in: ProcessMaps(text: large.line(""))) == [place])
      let file = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC)
      try #require(file >= 0)
      defer { close(file) }
      var entries = [UInt64](repeating: 0, count: 256)
      let size = entries.count * 8
      // The first piece. With large pages the one that was touched may begin up to 2 MB before it.
      #expect(pread(file, &entries, size, off_t(large.start / 4096 * 8)) == size)
      let made = entries.indices.filter { entries[$0] >> 63 == 1 }
      #expect(made.isEmpty, "\(made.map { "\($0) \(String(entries[$0], radix: 16))" }.prefix(20))")
    }

    @Test func aClassThatIsNotWhatItWasIsNotBelieved() throws {
      func isBelieved(_ change: (Pages, inout SessionSearch.Layout) -> Void) -> Bool {
        var layout = layout
        change(image, &layout)
        return SessionSearch(memory: TargetMemory(process: getpid()), layout: layout, usesSystemAllocator: true) != nil
      }
      #expect(isBelieved { _, _ in })
      #expect(isBelieved { $1 = .init(session: $1.session, configuration: $1.configuration, configurationOffset: 96) })
      #expect(!isBelieved { $1 = .init(session: $1.session, configuration: $1.configuration, configurationOffset: 97) })
      #expect(!isBelieved { $1 = .init(session: 16, configuration: $1.configuration, configurationOffset: 24) })
      #expect(!isBelieved { image, _ in image[session] = 0x7f00_0000_0000 })
    }
  }
#endif
