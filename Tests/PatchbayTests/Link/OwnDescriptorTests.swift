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
  @Test(.alone) func itGoesFurtherDownWhereTheHighestAreTaken() throws {
    var before = rlimit()
    let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #expect(getrlimit(files, &before) == 0)
    var usual = rlimit(rlim_cur: min(before.rlim_max, 1024), rlim_max: before.rlim_max)
    #expect(setrlimit(files, &usual) == 0)
    let null = open("/dev/null", O_RDONLY | O_CLOEXEC)
    var taken: [Int32] = []
    while case let number = fcntl(null, F_DUPFD_CLOEXEC, Int32(usual.rlim_cur) - 32), number >= 0 {
      taken.append(number)
    }
    let own = OwnDescriptor(open("/dev/null", O_RDONLY | O_CLOEXEC))
    for number in taken + [null] { close(number) }
    #expect(setrlimit(files, &before) == 0)
    let number = try #require(own).number
    #expect(number > 200 && number < Int32(usual.rlim_cur) - 32)
    own?.close()
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
}
