import Foundation
import PatchbayTestSupport
import Testing

@testable import PatchbayStubs

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite(.bounded) struct FaultTests {
  @Test func codesAreFoundations() {
    let known: [(String, URLError.Code)] = [
      ("unknown", .unknown), ("cancelled", .cancelled), ("badURL", .badURL), ("timedOut", .timedOut),
      ("unsupportedURL", .unsupportedURL), ("cannotFindHost", .cannotFindHost),
      ("cannotConnectToHost", .cannotConnectToHost),
      ("networkConnectionLost", .networkConnectionLost), ("dnsLookupFailed", .dnsLookupFailed),
      ("httpTooManyRedirects", .httpTooManyRedirects), ("resourceUnavailable", .resourceUnavailable),
      ("notConnectedToInternet", .notConnectedToInternet),
      ("redirectToNonExistentLocation", .redirectToNonExistentLocation),
      ("badServerResponse", .badServerResponse), ("userCancelledAuthentication", .userCancelledAuthentication),
      ("userAuthenticationRequired", .userAuthenticationRequired), ("zeroByteResource", .zeroByteResource),
      ("cannotDecodeRawData", .cannotDecodeRawData), ("cannotDecodeContentData", .cannotDecodeContentData),
      ("cannotParseResponse", .cannotParseResponse), ("fileDoesNotExist", .fileDoesNotExist),
      ("fileIsDirectory", .fileIsDirectory), ("noPermissionsToReadFile", .noPermissionsToReadFile),
      ("secureConnectionFailed", .secureConnectionFailed),
      ("serverCertificateHasBadDate", .serverCertificateHasBadDate),
      ("serverCertificateUntrusted", .serverCertificateUntrusted),
      ("serverCertificateHasUnknownRoot", .serverCertificateHasUnknownRoot),
      ("serverCertificateNotYetValid", .serverCertificateNotYetValid),
      ("clientCertificateRejected", .clientCertificateRejected),
      ("clientCertificateRequired", .clientCertificateRequired),
      ("cannotLoadFromNetwork", .cannotLoadFromNetwork), ("cannotCreateFile", .cannotCreateFile),
      ("cannotOpenFile", .cannotOpenFile), ("cannotCloseFile", .cannotCloseFile),
      ("cannotWriteToFile", .cannotWriteToFile),
      ("cannotRemoveFile", .cannotRemoveFile), ("cannotMoveFile", .cannotMoveFile),
      ("downloadDecodingFailedMidStream", .downloadDecodingFailedMidStream),
      ("downloadDecodingFailedToComplete", .downloadDecodingFailedToComplete),
      ("internationalRoamingOff", .internationalRoamingOff), ("callIsActive", .callIsActive),
      ("dataNotAllowed", .dataNotAllowed), ("requestBodyStreamExhausted", .requestBodyStreamExhausted),
      ("backgroundSessionRequiresSharedContainer", .backgroundSessionRequiresSharedContainer),
      ("backgroundSessionInUseByAnotherProcess", .backgroundSessionInUseByAnotherProcess),
      ("backgroundSessionWasDisconnected", .backgroundSessionWasDisconnected),
    ]
    for (name, code) in known {
      #expect(URLErrorCode.code(named: name) == code.rawValue, "\(name)")
      #expect(URLErrorCode.name(of: code.rawValue) == name)
    }
    #expect(URLErrorCode.domain == NSURLErrorDomain)
  }

  /// Every row works when its name is written after `fail:`, and comes to an answer, a failure or a pass.
  @Test(arguments: FaultPreset.all)
  func everyRowWorks(_ fault: FaultPreset) throws {
    #expect(FaultPreset.all.filter { $0.name == fault.name || $0.title == fault.title }.count == 1)
    let stub = try Stub(json: ["name": "a", "then": ["fail": .string(fault.name)]])
    var counters = StubCounters(salt: 1)
    let facts = RequestFacts(method: "GET", url: "https://a.example/")
    guard case .answer(let match) = StubMatcher(StubSet(stubs: [stub])).decide(facts, counters: &counters).step else {
      Issue.record("no answer")
      return
    }
    switch match.action {
    case .fail(let found): #expect(found.error.resolved.domain == URLErrorCode.domain && found.error.resolved.code < 0)
    case .respond(let response): #expect((100...599).contains(response.status))
    case .pass(let changes): #expect(changes.isEmpty == false)
    case .hold, .sequence, .code: Issue.record("\(match.action)")
    }
    // A name that is also a code of URLError means that code.
    if URLErrorCode.code(named: fault.name) != nil { #expect(fault.action == .fail(Fault(.named(fault.name)))) }
    // The action itself can be written to a file.
    #expect(try Action(json: fault.action.json) == fault.action)
  }

  /// Each kind of action, also those that no row of the menu has.
  @Test(
    arguments: [
      (.pass(PassChanges()), "the network's answer"),
      (.pass(PassChanges(delay: .random(from: .zero, to: .seconds(1)))), "the network's answer"),
      (
        .pass(PassChanges(delay: .fixed(.seconds(1)), pace: .throttle(bytesPerSecond: 2_000))),
        "the network's answer after 1s at 2 kB/s"
      ),
      (
        .pass(PassChanges(delay: .fixed(.seconds(1)), headers: [.init("A", nil), .init("B", ["1", "2"])])),
        "the network's answer with A: removed, B: 1, 2"
      ),
      (.respond(CannedResponse(status: 404)), "404 Not Found"),
      (
        .respond(CannedResponse(status: 404, headers: [HeaderField("A", "1"), HeaderField("B", "2")])),
        "404 Not Found with A: 1, B: 2"
      ),
      (.fail(Fault(.custom(domain: "D", code: 7, message: nil))), "D 7"),
      (
        .fail(Fault(.custom(domain: "D", code: 7, message: nil), delay: .fixed(.seconds(1)))),
        "D 7, when the request's timeoutInterval is over"
      ),
      (
        .fail(
          Fault(
            .custom(domain: "D", code: 7, message: nil), after: .init(response: CannedResponse(status: 201)))),
        "201 and the head, then D 7"
      ),
      (
        .fail(
          Fault(
            .custom(domain: "D", code: 7, message: nil),
            after: .init(response: CannedResponse(status: 201), bytes: 3))),
        "201 and 3 bytes of the body, then D 7"
      ),
      (.hold(.both), "what the person decides"), (.code, "what the person decides"),
      (.sequence([.code], afterwards: .last), "what the person decides"),
    ] as [(Action, String)])
  func whatAProgramSees(_ action: Action, _ sees: String) {
    let sight = FaultSight(FaultPreset(name: "a", title: "b", group: .content, action: action))
    var json = #"{"name":"a","title":"b","group":"Wrong content","sees":"\#(sees)""#
    if case .fail = action { json += #","domain":"D","code":7"# }
    #expect(sight.json.compact == json + "}")
  }

  @Test func theMenuHasWhatIsWorthHaving() {
    let names = Set(FaultPreset.all.map(\.name))
    let wanted = [
      "timedOut", "offline", "hostNotFound", "cannotConnect", "tlsFailure", "connectionLost", "connectionLostMidway",
      "cancelled", "badServerResponse", "redirectLoop", "slow2s", "slow10s", "dripping", "emptyResponse",
      "malformedChunk",
      "randomThenClose", "connectionReset", "emptyBody", "cutOffBody", "brokenJSON", "wrongContentType",
      "wrongContentLength", "hugeBody",
    ]
    #expect(names.isSuperset(of: wanted))
    for status in [400, 401, 403, 404, 408, 409, 410, 418, 422, 429, 500, 502, 503, 504] {
      guard case .respond(let response)? = FaultPreset["http\(status)"]?.action else {
        Issue.record("no \(status)")
        continue
      }
      #expect(response.status == status)
    }
    guard case .respond(let busy)? = FaultPreset["http429"]?.action else { return }
    #expect(busy.headers.first(named: "retry-after") == "30")
  }

  @Test func delaysBesideANameAreKept() throws {
    let action = try Action(json: ["fail": ["error": "offline", "delay": "2s"]])
    #expect(FaultPreset.resolve(action) == .fail(Fault(.named("notConnectedToInternet"), delay: .fixed(.seconds(2)))))
    let slow = try Action(json: ["fail": ["error": "http503", "delay": "1s"]])
    guard case .respond(let response) = FaultPreset.resolve(slow) else {
      Issue.record("no response")
      return
    }
    #expect(response.delay == .fixed(.seconds(1)))
    #expect(FaultPreset.resolve(.fail(Fault(.named("nonsense")))) == .fail(Fault(.named("unknown"))))
  }
}
