import Foundation
import PatchbayTestSupport
import Testing

@testable import PatchbayLaunch

@Suite(.bounded) struct ByteStringTests {
  @Test func whatStandsBehindANULIsCut() {
    #expect(ByteString(bytes: [0x61, 0xff, 0, 0x62]).bytes == [0x61, 0xff])
    #expect(ByteString(bytes: [0]).bytes == [] && ByteString("a\0b").bytes == [0x61])
    #expect(ByteString("日").bytes == [0xe6, 0x97, 0xa5] && ByteString("日").description == "日")
    #expect(("x" as ByteString) == ByteString(bytes: [0x78]))
    #expect(ByteString(bytes: [0xff]).description == "\u{FFFD}")
  }

  @Test func theyGoToTheSystemAsTheyAreWithANullBehindThem() {
    for strings in [[], ["a"], ["a", "", "bc"], [ByteString(bytes: [0xff, 0xfe]), "x"]] as [[ByteString]] {
      let seen = ByteString.withCStrings(strings) { pointers in
        var seen: [ByteString] = []
        var next = pointers
        while let text = next.pointee {
          seen.append(ByteString(bytes: UnsafeRawBufferPointer(start: text, count: strlen(text))))
          #expect(text[strlen(text)] == 0)
          next += 1
        }
        return seen
      }
      #expect(seen == strings)
    }
  }

  @Test func theLastArgumentsAreOurOwn() {
    let all = CommandLine.arguments.map { ByteString($0) }
    #expect(ByteString.lastArguments(0) == [] && ByteString.lastArguments(-1) == [])
    #expect(ByteString.lastArguments(1) == Array(all.suffix(1)))
    #expect(ByteString.lastArguments(all.count + 5) == all)
  }
}

@Suite(.bounded) struct FileBytesTests {
  @Test func aFileIsReadUpToALimit() throws {
    let place = try TemporaryFolder("bytes")
    let bytes = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) }
    let path = "\(place.path)/file"
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    for limit in [0, 1, 65_535, 65_536, 65_537, 199_999, 200_000, 200_001] {
      #expect(FileBytes.read(path, atMost: limit) == Array(bytes.prefix(limit)), "\(limit)")
    }
    #expect(FileBytes.read(try place.file("empty"), atMost: 10) == [])
    #expect(FileBytes.text(try place.file("text", "日本"), atMost: 3) == "日")
  }

  @Test func anEndlessFileIsReadUpToItsLimit() {
    #expect(FileBytes.read("/dev/zero", atMost: 70_000) == [UInt8](repeating: 0, count: 70_000))
  }

  @Test func whatFailedBeforeSaysNothingOfWhatIsReadNow() throws {
    let place = try TemporaryFolder("bytes")
    let path = try place.file("file", "12")
    errno = EINTR
    let bytes = FileBytes.read(path, atMost: 10)
    #expect(bytes == Array("12".utf8))
  }

  @Test func whatCannotBeReadIsNil() throws {
    let place = try TemporaryFolder("bytes")
    #expect(FileBytes.read(place.path, atMost: 10) == nil && FileBytes.text(place.path, atMost: 10) == nil)
    #expect(FileBytes.read("\(place.path)/none", atMost: 10) == nil)
    // A pipe that nobody writes to holds nobody up.
    let pipe = "\(place.path)/pipe"
    #expect(mkfifo(pipe, 0o600) == 0)
    #expect(FileBytes.read(pipe, atMost: 10) == [])
  }
}

@Suite(.bounded) struct LaunchErrorTests {
  @Test func aFailedCallIsASentence() {
    let plain = LaunchError.system("write x", ENOENT)
    #expect(plain == LaunchError("cannot write x: no such file or directory", exitStatus: 125))
    let whole = LaunchError.system("run x", EACCES, way: "ask somebody", exitStatus: 126)
    #expect(whole == LaunchError("cannot run x: permission denied; ask somebody", exitStatus: 126))
    #expect(LaunchError("no").exitStatus == 125)
  }
}
