import Foundation
import PatchbayTestSupport
import Testing

@testable import Patchbay

/// Descriptors of the hook's in a program.
@Suite(.bounded) struct OwnDescriptorTests {
  @Test func itLeavesLowNumbersToTheProgram() throws {
    let low = open("/dev/null", O_RDONLY)
    let own = try #require(OwnDescriptor(low))
    defer { own.close() }
    #expect(own.number > 100 && own.number != low)
    #expect(fcntl(own.number, F_GETFD) == FD_CLOEXEC)
    #expect(own.isOurs)
  }

  /// Where a process may have 1024 descriptors, as is usual, only two dozen lie above those.
  @Test(.alone) func itGoesFurtherDownWhereTheHighestAreTaken() async throws {
    // What went before may still be closing its own: for a moment none of the thousand may be free. Where sessions that
    // nobody ended have all of them there is nothing to see.
    var number: Int32?
    try await eventually("a descriptor is free") {
      number = try Self.numberWhereTheHighestAreTaken()
      return number != nil || (Int32(0)..<1024).count { fcntl($0, F_GETFD) >= 0 } > 980
    }
    guard let found = number else { return }
    #expect(found > 200 && found < 1024 - 32)
  }

  /// nil where no descriptor is to be had.
  private static func numberWhereTheHighestAreTaken() throws -> Int32? {
    var before = rlimit()
    let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    try #require(getrlimit(files, &before) == 0)
    var usual = rlimit(rlim_cur: 1024, rlim_max: before.rlim_max)
    try #require(setrlimit(files, &usual) == 0)
    defer { setrlimit(files, &before) }
    let null = open("/dev/null", O_RDONLY | O_CLOEXEC)
    guard null >= 0 else { return nil }
    var taken = [null]
    defer { for number in taken { close(number) } }
    while case let number = fcntl(null, F_DUPFD_CLOEXEC, 1024 - 32), number >= 0 { taken.append(number) }
    guard let own = OwnDescriptor(open("/dev/null", O_RDONLY | O_CLOEXEC)) else { return nil }
    defer { own.close() }
    return own.number
  }

  @Test(.alone) func itClosesNothingThatIsTheProgramsByNow() throws {
    let own = try #require(OwnDescriptor(open("/dev/null", O_RDONLY)))
    let theirs = open("/dev/zero", O_RDONLY)
    #expect(dup2(theirs, own.number) == own.number)
    close(theirs)
    defer { close(own.number) }
    #expect(!own.isOurs)
    own.close()
    #expect(fcntl(own.number, F_GETFD) >= 0)
  }

  @Test(.alone) func aWakerComesBackUnderItsNumbers() throws {
    let waker = try #require(Waker())
    defer { waker.close() }
    for number in [waker.receiving, waker.sending] { close(number) }
    #expect(!waker.isWhole)
    #expect(waker.renew() && waker.isWhole)
    waker.wake()
    #expect(Poll.wait([waker.receiving], timeout: 1000)[0].readable)
    close(waker.sending)
    #expect(Poll.wait([waker.receiving], timeout: 1000)[0].isGone)
  }

  /// A program that closes all that it did not open may get the numbers again.
  @Test(.alone) func nothingGoesToWhatTheProgramHasUnderTheWakersNumbers() throws {
    let waker = try #require(Waker())
    var pair: [Int32] = [-1, -1]
    #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair) == 0)
    defer { for number in pair + [waker.receiving, waker.sending] { close(number) } }
    #expect(dup2(pair[0], waker.receiving) >= 0 && dup2(pair[0], waker.sending) >= 0)
    var byte: UInt8 = 7
    #expect(send(pair[1], &byte, 1, 0) == 1)
    #expect(!waker.isWhole)
    waker.wake()
    waker.drain()
    #expect(!waker.attend(Poll.wait([waker.receiving], timeout: 1000)[0]))
    waker.close()
    #expect(fcntl(waker.receiving, F_GETFD) >= 0 && fcntl(waker.sending, F_GETFD) >= 0)
    #expect(recv(pair[0], &byte, 1, Int32(MSG_DONTWAIT)) == 1 && byte == 7, "it is there for the program")
    #expect(recv(pair[1], &byte, 1, Int32(MSG_DONTWAIT)) == -1, "nothing was written")
  }

  @Test(.alone) func nothingGoesToWhatTheProgramHasUnderTheLinksNumber() throws {
    let console = FakeConsole(push: nil)
    let socket = try LinkSocket.connect(to: LinkAddress(path: console.path, isExplicit: true))
    var pair: [Int32] = [-1, -1]
    #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair) == 0)
    defer { for number in pair + [socket.descriptor] { close(number) } }
    #expect(dup2(pair[0], socket.descriptor) >= 0)
    var bytes: [UInt8] = [1, 2, 3]
    #expect(send(pair[1], &bytes, 3, 0) == 3)
    #expect(bytes.withUnsafeBytes { socket.send($0) } == .closed)
    #expect(bytes.withUnsafeMutableBytes { socket.receive(into: $0) } == .closed)
    socket.close()
    #expect(fcntl(socket.descriptor, F_GETFD) >= 0)
    #expect(recv(pair[0], &bytes, 3, Int32(MSG_DONTWAIT)) == 3)
    #expect(recv(pair[1], &bytes, 3, Int32(MSG_DONTWAIT)) == -1)
  }

  /// An inode of those has no file of its own: a program's counter of events is no watch.
  @Test(.alone) func nothingIsTakenFromWhatTheProgramHasUnderTheWatchsNumber() async throws {
    let folder = try TemporaryFolder()
    // What the processes of other tests had is given back a moment after their end.
    let watch = try await eventually("a watch") {
      FolderWatch(LinkAddress(path: folder.file("s.sock"), isExplicit: true))
    }
    #expect(watch.isOurs)
    typealias MakesEvents = @convention(c) (UInt32, Int32) -> Int32
    let events = unsafeBitCast(try #require(dlsym(nil, "eventfd")), to: MakesEvents.self)(3, O_NONBLOCK)
    defer { for number in [events, watch.descriptor] { close(number) } }
    #expect(dup2(events, watch.descriptor) >= 0)
    #expect(!watch.isOurs && !watch.drain())
    watch.close()
    var count: UInt64 = 0
    #expect(read(watch.descriptor, &count, 8) == 8 && count == 3)
  }

  /// One end alone is of no use.
  @Test(.alone) func aWakerOfWhichOneEndWasClosedComesBackWhole() throws {
    for isReceiving in [true, false] {
      let waker = try #require(Waker())
      defer { waker.close() }
      close(isReceiving ? waker.receiving : waker.sending)
      #expect(!waker.isWhole)
      let isBack = waker.renew()
      #expect(isBack && waker.isWhole, "receiving: \(isReceiving)")
      #expect(fcntl(waker.receiving, F_GETFD) == FD_CLOEXEC && fcntl(waker.sending, F_GETFD) == FD_CLOEXEC)
      waker.wake()
      #expect(Poll.wait([waker.receiving], timeout: 1000)[0].readable)
      waker.drain()
      #expect(!Poll.wait([waker.receiving], timeout: 0)[0].readable)
    }
  }

  /// What is opened for a moment is closed after it, and what something has open goes with it.
  @Test(.alone) func nothingIsLeftOpen() throws {
    func open() throws -> Int { try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count }
    let folder = try TemporaryFolder()
    let path = try folder.write("abc", to: "file")
    let console = FakeConsole(push: nil)
    let socket = try LinkSocket.connect(to: LinkAddress(path: console.path, isExplicit: true))
    defer { socket.close() }
    let waker = try #require(Waker())
    defer { waker.close() }
    let ways: [(name: String, way: () -> Void)] = [
      (
        "an upload that is kept",
        {
          let upload = UploadFile(URL(fileURLWithPath: path))
          upload.keep()
          #expect(upload.length == 3)
        }
      ),
      (
        "an upload that is not",
        {
          let upload = UploadFile(URL(fileURLWithPath: path))
          #expect(upload.length == 3 && upload.read(upTo: 9) == Data("abc".utf8))
        }
      ),
      (
        "no console",
        {
          #expect(throws: LinkSocket.Failure.absent) {
            try LinkSocket.connect(to: LinkAddress(path: path, isExplicit: true))
          }
        }
      ),
      ("a socket that may take more", { socket.grow(by: 0, limit: .max) }),
      (
        "a waker that comes back",
        {
          for number in [waker.receiving, waker.sending] { close(number) }
          #expect(waker.renew())
        }
      ),
      ("a waker that goes", { Waker()?.close() }),
      ("a watch", { FolderWatch(LinkAddress(path: path, isExplicit: true))?.close() }),
    ]
    for (name, way) in ways {
      let before = try open()
      for _ in 0..<40 { way() }
      let after = try open()
      // Threads that other tests have left may open one meanwhile.
      #expect(after < before + 20, "\(name): \(before), \(after)")
    }
  }
}
