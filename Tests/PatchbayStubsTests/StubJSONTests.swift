import Foundation
import PatchbayTestSupport
import Testing

@testable import PatchbayStubs

/// Stubs in the form in which they travel and stand in files: what is written, and what is looked into when it is read.
@Suite(.bounded) struct StubJSONTests {
  private func json(_ text: String) throws -> JSONValue { try JSONValue(parsing: text) }

  private func stub(_ then: Action, _ change: (inout Stub) -> Void = { _ in }) -> Stub {
    var stub = Stub(name: "a", then: then)
    change(&stub)
    return stub
  }

  /// Nothing is written that goes without saying.
  @Test func whatIsWritten() throws {
    let then = #""then":{"hold":"request"}"#
    let rows: [(Stub, String)] = [
      (stub(.hold(.request)), #"{"name":"a",\#(then)}"#),
      (stub(.hold(.request)) { $0.enabled = false }, #"{"name":"a","enabled":false,\#(then)}"#),
      (stub(.hold(.request)) { $0.skip = 1 }, #"{"name":"a",\#(then),"skip":1}"#),
      (stub(.hold(.request)) { $0.skip = -1 }, #"{"name":"a",\#(then)}"#),
      (stub(.hold(.request)) { $0.chance = 0 }, #"{"name":"a",\#(then),"chance":0.0}"#),
      (stub(.hold(.request)) { $0.chance = .infinity }, #"{"name":"a",\#(then)}"#),
      (stub(.hold(.request)) { $0.seed = 0 }, #"{"name":"a",\#(then),"seed":0}"#),
      (stub(.hold(.request)) { $0.times = 0 }, #"{"name":"a",\#(then),"times":0}"#),
      (stub(.hold(.request)) { $0.scenario = .init("s") }, #"{"name":"a",\#(then),"scenario":{"name":"s"}}"#),
      (
        stub(.hold(.request)) { $0.scenario = .init("s", in: "x", to: "y") },
        #"{"name":"a",\#(then),"scenario":{"name":"s","in":"x","to":"y"}}"#
      ),
      (stub(.code), #"{"name":"a","then":{"code":{}}}"#),
      (stub(.pass(PassChanges())), #"{"name":"a","then":{"pass":{}}}"#),
      (
        stub(.sequence([.code, .hold(.both)], afterwards: .repeat)),
        #"{"name":"a","then":{"sequence":[{"code":{}},{"hold":"both"}],"afterwards":"repeat"}}"#
      ),
      (stub(.respond(CannedResponse())), #"{"name":"a","then":{"respond":{"status":200}}}"#),
      (stub(.fail(Fault(.named("timedOut")))), #"{"name":"a","then":{"fail":"timedOut"}}"#),
      (
        stub(.fail(Fault(.named("timedOut"), delay: .fixed(.seconds(1))))),
        #"{"name":"a","then":{"fail":{"error":"timedOut","delay":"1s"}}}"#
      ),
      (
        stub(.fail(Fault(.custom(domain: "D", code: -1, message: nil)))),
        #"{"name":"a","then":{"fail":{"domain":"D","code":-1}}}"#
      ),
      (
        stub(
          .fail(
            Fault(
              .custom(domain: "D", code: 1, message: "m"),
              after: .init(response: CannedResponse(body: .text("x")), bytes: -3)))),
        #"{"name":"a","then":{"fail":{"domain":"D","code":1,"message":"m","after":{"status":200,"body":"x","bytes":0}}}}"#
      ),
      (
        stub(.fail(Fault(.named("timedOut"), after: .init(response: CannedResponse())))),
        #"{"name":"a","then":{"fail":{"error":"timedOut","after":{"status":200}}}}"#
      ),
      (
        stub(.respond(CannedResponse(body: .folder("f", otherwise: .pass)))),
        #"{"name":"a","then":{"respond":{"status":200,"folder":"f"}}}"#
      ),
      (
        stub(.respond(CannedResponse(body: .folder("f", otherwise: .notFound)))),
        #"{"name":"a","then":{"respond":{"status":200,"folder":"f","otherwise":"404"}}}"#
      ),
      (
        stub(
          .respond(
            CannedResponse(
              body: .events([
                .init(event: "e", id: "i", data: ["a": 1], after: .fixed(.milliseconds(5))), .init(id: "j"),
              ])))),
        #"{"name":"a","then":{"respond":{"status":200,"events":[{"event":"e","id":"i","data":{"a":1},"after":"5ms"},{"id":"j"}]}}}"#
      ),
      (
        stub(.respond(CannedResponse(body: .filler(bytes: 2_048)))),
        #"{"name":"a","then":{"respond":{"status":200,"filler":"2KiB"}}}"#
      ),
      (
        stub(
          .respond(
            CannedResponse(
              body: .data(Data([1, 2])), delay: .random(from: .seconds(1), to: .seconds(2)),
              pace: .throttle(bytesPerSecond: 1_000)))),
        #"{"name":"a","then":{"respond":{"status":200,"base64":"AQI=","delay":{"from":"1s","to":"2s"},"throttle":"1kB/s"}}}"#
      ),
      (
        stub(.respond(CannedResponse(body: .file("x.json"), pace: .dribble(pieces: 3, over: .seconds(2))))),
        #"{"name":"a","then":{"respond":{"status":200,"file":"x.json","dribble":{"pieces":3,"over":"2s"}}}}"#
      ),
    ]
    for (stub, text) in rows {
      #expect(stub.json.compact == text)
      guard stub.skip >= 0, stub.chance?.isFinite ?? true, stub.times != 0, case let back = try? Stub(json: stub.json)
      else { continue }
      if case .fail(let fault) = stub.then, fault.after?.bytes == -3 { continue }
      if case .sequence = stub.then { continue }
      if let scenario = stub.scenario, scenario.state == nil { continue }
      #expect(back == stub, "\(text)")
    }
  }

  @Test func fieldsOfTheSameNameAreOneList() throws {
    let fields = [HeaderField("A", "1"), HeaderField("A", "2"), HeaderField("B", "3"), HeaderField("A", "4")]
    #expect(
      CannedResponse(headers: fields).json.compact == #"{"status":200,"headers":[{"A":["1","2"]},{"B":"3"},{"A":"4"}]}"#
    )
    #expect(
      CannedResponse(headers: Array(fields.prefix(3))).json.compact
        == #"{"status":200,"headers":{"A":["1","2"],"B":"3"}}"#)
    #expect(try CannedResponse(json: CannedResponse(headers: fields).json).headers == fields)
    let changes = PassChanges(headers: [.init("A", nil), .init("B", ["1"]), .init("C", ["1", "2"]), .init("D", [])])
    #expect(changes.json.compact == #"{"headers":{"A":null,"B":"1","C":["1","2"],"D":null}}"#)
  }

  @Test func patternsAreWrittenAsShortAsTheyCanBe() throws {
    func when(_ pattern: RequestPattern) -> String { pattern.json.compact }
    #expect(when(RequestPattern()) == "{}" && when(RequestPattern(methods: ["GET"])) == #"{"method":"GET"}"#)
    #expect(when(RequestPattern(methods: ["GET", "PUT"], port: 80)) == #"{"method":["GET","PUT"],"port":80}"#)
    let one = RequestPattern(path: .glob("/a"))
    #expect(when(RequestPattern(not: [one])) == #"{"not":{"path":"/a"}}"#)
    #expect(
      when(RequestPattern(any: [one], not: [one, one]))
        == #"{"any":[{"path":"/a"}],"not":[{"path":"/a"},{"path":"/a"}]}"#)
    #expect(
      when(RequestPattern(query: [.init("q", nil), .init("q", .glob("1"))])) == #"{"query":[{"q":null},{"q":"1"}]}"#)
    let texts: [(TextPattern, String)] = [
      (.glob("a"), #""a""#), (.matches("a"), #"{"matches":"a"}"#),
      (.any([.glob("a"), .matches("b")]), #"["a",{"matches":"b"}]"#),
      (.not([.glob("a")]), #"{"not":"a"}"#), (.not([.glob("a"), .glob("b")]), #"{"not":["a","b"]}"#),
      (.not([.any([.glob("a"), .glob("b")])]), #"{"not":[["a","b"]]}"#),
      (.all([.matches("a"), .not([.glob("b")])]), #"{"matches":"a","not":"b"}"#),
      (.all([.any([.matches("a"), .matches("c")]), .not([.glob("b")])]), #"{"matches":["a","c"],"not":"b"}"#),
      (.all([.glob("a"), .glob("b")]), #"{"not":[{"not":"a"},{"not":"b"}]}"#),
      (.all([.glob("a"), .not([.glob("b")])]), #"{"not":[{"not":"a"},{"not":{"not":"b"}}]}"#),
      (
        .all([.any([.matches("a"), .glob("c")]), .not([.glob("b")])]),
        #"{"not":[{"not":[{"matches":"a"},"c"]},{"not":{"not":"b"}}]}"#
      ),
    ]
    for (pattern, text) in texts { #expect(pattern.json.compact == text) }
    let bodies: [(BodyPattern, String)] = [
      (
        BodyPattern(contains: .glob("a"), equals: "b", matches: "c", json: 1),
        #"{"contains":"a","equals":"b","matches":"c","json":1}"#
      ),
      (
        BodyPattern(contains: .all([.glob("a"), .any([.matches("b"), .matches("c")])])),
        #"{"contains":"a","matches":["b","c"]}"#
      ),
      (
        BodyPattern(pointer: [.init("/a", true)], form: [.init("f", nil)], multipart: [.init("m", .glob("*"))]),
        #"{"pointer":{"/a":true},"form":{"f":null},"multipart":{"m":"*"}}"#
      ),
      (
        BodyPattern(graphql: .init(operation: .glob("Q"), variables: ["v": 1])),
        #"{"graphql":{"operation":"Q","variables":{"v":1}}}"#
      ),
      (BodyPattern(graphql: .init()), #"{"graphql":{}}"#),
    ]
    for (pattern, text) in bodies {
      #expect(pattern.schemaJSON.compact == text)
      #expect(
        try Stub(
          json: .members([
            "name": "a", "when": .members(["body": pattern.schemaJSON]), "then": json(#"{"hold":"both"}"#),
          ])
        ).when.body == pattern)
    }
    // Where an expression stands too, several cannot stand in its place.
    let both = BodyPattern(contains: .all([.glob("a"), .any([.matches("b"), .matches("c")])]), matches: "d")
    #expect(
      both.schemaJSON.compact
        == #"{"contains":{"not":[{"not":"a"},{"not":[{"matches":"b"},{"matches":"c"}]}]},"matches":"d"}"#)
  }

  /// What a peer has looked into need not be looked into again; everything else is.
  @Test(arguments: [
    #"{"fail":"noSuchError"}"#, #"{"respond":{"status":99}}"#, #"{"respond":{"status":600}}"#,
    #"{"pass":{"status":99}}"#,
    #"{"respond":{"status":200,"headers":{"A B":"1"}}}"#, #"{"respond":{"status":200,"headers":{"A":"1\n2"}}}"#,
    #"{"respond":{"status":200,"body":"{{no.such}}"}}"#, #"{"respond":{"status":200,"delay":{"from":"2s","to":"1s"}}}"#,
    #"{"respond":{"status":200,"filler":"2GiB"}}"#, #"{"pass":{"replace":{"find":"","with":"x"}}}"#,
  ])
  func whatIsLookedInto(_ text: String) throws {
    let then = try json(text)
    #expect(throws: StubError.self) { try Action(json: then) }
    #expect(throws: Never.self) { try Action(json: then, checked: false) }
    let whole = JSONValue.members(["name": "a", "then": then])
    #expect(throws: StubError.self) { try Stub(json: whole) }
    #expect(throws: Never.self) { try Stub(json: whole, checked: false) }
    for (key, value) in [("fail", then["fail"]), ("respond", then["respond"])] {
      guard let value else { continue }
      if key == "fail" {
        #expect(throws: StubError.self) { try Fault(json: value) }
        #expect(throws: Never.self) { try Fault(json: value, checked: false) }
      } else {
        #expect(throws: StubError.self) { try CannedResponse(json: value) }
        #expect(throws: Never.self) { try CannedResponse(json: value, checked: false) }
      }
    }
  }

  @Test func whatAPeerSaysIsTakenAsItIs() throws {
    for when in [#"{"path":{"matches":"("}}"#, #"{"method":"A B"}"#, #"{"body":{"pointer":{"a":1}}}"#] {
      let whole = JSONValue.members(["name": "a", "when": try json(when), "then": try json(#"{"hold":"both"}"#)])
      #expect(throws: StubError.self) { try Stub(json: whole) }
      #expect(throws: Never.self) { try Stub(json: whole, checked: false) }
    }
    for rest in [#""times":0"#, #""name":" ""#, #""scenario":{"name":"s"}"#] {
      let name = rest.contains("name\":\" ") ? "" : #""name":"a","#
      let whole = try json("{\(name)\(rest),\"then\":{\"hold\":\"both\"}}")
      #expect(throws: StubError.self) { try Stub(json: whole) }
      #expect(throws: Never.self) { try Stub(json: whole, checked: false) }
    }
    #expect(throws: StubError.self) { try TextPattern(json: json(#"{"matches":"("}"#)) }
    #expect(throws: StubError.self) { try RequestChanges(json: json(#"{"port":"x"}"#)) }
    #expect(try TextPattern(json: json(#"["a","b"]"#)) == .any([.glob("a"), .glob("b")]))
    #expect(
      try RequestChanges(json: json(#"{"method":"PUT","port":8080}"#)) == RequestChanges(method: "PUT", port: 8_080))
    // Code stands in what travels, and in no file.
    #expect(throws: StubError.self) { try Action(json: json(#"{"code":{}}"#)) }
    #expect(try Action(json: json(#"{"code":{}}"#), checked: false) == .code)
    #expect(try Stub(json: json(#"{"name":"a","then":{"code":{}}}"#)).then == .code)
  }

  /// Every number has its bounds, and these are inside.
  @Test(arguments: [
    ("\"then\":{\"respond\":{\"status\":#}}", ["100", "599"], ["99", "600", "-1", "200.5", "\"200\"", "null"]),
    ("\"then\":{\"pass\":{\"status\":#}}", ["100", "599"], ["99", "600"]),
    ("\"then\":{\"hold\":\"both\"},\"skip\":#", ["0", "9223372036854775807"], ["-1", "9223372036854775808", "1.5"]),
    ("\"then\":{\"hold\":\"both\"},\"times\":#", ["1", "9223372036854775807"], ["0", "-1"]),
    ("\"then\":{\"hold\":\"both\"},\"chance\":#", ["0", "1", "0.5", "1e-3"], ["-0.1", "1.1", "\"1\"", "true"]),
    ("\"then\":{\"hold\":\"both\"},\"seed\":#", ["0", "18446744073709551615"], ["-1", "18446744073709551616", "0.5"]),
    ("\"then\":{\"hold\":\"both\"},\"enabled\":#", ["true", "false"], ["1", "\"true\"", "null"]),
    ("\"when\":{\"port\":#},\"then\":{\"hold\":\"both\"}", ["0", "65535"], ["-1", "65536", "[80]"]),
    ("\"then\":{\"respond\":{\"dribble\":{\"pieces\":#,\"over\":\"1s\"}}}", ["1", "1000000"], ["0", "1000001"]),
    ("\"then\":{\"respond\":{\"throttle\":\"#\"}}", ["1", "1B/s", "20kB/s", "20kB"], ["0", "0/s", "x", "-1"]),
    ("\"then\":{\"respond\":{\"filler\":\"#\"}}", ["0", "1GiB"], ["1073741825", "-1", "x"]),
    ("\"then\":{\"respond\":{\"delay\":\"#\"}}", ["0s", "1000d"], ["1001d", "-1s", "x"]),
    ("\"then\":{\"hold\":\"#\"}", ["request", "response", "both"], ["none", "Request", ""]),
    ("\"then\":{\"sequence\":[{\"hold\":\"both\"}],\"afterwards\":\"#\"}", ["last", "repeat", "pass"], ["first", ""]),
    ("\"then\":{\"respond\":{\"folder\":\"f\",\"otherwise\":\"#\"}}", ["pass", "404"], ["405", ""]),
  ])
  func numbersHaveBounds(_ text: String, _ good: [String], _ bad: [String]) throws {
    func read(_ value: String) -> Bool {
      (try? Stub(json: JSONValue(parsing: "{\"name\":\"a\",\(text.replacingOccurrences(of: "#", with: value))}")))
        != nil
    }
    for value in good { #expect(read(value), "\(value)") }
    for value in bad { #expect(!read(value), "\(value)") }
  }

  /// Patterns stand in patterns sixteen deep.
  @Test func patternsAreNestedToALimit() throws {
    func read(_ depth: Int) -> String? {
      let when =
        String(repeating: "{\"not\":", count: depth) + "{\"path\":\"/a\"}" + String(repeating: "}", count: depth)
      do throws(StubError) {
        _ = try Stub(json: JSONValue(parsing: "{\"name\":\"a\",\"when\":\(when),\"then\":{\"hold\":\"both\"}}"))
        return nil
      } catch { return error.message }
    }
    // The path's text is one more.
    #expect(read(15) == nil && read(14) == nil)
    #expect(
      read(16)?.contains("is nested more than 16 deep") == true
        && read(30)?.contains("is nested more than 16 deep") == true)
  }

  /// What stands beside each other is no deeper for it.
  @Test func manyPatternsBesideEachOtherAreNotNested() throws {
    let patterns = (1...40).map { "{\"not\":{\"path\":\"/\($0)\"}}" }.joined(separator: ",")
    let text = "{\"name\":\"a\",\"when\":{\"any\":[\(patterns)]},\"then\":{\"hold\":\"both\"}}"
    #expect(try Stub(json: JSONValue(parsing: text)).when.any.count == 40)
  }

  // MARK: Quantities

  @Test(arguments: [
    (Duration.zero, "0ms"), (.seconds(-1), "0ms"), (.milliseconds(1), "1ms"), (.milliseconds(999), "999ms"),
    (.seconds(1), "1s"),
    (.milliseconds(1_500), "1500ms"), (.seconds(59), "59s"), (.seconds(60), "1m"), (.seconds(61), "61s"),
    (.seconds(3_600), "1h"),
    (.seconds(3_660), "61m"), (.seconds(86_400), "1d"), (.seconds(86_400 * 1_000), "1000d"),
    (.microseconds(250), "0.25ms"),
    (.microseconds(1_000_250), "1.00025s"), (.nanoseconds(1), "0.000001ms"),
  ])
  func durationsAreShort(_ duration: Duration, _ text: String) {
    #expect(DurationText.print(duration) == text)
    if duration >= .zero { #expect(DurationText.parse(text) == duration) }
  }

  @Test(arguments: [
    ("1000d", true), ("999d24h", true), ("999d24h1ms", false), ("1000d1ms", false), (" 1 s ", true), ("1S", true),
    ("1Ms", true),
    ("1s1", false), ("1s 1", false), ("1.5.5s", false), (".5s", false), ("1.s", false),
    ("1234567890123456789ms", false),
    ("12345678901234567890ms", false), ("0.0000000000000000001s", false), ("0.000000000000000001s", true),
  ])
  func durationsAreRead(_ text: String, _ isOne: Bool) { #expect((DurationText.parse(text) != nil) == isOne) }

  @Test(arguments: [
    (0, "0B"), (-5, "0B"), (1, "1B"), (999, "999B"), (1_000, "1kB"), (1_001, "1001B"), (1_024, "1KiB"),
    (1_000_000, "1MB"),
    (1_048_576, "1MiB"), (1_000_000_000, "1GB"), (1 << 30, "1GiB"), (2_048_000, "2048kB"), (1_500, "1500B"),
    (3_000_000_000, "3GB"),
  ])
  func sizesAreShort(_ bytes: Int, _ text: String) {
    #expect(SizeText.print(bytes) == text)
    if bytes >= 0 { #expect(SizeText.parse(text) == bytes) }
  }

  @Test(
    arguments: [
      ("5kb", 5_000), ("5 KIB", 5_120), ("0.5kB", 500), ("0.0005kB", nil), ("9223372036854775807", .max),
      ("9223372036854775808", nil),
      ("9GiB ", nil), ("1 k", nil), ("1B2", nil),
    ] as [(String, Int?)])
  func sizesAreRead(_ text: String, _ bytes: Int?) { #expect(SizeText.parse(text) == bytes) }

  /// A number may have nineteen digits; more are refused, even where they are zeros.
  @Test func quantitiesHaveNineteenDigits() {
    #expect(SizeText.parse("0000000000000000001") == 1 && SizeText.parse("00000000000000000001") == nil)
    #expect(DurationText.parse("0.000000000000000001d") != nil && DurationText.parse("0.0000000000000000001d") == nil)
  }

  /// Their attoseconds are more than 128 bits hold.
  @Test(arguments: ["9999999999999999999h", "9999999999999999999m", "8888888888888888888d"])
  func durationsThatCannotBeCountedAreNone(_ text: String) { #expect(DurationText.parse(text) == nil) }

  @Test func theShortestDurationIsWritten() {
    let shortest = Duration(secondsComponent: 0, attosecondsComponent: 1)
    #expect(DurationText.print(shortest) == "0.000000000000001ms")
    #expect(DurationText.parse("0.000000000000001ms") == shortest)
  }

  // MARK: Names that are near

  @Test(
    arguments: [
      ("respnd", "respond"), ("resond", "respond"), ("repsond", "respond"), ("rezpont", "respond"), ("rezpomt", nil),
      ("hodl", "hold"),
      ("HOLD", "hold"), ("hoxx", "hold"), ("xxxx", nil), ("fai", "fail"), ("fix", nil), ("fil", "fail"),
      ("sequense", "sequence"), ("seqenze", "sequence"),
      ("zzquence", "sequence"), ("zzzuence", nil), ("zzzuencex", nil), ("sequencexyz", "sequence"),
      ("sequencewxyz", nil), ("", nil),
    ] as [(String, String?)])
  func theNearestNameIsMeant(_ word: String, _ name: String?) {
    let names = ["respond", "fail", "hold", "sequence"]
    #expect(NearestName.find(word, among: names) == name)
    #expect(
      NearestName.hint(for: word, among: names, otherwise: "; no") == (name.map { "; did you mean `\($0)`?" } ?? "; no")
    )
  }

  /// In words of up to three letters one slip is allowed, and two letters in the wrong order are one.
  @Test(
    arguments: [
      ("ofx", "fox", true), ("fxo", "fox", true), ("xof", "fox", false), ("ab", "bc", false), ("ab", "ca", false),
      ("ab", "ba", true), ("zzzquence", "sequence", true), ("zzzzuence", "sequence", false),
    ] as [(String, String, Bool)])
  func slipsAreCounted(_ word: String, _ name: String, _ isNear: Bool) {
    #expect(NearestName.find(word, among: [name]) == (isNear ? name : nil))
  }

  /// Of long words the first 64 letters count.
  @Test func whatIsBehindTheFirst64LettersDoesNotCount() {
    let (same, other) = (String(repeating: "a", count: 64), "bbb" + String(repeating: "a", count: 61))
    #expect(NearestName.find(same + "z", among: [other]) == other)
    #expect(NearestName.find(same, among: [other + "z"]) == other + "z")
  }

  @Test func orTheOneThatBeginsSo() {
    let names = ["response", "responses.all", "request"]
    #expect(NearestName.find("responses.al", among: names) == "responses.all")
    #expect(
      NearestName.find("resp", among: names) == nil
        && NearestName.find("resp", among: names, orPrefix: true) == "response")
    #expect(NearestName.find("requestors and more", among: names, orPrefix: true) == "request")
    #expect(
      NearestName.find("re", among: names, orPrefix: true) == nil
        && NearestName.find("req", among: names, orPrefix: true) == "request")
    let long = "request" + String(repeating: "x", count: 17)
    #expect(
      NearestName.find(long, among: names, orPrefix: true) == "request"
        && NearestName.find(long + "x", among: names, orPrefix: true) == nil)
    // The first of those that are as near.
    #expect(NearestName.find("b", among: ["a", "c"]) == "a" && NearestName.find("ca", among: ["cb", "ca"]) == "ca")
  }

  // MARK: Numbers of YAML as JSON has them

  @Test(
    arguments: [
      ("1", "1"), ("-1", "-1"), ("+1", "1"), ("0x1F", "31"), ("-0x1F", "-31"), ("0o17", "15"), (".5", "0.5"),
      ("-.5", "-0.5"), ("+.5", "0.5"),
      ("5.", "5.0"), ("5.e3", "5.0e3"), ("007", "7"), ("00.5", "0.5"), ("-007", "-7"), ("0", "0"), ("1e5", "1e5"),
      (".inf", nil), ("-.inf", nil), (".nan", nil),
      ("0xG", nil), ("0o8", nil), ("", nil), ("+", nil), ("1.5", "1.5"), ("00", "0"), ("0x10000000000000000", nil),
    ] as [(String, String?)])
  func numbersAreSpelledAsJSONDoes(_ text: String, _ spelled: String?) {
    #expect(JSONValue.spelledNumber(text) == spelled)
  }

  /// What takes the square of their number never ends.
  @Test func zerosInFrontAreMany() {
    #expect(JSONValue.spelledNumber(String(repeating: "0", count: 300_000) + "7") == "7")
  }

  @Test(arguments: [("abc", 3, "abc"), ("abcd", 3, "ab…"), ("abc", 0, "…"), ("", 0, ""), ("abc", 1, "…")])
  func textsAreShortened(_ text: String, _ limit: Int, _ short: String) { #expect(text.shortened(to: limit) == short) }

  // MARK: Patched answers

  @Test(arguments: [
    (#"{"a":1}"#, #"{"a":2}"#, #"{"a":2}"#), (#"{"a":1,"b":2}"#, #"{"a":null}"#, #"{"b":2}"#),
    (#"{"a":1}"#, #"{"b":{"c":null,"d":1}}"#, #"{"a":1,"b":{"d":1}}"#),
    (#"{"a":{"b":1,"c":2}}"#, #"{"a":{"b":3}}"#, #"{"a":{"b":3,"c":2}}"#), (#"[1]"#, #"{"a":1}"#, #"{"a":1}"#),
    (#"{"a":1}"#, "[2]", "[2]"),
    (#"{"a":1,"b":1,"a":2}"#, #"{"a":3}"#, #"{"a":1,"b":1,"a":3}"#),
    (#"{"a":1,"b":1,"a":2}"#, #"{"a":null}"#, #"{"b":1}"#),
    (#"{"a":[1]}"#, #"{"a":{"b":1}}"#, #"{"a":{"b":1}}"#), ("1", "null", "null"), (#"{"a":1}"#, "{}", #"{"a":1}"#),
    ("5", "{}", "{}"),
  ])
  func aMergePatchIsApplied(_ value: String, _ patch: String, _ merged: String) throws {
    #expect(try json(value).merged(with: json(patch)).compact == merged)
  }

  @Test func textsAreReplacedThroughout() {
    func replaced(_ text: String, _ find: String, _ with: String) -> String {
      String(decoding: PassChanges.replacing(.init(find: find, with: with), in: Data(text.utf8)), as: UTF8.self)
    }
    #expect(
      replaced("abcabc", "b", "XY") == "aXYcaXYc" && replaced("abcabc", "abc", "") == ""
        && replaced("abc", "x", "y") == "abc")
    #expect(
      replaced("aaaa", "aa", "a") == "aa" && replaced("aaa", "aa", "b") == "ba" && replaced("日本日", "日", "本") == "本本本")
  }

  @Test func whatIsSaidOfABodyFollowsIt() {
    var notices: [String] = []
    let fields = [
      HeaderField("content-length", "2"), HeaderField("Content-MD5", "x"), HeaderField("Digest", "y"),
      HeaderField("A", "1"),
    ]
    let patched = PassChanges(mergePatch: ["b": 1]).apply(
      status: 200, headers: fields, body: Data("{}".utf8), notices: &notices)
    #expect(patched.status == 200 && patched.body == Data(#"{"b":1}"#.utf8) && notices.isEmpty)
    #expect(patched.headers == [HeaderField("content-length", "7"), HeaderField("A", "1")])
    let same = PassChanges(status: 404, mergePatch: .object([])).apply(
      status: 200, headers: fields, body: Data("{}".utf8), notices: &notices)
    #expect(same.status == 404 && same.headers == fields && notices.isEmpty)
    let none = PassChanges(mergePatch: ["b": 1], replace: [.init(find: "", with: "z")]).apply(
      status: 200, headers: [], body: Data("x".utf8), notices: &notices)
    #expect(none.body == Data("x".utf8) && notices == ["The answer is not JSON: `mergePatch` did not change it."])
    let changes = PassChanges(headers: [.init("a", ["2", "3"]), .init("B", nil), .init("C", ["4"]), .init("D", [])])
    let changed = changes.apply(to: [
      HeaderField("A", "1"), HeaderField("b", "x"), HeaderField("D", "y"), HeaderField("E", "z"),
    ])
    #expect(
      changed.map(\.value) == ["2", "3", "z", "4"] && changed.map { $0.name.lowercased() } == ["a", "a", "e", "c"])
    #expect(
      PassChanges(mergePatch: 1).needsWholeBody && PassChanges(replace: [.init(find: "a", with: "b")]).needsWholeBody)
    #expect(
      PassChanges(headers: [.init("content-length", ["1"])]).needsWholeBody
        && !PassChanges(headers: [.init("Content-Length", nil)]).needsWholeBody)
    #expect(
      !PassChanges(status: 500, headers: [.init("A", ["1"])]).needsWholeBody
        && !PassChanges(headers: [.init("Content-Length", [])]).needsWholeBody)
  }
}
