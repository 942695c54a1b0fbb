#if os(Linux)
  import Foundation
  import Synchronization

  #if canImport(FoundationNetworking)
    import FoundationNetworking
  #endif

  /// Has the preload library come in as `patchbay attach` does, by this program itself:
  /// `late PRELOAD HOOK RUNTIME RENDEZVOUS ROUND…`. A round is how it ends: `leave` or `done`, or `version` for a request
  /// of another version. What is there afterwards is told.
  enum Late {
    // As in `PatchbayAttachBlock.h`.
    private static let head = 4096
    private static let sessions = 6184
    private static let size = head + sessions + 8 * 16

    static func run(_ arguments: [String]) {
      let before = [URLSession.shared, URLSession(configuration: .default), URLSession(configuration: .ephemeral)]
      show("before", before[1])
      guard let preload = dlopen(arguments[0], RTLD_NOW | RTLD_GLOBAL) else { return print("not loaded") }
      for round in arguments[4...] { attach(preload, arguments, round, before) }
      for (name, session) in zip(["shared", "default", "ephemeral"], before) { show(name, session) }
      show("new", URLSession(configuration: .default))
      show("delegated", URLSession(configuration: .ephemeral, delegate: Delegate(), delegateQueue: nil))
      show("still shared", URLSession.shared)
    }

    private static func attach(
      _ preload: UnsafeMutableRawPointer, _ arguments: [String], _ round: String, _ before: [URLSession]
    ) {
      typealias Thread = @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer?
      let entry = unsafeBitCast(dlsym(preload, "patchbay_preload_attach")!, to: Thread.self)
      let block = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)!
      let request = block + head
      func word(_ offset: Int) -> UnsafeMutablePointer<UInt32> {
        (request + offset).assumingMemoryBound(to: UInt32.self)
      }
      func text(_ offset: Int) -> String {
        String(cString: (request + offset).assumingMemoryBound(to: CChar.self)).replacing("\t", with: " ")
      }
      word(0).pointee = round == "version" ? 1 : 2
      (request + 24).storeBytes(of: UInt64(UInt(bitPattern: block)), as: UInt64.self)
      (request + 32).storeBytes(of: UInt64(size), as: UInt64.self)
      for (offset, value) in [(40, arguments[1]), (4136, arguments[2]), (4648, arguments[3])] {
        strcpy((request + offset).assumingMemoryBound(to: CChar.self), value)
      }
      var thread = pthread_t()
      pthread_create(&thread, nil, entry, block)
      wait { word(4).pointee != 0 }
      let isReady = word(4).pointee == 1
      print(round, isReady ? "ready" : "failed", word(20).pointee > 0 ? "led" : "not led", text(5160))
      if isReady {
        var own: URLSession? = URLSession(configuration: .ephemeral)
        weak let seen = own
        var all = before + [own].compactMap(\.self)
        for (index, session) in all.enumerated() {
          let reference = UInt64(UInt(bitPattern: Unmanaged.passRetained(session).toOpaque()))
          (request + sessions + 8 * index).storeBytes(of: reference, as: UInt64.self)
        }
        word(12).pointee = UInt32(all.count)
        order(1, word(8))
        wait { word(8).pointee == 0 }
        (own, all) = (nil, [])
        print(round, "hooked", word(16).pointee, seen == nil ? "let go" : "kept")
      }
      order(round == "done" ? 3 : 2, word(8))
      pthread_join(thread, nil)
      var pages = [UInt8](repeating: 0, count: size / 4096 + 1)
      let isGone = mincore(block, size, &pages) != 0
      // Its version, its stage, and where the hook finds its consoles.
      let attachment = dlsym(preload, "patchbay_attachment")!
      let stage = attachment.load(fromByteOffset: 4, as: UInt32.self)
      let rendezvous = String(cString: (attachment + 8).assumingMemoryBound(to: CChar.self))
      print(round, isGone ? "unmapped" : "mapped", "stage", stage, rendezvous)
    }

    private static func order(_ order: UInt32, _ place: UnsafeMutablePointer<UInt32>) {
      atomicMemoryFence(ordering: .sequentiallyConsistent)
      place.pointee = order
    }

    private static func wait(until isThere: () -> Bool) { while !isThere() { usleep(200) } }
  }
#endif
