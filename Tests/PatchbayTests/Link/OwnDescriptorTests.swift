import Foundation
import Testing

@testable import Patchbay

/// Descriptors of the hook's in a program.
@Suite struct OwnDescriptorTests {
  @Test func itLeavesLowNumbersToTheProgram() throws {
    let low = open("/dev/null", O_RDONLY)
    let own = try #require(OwnDescriptor(low))
    defer { own.close() }
    #expect(own.number > 100 && own.number != low)
    #expect(fcntl(own.number, F_GETFD) == FD_CLOEXEC)
    #expect(own.isOurs)
  }

  @Test func itClosesNothingThatIsTheProgramsByNow() throws {
    let own = try #require(OwnDescriptor(open("/dev/null", O_RDONLY)))
    let theirs = open("/dev/zero", O_RDONLY)
    #expect(dup2(theirs, own.number) == own.number)
    close(theirs)
    defer { close(own.number) }
    #expect(!own.isOurs)
    own.close()
    #expect(fcntl(own.number, F_GETFD) >= 0)
  }

  @Test func aWakerComesBackUnderItsNumbers() throws {
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
}
