import Foundation
import PatchbayStubs
import PatchbayTestSupport
import Testing

@testable import Patchbay

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What a folder answers, without a session around it.
@Suite(.bounded) struct FolderAnswerTests {
  private let place: TemporaryFolder
  private let root: String

  init() throws {
    place = try TemporaryFolder()
    root = place.file("mocks")
    try FileManager.default.createDirectory(atPath: root + "/deep", withIntermediateDirectories: true)
    try place.write("0123456789", to: "mocks/ten.txt")
    try place.write("", to: "mocks/empty.txt")
    try place.write("{}", to: "mocks/deep/index.html")
    try place.write("secret", to: "beside.txt")
  }

  private func outcome(
    _ path: String, _ method: String = "GET", _ headers: [String: String] = [:], status: Int = 200, root: String? = nil,
    otherwise: CannedResponse.Missing = .notFound
  ) throws -> FolderAnswer.Outcome {
    let url = try #require(URL(string: "http://a.example" + path))
    var request = URLRequest(url: url)
    request.httpMethod = method
    for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
    let canned = CannedResponse(status: status, body: .folder(root ?? self.root, otherwise: otherwise))
    return try #require(FolderAnswer(canned, RequestSnapshot(request: request), url)).outcome()
  }

  private func answer(
    _ path: String, _ method: String = "GET", _ headers: [String: String] = [:], status: Int = 200
  ) throws -> CannedResponse {
    let outcome = try outcome(path, method, headers, status: status)
    guard case .found(let answer) = outcome else {
      Issue.record("\(path): \(outcome)")
      throw CancellationError()
    }
    return answer
  }

  private func field(_ name: String, _ answer: CannedResponse) -> String? {
    answer.headers.first { $0.name.lowercased() == name.lowercased() }?.value
  }

  private func text(_ answer: CannedResponse) -> String? {
    switch answer.body {
    case .data(let data): String(decoding: data, as: UTF8.self)
    case .text(let text): text
    case .none: nil
    default: "another kind of body"
    }
  }

  /// RFC 9110, 14.1 to 14.4.
  @Test(
    arguments: [
      ("bytes=0-3", 206, "0123", "bytes 0-3/10"), ("bytes=3-3", 206, "3", "bytes 3-3/10"),
      ("bytes=9-", 206, "9", "bytes 9-9/10"), ("bytes=5-99", 206, "56789", "bytes 5-9/10"),
      ("bytes=0-9", 206, "0123456789", "bytes 0-9/10"), ("bytes=-3", 206, "789", "bytes 7-9/10"),
      ("bytes=-99", 206, "0123456789", "bytes 0-9/10"), ("BYTES=1-2", 206, "12", "bytes 1-2/10"),
      ("bytes=10-", 416, "", "bytes */10"), ("bytes=10-12", 416, "", "bytes */10"), ("bytes=-0", 416, "", "bytes */10"),
      ("bytes=3-2", 200, "0123456789", nil), ("bytes=1-2,4-5", 200, "0123456789", nil),
      ("bytes=", 200, "0123456789", nil),
      ("bytes=-", 200, "0123456789", nil), ("bytes=a-b", 200, "0123456789", nil), ("lines=1-2", 200, "0123456789", nil),
      ("bytes=99999999999999999999-", 200, "0123456789", nil),
    ] as [(String, Int, String, String?)])
  func ranges(_ range: String, _ status: Int, _ body: String, _ said: String?) throws {
    let answer = try answer("/ten.txt", "GET", ["Range": range])
    #expect(answer.status == status)
    #expect(text(answer) == body)
    #expect(field("Content-Range", answer) == said)
    #expect(field("Content-Length", answer) == "\(body.utf8.count)")
  }

  @Test func aFileOfNoBytesHasNoRange() throws {
    #expect(try answer("/empty.txt", "GET", ["Range": "bytes=-5"]).status == 416)
    #expect(try answer("/empty.txt", "GET", ["Range": "bytes=0-"]).status == 416)
    #expect(text(try answer("/empty.txt")) == "")
  }

  @Test func onlyAGetOfAStubWithoutAStatusOfItsOwnGetsAPart() throws {
    let part = ["Range": "bytes=0-3"]
    #expect(try answer("/ten.txt", "POST", part).status == 200)
    #expect(text(try answer("/ten.txt", "POST", part)) == "0123456789")
    #expect(try answer("/ten.txt", "GET", part, status: 203).status == 203)
    #expect(field("Accept-Ranges", try answer("/ten.txt")) == "bytes")
    #expect(field("Accept-Ranges", try answer("/ten.txt", "POST")) == nil)
    let head = try answer("/ten.txt", "HEAD")
    #expect(head.status == 200 && text(head) == nil && field("Content-Length", head) == "10")
  }

  /// RFC 9110, 13.1.2, 13.1.3 and 13.1.5.
  @Test func whatIsUnchangedIsNotSentAgain() throws {
    let answer = try answer("/ten.txt")
    let tag = try #require(field("ETag", answer))
    let time = try #require(field("Last-Modified", answer))
    for tags in [tag, "W/\(tag)", "\"other\", \(tag)", "*"] {
      let again = try self.answer("/ten.txt", "GET", ["If-None-Match": tags])
      #expect(again.status == 304 && text(again) == nil, "\(tags)")
    }
    #expect(try self.answer("/ten.txt", "GET", ["If-None-Match": "\"other\""]).status == 200)
    #expect(try self.answer("/ten.txt", "GET", ["If-Modified-Since": time]).status == 304)
    #expect(try self.answer("/ten.txt", "GET", ["If-Modified-Since": "Thu, 01 Jan 2099 00:00:00 GMT"]).status == 304)
    #expect(try self.answer("/ten.txt", "GET", ["If-Modified-Since": "Thu, 01 Jan 1970 00:00:00 GMT"]).status == 200)
    // A tag is asked before a time.
    #expect(
      try self.answer("/ten.txt", "GET", ["If-None-Match": "\"other\"", "If-Modified-Since": time]).status == 200)
    #expect(try self.answer("/ten.txt", "POST", ["If-None-Match": tag]).status == 200)
    #expect(try self.answer("/ten.txt", "GET", ["If-None-Match": tag], status: 201).status == 201)
    for condition in [tag, time] {
      #expect(try self.answer("/ten.txt", "GET", ["Range": "bytes=0-1", "If-Range": condition]).status == 206)
    }
    for condition in ["\"other\"", "Thu, 01 Jan 1970 00:00:00 GMT", "nonsense"] {
      #expect(try self.answer("/ten.txt", "GET", ["Range": "bytes=0-1", "If-Range": condition]).status == 200)
    }
  }

  @Test func theTimeIsTheFiles() throws {
    let time = Date(timeIntervalSince1970: 1_795_000_062)
    try FileManager.default.setAttributes([.modificationDate: time], ofItemAtPath: root + "/ten.txt")
    #expect(field("Last-Modified", try answer("/ten.txt")) == "Wed, 18 Nov 2026 11:07:42 GMT")
    let tag = field("ETag", try answer("/ten.txt"))
    try place.write("9876543210", to: "mocks/ten.txt")
    #expect(field("ETag", try answer("/ten.txt")) != tag)
  }

  @Test func aFolderIsItsIndex() throws {
    #expect(text(try answer("/deep")) == "{}")
    #expect(text(try answer("/deep/")) == "{}")
    #expect(field("Content-Type", try answer("/deep"))?.hasPrefix("text/html") == true)
  }

  @Test(arguments: [
    "/", "/no.txt", "/../beside.txt", "/%2e%2e/beside.txt", "/deep/%2e%2e/ten.txt", "/a%2Fb", "/ten%00.txt",
    "/ten.txt/x", "/link.txt", "/linked/beside.txt", "/pipe", "/ten.txt%00", "/deep%2Findex.html", "/%2e/ten.txt",
  ])
  func nothingElseIsThere(_ path: String) throws {
    try FileManager.default.createSymbolicLink(
      atPath: root + "/link.txt", withDestinationPath: place.file("beside.txt"))
    try FileManager.default.createSymbolicLink(atPath: root + "/linked", withDestinationPath: place.path)
    mkfifo(root + "/pipe", 0o600)
    for otherwise in CannedResponse.Missing.allCases {
      guard case .missing(let what, let notice) = try outcome(path, otherwise: otherwise) else {
        Issue.record("\(path) is there")
        continue
      }
      #expect(what == otherwise && notice == nil)
    }
  }

  @Test func aFolderThatIsGoneHoldsNothing() throws {
    try FileManager.default.removeItem(atPath: root)
    guard case .missing = try outcome("/ten.txt") else {
      Issue.record("it is there")
      return
    }
    guard case .missing = try outcome("/ten.txt", root: "") else {
      Issue.record("it is there")
      return
    }
  }

  /// A body is held in memory; a sparse file takes no room on the disk.
  @Test func whatIsTooLargeIsAnsweredInRangesOnly() throws {
    let path = try place.write("", to: "mocks/huge.bin")
    #expect(truncate(path, (256 << 20) + 1) == 0)
    let whole = try answer("/huge.bin")
    #expect(whole.status == 500)
    #expect(text(whole)?.contains("larger than 256 MiB") == true)
    #expect(whole.headers.map(\.name) == ["Content-Type"])
    #expect(try answer("/huge.bin", "HEAD").status == 200)
    let part = try answer("/huge.bin", "GET", ["Range": "bytes=268435450-"])
    #expect(part.status == 206 && text(part)?.utf8.count == 7)
  }

  @Test func aFileOfOneByteHasARange() throws {
    try place.write("x", to: "mocks/one.txt")
    for range in ["bytes=-1", "bytes=-5", "bytes=0-", "bytes=0-0", "bytes=0-9"] {
      let answer = try answer("/one.txt", "GET", ["Range": range])
      #expect(answer.status == 206 && text(answer) == "x", "\(range)")
      #expect(field("Content-Range", answer) == "bytes 0-0/1", "\(range)")
    }
    #expect(text(try answer("/ten.txt", "GET", ["Range": "bytes=-1"])) == "9")
  }

  @Test func aFolderThatIsNamedAsAnIndexIsNone() throws {
    for folder in ["/index.html/sub", "/other/index.html"] {
      try FileManager.default.createDirectory(atPath: root + folder, withIntermediateDirectories: true)
    }
    try place.write("sub", to: "mocks/index.html/sub/index.html")
    try place.write("no", to: "mocks/other/index.html/index.html")
    #expect(text(try answer("/index.html/sub")) == "sub")
    for path in ["/", "/index.html", "/other", "/other/index.html"] {
      guard case .missing = try outcome(path) else {
        Issue.record("\(path) is there")
        continue
      }
    }
  }

  @Test func aFolderWhoseNameOnlyBeginsTheSameIsOutside() throws {
    try FileManager.default.createDirectory(atPath: root + "-old", withIntermediateDirectories: true)
    try place.write("old", to: "mocks-old/x.txt")
    try FileManager.default.createSymbolicLink(atPath: root + "/old", withDestinationPath: root + "-old")
    guard case .missing = try outcome("/old/x.txt") else {
      Issue.record("it is there")
      return
    }
  }

  @Test func everythingLiesInTheOutermostFolder() throws {
    guard case .found(let answer) = try outcome(place.file("beside.txt"), root: "/") else {
      Issue.record("it is not there")
      return
    }
    #expect(text(answer) == "secret")
  }

  @Test func whatTheStubSaysItselfStaysAndStandsFirst() throws {
    #expect(
      try answer("/ten.txt", "GET", ["Range": "bytes=0-3"]).headers.map(\.name) == [
        "Content-Type", "Last-Modified", "ETag", "Accept-Ranges", "Content-Range", "Content-Length",
      ])
    let url = try #require(URL(string: "http://a.example/ten.txt"))
    let own = [HeaderField("etag", "\"own\""), HeaderField("Content-Type", "a/b")]
    let canned = CannedResponse(
      headers: own, body: .folder(root, otherwise: .pass), delay: .fixed(.seconds(1)),
      pace: .throttle(bytesPerSecond: 9))
    let folder = try #require(FolderAnswer(canned, RequestSnapshot(request: URLRequest(url: url)), url))
    guard case .found(let made) = folder.outcome() else {
      Issue.record("it is not there")
      return
    }
    #expect(Array(made.headers.prefix(2)) == own)
    #expect(made.headers.dropFirst(2).map(\.name) == ["Last-Modified", "Accept-Ranges", "Content-Length"])
    #expect(made.delay == .fixed(.seconds(1)) && made.pace == .throttle(bytesPerSecond: 9))
    let notFound = folder.notFound
    #expect(notFound.status == 404 && text(notFound) == "Not Found\n" && notFound.delay == .fixed(.seconds(1)))
    #expect(notFound.headers == [HeaderField("Content-Type", "text/plain; charset=utf-8")])
  }

  @Test(arguments: [
    (10, "Thu, 01 Jan 1970 00:00:10 GMT", "Thu, 01 Jan 1970 00:00:09 GMT"),
    (946_631_287, "Fri, 31 Dec 1999 09:08:07 GMT", "Fri, 31 Dec 1999 09:08:06 GMT"),
    (1_709_251_199, "Thu, 29 Feb 2024 23:59:59 GMT", "Thu, 29 Feb 2024 23:59:58 GMT"),
    (1_791_627_010, "Sat, 10 Oct 2026 10:10:10 GMT", "Sat, 10 Oct 2026 10:10:09 GMT"),
  ])
  func aTimeIsReadAsItIsWritten(_ seconds: Int, _ time: String, _ before: String) throws {
    let date = Date(timeIntervalSince1970: Double(seconds))
    try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: root + "/ten.txt")
    #expect(field("Last-Modified", try answer("/ten.txt")) == time)
    #expect(try answer("/ten.txt", "GET", ["If-Modified-Since": time]).status == 304)
    #expect(try answer("/ten.txt", "GET", ["If-Modified-Since": before]).status == 200)
    #expect(try answer("/ten.txt", "GET", ["Range": "bytes=0-1", "If-Range": time]).status == 206)
    #expect(try answer("/ten.txt", "GET", ["Range": "bytes=0-1", "If-Range": before]).status == 200)
  }

  @Test(arguments: [
    "", "soon", "Sat, 10 Oct 2099 10:10 GMT", "Sat, 10 Okt 2099 10:10:10 GMT", "Sat, 10 Oct 2099 10:10:10 CET",
    "Sat, 10 Oct 2099 10:10:10", "Sat, 10 Oct 2099 10:10:10 GMT GMT", "Sat, ten Oct 2099 10:10:10 GMT",
  ])
  func whatIsNoTimeCountsAsNone(_ time: String) throws {
    #expect(try answer("/ten.txt", "GET", ["If-Modified-Since": time]).status == 200)
  }

  // MARK: A file whose name a request fills in

  private func filled(_ path: String) throws -> FolderAnswer? {
    let url = try #require(URL(string: "http://a.example/any"))
    return FolderAnswer(CannedResponse(body: .file(path)), RequestSnapshot(request: URLRequest(url: url)), url)
  }

  @Test(
    arguments: [
      ("ten.txt", "0123456789"), ("/ten.txt", "0123456789"), ("deep/index.html", "{}"), ("deep", "{}"),
      ("", nil), ("/", nil), ("none.txt", nil), ("../beside.txt", nil), ("deep/../ten.txt", nil), ("./ten.txt", nil),
    ] as [(String, String?)])
  func aFileIsReadFromItsFolderOnly(_ rest: String, _ body: String?) throws {
    let folder = try filled(root + "\0" + rest)
    switch try #require(folder).outcome() {
    case .found(let answer): #expect(body != nil && text(answer) == body)
    case .missing(let otherwise, let notice):
      let name = rest == "none.txt" ? rest : "…"
      #expect(body == nil && otherwise == .notFound)
      #expect(notice == "A stub's file \(root)/\(name) is not there (or lies outside): 404.")
    }
  }

  /// It came as bytes.
  @Test func aFileWithoutAPlaceToFillInIsNone() throws {
    let answer = try filled(root + "/ten.txt")
    #expect(answer == nil)
  }

  /// As some of the kernel's do.
  @Test func aFileThatHoldsLessThanItSaysCannotBeRead() throws {
    let folder = "/sys/devices/system/cpu"
    var status = stat()
    guard stat(folder + "/online", &status) == 0, status.st_size > 99 else { return }
    for (range, expected) in [("", 500), ("bytes=0-1", 206), ("bytes=1-99", 500)] {
      guard case .found(let answer) = try outcome("/online", "GET", ["Range": range], root: folder) else {
        Issue.record("it is not there")
        return
      }
      #expect(answer.status == expected, "\(range)")
    }
  }

  /// Whatever is answered, no file of the folder stays open.
  @Test func noFileStaysOpen() throws {
    try place.write("secret", to: "secret.txt")
    for (name, target) in [("out", place.file("secret.txt")), ("gone", "/nowhere/at/all")] {
      try FileManager.default.createSymbolicLink(atPath: "\(root)/\(name)", withDestinationPath: target)
    }
    #expect(mkfifo(root + "/pipe", 0o600) == 0)
    for path in ["/ten.txt", "/empty.txt", "/deep", "/", "/out", "/gone", "/pipe", "/none", "/deep/none"] {
      for method in ["GET", "HEAD", "POST"] { _ = try outcome(path, method) }
      _ = try outcome(path, "GET", ["Range": "bytes=2-3"])
      _ = try outcome(path, "GET", ["Range": "bytes=200-"])
      _ = try outcome(path, "GET", ["If-None-Match": "*"])
    }
    let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap {
      try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
    }
    #expect(open.filter { $0.hasPrefix(place.url.path) } == [])
  }
}
