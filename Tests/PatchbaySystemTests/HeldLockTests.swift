import Foundation
import PatchbayTestSupport
import Testing

@testable import PatchbaySystem

@Suite(.bounded) struct HeldLockTests {
  /// A locked file under a number that nobody else gets by himself: the lowest free ones are given first.
  private func locked(_ path: String) throws -> Int32 {
    let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    defer { close(file) }
    let number = fcntl(file, F_DUPFD_CLOEXEC, 700)
    try #require(number >= 700 && flock(number, LOCK_EX | LOCK_NB) == 0)
    return number
  }

  private func isFree(_ path: String) -> Bool {
    let other = open(path, O_RDWR | O_CLOEXEC)
    defer { close(other) }
    return flock(other, LOCK_EX | LOCK_NB) == 0
  }

  @Test func othersGetItOnceItIsGivenUp() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("lock")
    let number = try locked(path)
    let lock = HeldLock(number)
    #expect(!isFree(path))
    #expect(lock.release())
    #expect(isFree(path) && fcntl(number, F_GETFD) < 0)
  }

  @Test func itGoesWithItsOwner() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("lock")
    var lock: HeldLock? = HeldLock(try locked(path))
    #expect(!isFree(path))
    withExtendedLifetime(lock) {}
    lock = nil
    #expect(isFree(path))
  }

  /// A child that has been forked has the descriptor, too.
  @Test func itIsGivenUpAlsoWhereSomebodyHasItsDescriptor() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("lock")
    let number = try locked(path)
    let childs = fcntl(number, F_DUPFD_CLOEXEC, 700)
    defer { close(childs) }
    HeldLock(number).release()
    #expect(isFree(path))
  }

  @Test(.alone) func whatHasItsNumberByNowIsNotClosed() throws {
    let folder = try TemporaryFolder()
    let number = try locked(folder.file("lock"))
    var lock: HeldLock? = HeldLock(number)
    lock?.release()
    let null = open("/dev/null", O_RDONLY | O_CLOEXEC)
    defer { close(null) }
    #expect(dup2(null, number) == number)
    defer { close(number) }
    #expect(lock?.release() == false)
    lock = nil
    #expect(fcntl(number, F_GETFD) >= 0)
  }
}
