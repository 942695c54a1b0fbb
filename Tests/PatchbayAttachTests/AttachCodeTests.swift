#if os(Linux) && arch(x86_64)
  import CAttach
  import Foundation
  import PatchbayTestSupport
  import Synchronization
  import Testing

  @testable import PatchbayAttach

  /// The code that a program runs for us, run here, with calls of our own in the place of the C library's.
  @Suite(.bounded) struct AttachCodeTests {
    private let memory = TargetMemory(process: getpid())

    /// The thread that is made may load the library, and come to its end, before the borrowed one is out of
    /// pthread_create(3): only then may anybody take the code away.
    @Test func theBorrowedThreadSaysByItselfThatItHasMadeAnother() async throws {
      var size = 0
      let code = try #require(attach_code(&size))
      let blockSize = Int(AttachPlan.headSize + AttachPlan.stackSize)
      let room = try #require(
        mmap(nil, 4096 + blockSize, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))
      memcpy(room, code, size)
      let block = UInt64(UInt(bitPattern: room)) + 4096
      let top = block + UInt64(blockSize)

      var after = Registers(words: [UInt64](repeating: 0, count: Processor.x86.registerCount))
      after[.rip] = place(of: Stage.leave)
      // As behind a call.
      after[.rsp] = top - 4096 - 8
      (after[.cs], after[.ss], after[.eflags]) = (0x33, 0x2b, 0x202)
      let home = block + 2048
      try memory.write(SignalFrame.bytes(after, mask: 0, vectorsAt: nil), at: home)
      let words: [UInt64] = [
        place(of: Stage.makeThread), place(of: Stage.open), place(of: Stage.find), place(of: Stage.errorNumber),
        UInt64(UInt(bitPattern: room)) + UInt64(attach_code_own()), home, 0, 0, 1, 1, 0, 0, place(of: Stage.this),
        place(of: Stage.detach),
      ]
      try memory.write(words.flatMap(\.littleEndianBytes), at: block)

      // mov rbx, block; mov rsp, stack; mov rax, code; jmp rax
      let begin =
        [0x48, 0xBB] + block.littleEndianBytes + [0x48, 0xBC] + ((top - 64) & ~15).littleEndianBytes
        + [0x48, 0xB8] + UInt64(UInt(bitPattern: room)).littleEndianBytes + [0xFF, 0xE0]
      memcpy(room + 2048, begin, begin.count)
      var thread = pthread_t()
      let entry = unsafeBitCast(
        room + 2048, to: (@convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer?).self)
      #expect(pthread_create(&thread, nil, entry, nil) == 0)

      try await eventually("the library's function") { memory.half(at: block + AttachPlan.stateOffset) == 2 }
      #expect(memory.half(at: block + AttachPlan.madeOffset) == 0)
      Stage.mayReturn.store(true, ordering: .releasing)
      try await eventually("its word") { memory.half(at: block + AttachPlan.madeOffset) == 1 }
      #expect(memory.half(at: block + AttachPlan.resultOffset) == 7)
      #expect(memory.half(at: block + AttachPlan.stateOffset) == 2)
      try await eventually("its own way back") { Stage.hasLeft.load(ordering: .acquiring) }
    }

    private func place<Function>(of function: Function) -> UInt64 {
      UInt64(UInt(bitPattern: unsafeBitCast(function, to: UnsafeRawPointer.self)))
    }
  }

  /// What the code calls.
  private enum Stage {
    static let mayReturn = Atomic(false), hasLeft = Atomic(false)

    typealias Body = @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer?

    /// pthread_create(3) that takes its time, and ends with a number that is told from the words beside it.
    static let makeThread:
      @convention(c) (UnsafeMutablePointer<pthread_t>, UnsafeRawPointer?, Body, UnsafeMutableRawPointer?) -> Int32 =
        { thread, _, body, block in
          guard pthread_create(thread, nil, body, block) == 0 else { return -1 }
          while !mayReturn.load(ordering: .acquiring) { usleep(1_000) }
          return 7
        }
    static let open: @convention(c) (UnsafePointer<CChar>?, Int32) -> UnsafeMutableRawPointer? = { path, _ in
      UnsafeMutableRawPointer(mutating: path)
    }
    static let entered: Body = { _ in nil }
    static let find: @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?) -> UnsafeMutableRawPointer? = {
      _, _ in unsafeBitCast(entered, to: UnsafeMutableRawPointer.self)
    }
    static let errorNumber: @convention(c) () -> UnsafeMutablePointer<Int32> = { __errno_location() }
    static let this: @convention(c) () -> pthread_t = { pthread_self() }
    static let detach: @convention(c) (pthread_t) -> Int32 = { pthread_detach($0) }
    /// Where the signal frame leads to.
    static let leave: @convention(c) () -> Void = {
      hasLeft.store(true, ordering: .releasing)
      // There is no stack to go back on.
      while true { pause() }
    }
  }
#endif
