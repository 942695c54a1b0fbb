import Foundation
import PatchbayStubs

/// Numbers that are the same in each run (SplitMix64).
package struct SeededGenerator: RandomNumberGenerator {
  var state: UInt64

  package init(_ seed: UInt64) { state = seed }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}

/// Makes random stubs that use every part of the schema.
package struct RandomStubs {
  package var generator: SeededGenerator

  package init(_ seed: UInt64) { generator = SeededGenerator(seed) }

  package static let words = [
    "users", "NO", "yes", "~", "null", "true", "1.10", "010", "0x1F", "12:30:45", "2026-11-21", "a: b", "# no", "",
    " leading", "trailing ", "日本語です", "👩‍👩‍👧‍👦", "two\nlines", "two\nlines\n", "\n", "- dash", "'single'", "\"double\"",
    "back\\slash", "{curly}", "[square]", "*", "&anchor", "!tag", "%25", "@at", "`tick`", "|", ">", "?", ":",
    "tab\there",
    "\u{1}\u{7F}\u{85}", "a, b", "--- x", "...", "=", "<<", "e\u{301}", "bom\u{FEFF}", "\r\n", "x\n  y\n z", "-1", ".5",
    "1e3",
  ]

  package mutating func int(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &generator) }
  package mutating func chance(_ share: Double) -> Bool { Double.random(in: 0..<1, using: &generator) < share }
  package mutating func word() -> String { Self.words.randomElement(using: &generator) ?? "" }
  package mutating func token() -> String {
    ["Accept", "X-Id", "ETag", "set-cookie", "B3"].randomElement(using: &generator) ?? ""
  }

  package mutating func maybe<Value>(_ value: Value) -> Value? { chance(0.5) ? value : nil }

  package mutating func text(_ depth: Int = 0) -> TextPattern {
    if depth > 2 || chance(0.7) { return chance(0.8) ? .glob(word()) : .matches("^[a-z]+\\d*$|日本") }
    let parts = (0..<int(1...3)).map { _ in text(depth + 1) }
    switch int(0...2) {
    case 0: return .any(parts)
    case 1: return .not(parts)
    default: return .all([chance(0.5) ? .matches("b+") : .any([.matches("x"), .matches("y")]), .not(parts)])
    }
  }

  package mutating func conditions() -> [RequestPattern.Condition] {
    (0..<int(0...3)).map { _ in .init(word(), chance(0.3) ? nil : text()) }
  }

  package mutating func json(_ depth: Int = 0) -> JSONValue {
    switch int(depth > 3 ? 0...3 : 0...5) {
    case 0: return .null
    case 1: return .bool(chance(0.5))
    case 2:
      return .number(
        ["0", "-1", "1.10", "1e400", "12345678901234567890", "1E-2"].randomElement(using: &generator) ?? "0")
    case 3: return .string(word())
    case 4: return .array((0..<int(0...3)).map { _ in json(depth + 1) })
    default:
      let names = Set((0..<int(0...3)).map { _ in word() }).sorted()
      return .object(names.map { .init($0, json(depth + 1)) })
    }
  }

  package mutating func duration() -> Duration {
    [.zero, .milliseconds(300), .seconds(2), .seconds(60), .seconds(86_400), .nanoseconds(1_500_001), .seconds(90)]
      .randomElement(using: &generator) ?? .zero
  }

  package mutating func delay() -> Delay? {
    maybe(chance(0.5) ? .fixed(duration()) : .random(from: .milliseconds(1), to: duration() + .seconds(1)))
  }

  package mutating func pace() -> Pace? {
    maybe(chance(0.5) ? .throttle(bytesPerSecond: int(1...100_000)) : .dribble(pieces: int(1...9), over: duration()))
  }

  package mutating func headers() -> [HeaderField] {
    (0..<int(0...4)).map { _ in
      HeaderField(token(), word().filter { !$0.isNewline && $0 != "\0" })
    }
  }

  package mutating func response() -> CannedResponse {
    let body: CannedResponse.Body =
      [
        .none, .text(word()), .json(json()), .data(Data([0, 255, 7])), .file("a/b.json"),
        .filler(bytes: int(0...1 << 20)), .file("a/{{request.path.1}}.json"),
        .folder("a/mocks", otherwise: chance(0.5) ? .pass : .notFound), .events(events()),
      ].randomElement(using: &generator) ?? .none
    let isStream = if case .events = body { true } else { false }
    return CannedResponse(
      status: int(100...599), headers: headers(), body: body, delay: delay(), pace: isStream ? nil : pace())
  }

  package mutating func events() -> [CannedResponse.Event] {
    (0..<int(1...3)).map { _ in
      let line = word().filter { !$0.isNewline }
      return .init(event: maybe(line), id: maybe("1"), data: chance(0.5) ? json() : .string(word()), after: delay())
    }
  }

  package mutating func fault() -> Fault {
    let error: Fault.Failure =
      chance(0.5)
      ? .named(["timedOut", "offline", "emptyResponse"].randomElement(using: &generator) ?? "")
      : .custom(domain: word(), code: int(-9...9), message: maybe(word()))
    var partial = response()
    switch partial.body {
    case .folder, .events: partial.body = .none
    default: break
    }
    return Fault(
      error, delay: delay(), after: maybe(Fault.Partial(response: partial, bytes: maybe(int(0...99)))))
  }

  package mutating func changes() -> PassChanges {
    let headers = (0..<int(0...3)).map { _ in
      PassChanges.HeaderChange(
        token(), chance(0.3) ? nil : (0..<int(1...2)).map { _ in word().filter { !$0.isNewline && $0 != "\0" } })
    }
    return PassChanges(
      to: chance(0.2) ? "http://127.0.0.1:8080/mirror" : nil, request: chance(0.3) ? request() : nil, delay: delay(),
      pace: pace(), status: maybe(int(100...599)), headers: headers, mergePatch: maybe(json()),
      replace: (0..<int(0...2)).map { _ in .init(find: "f" + word(), with: word()) })
  }

  package mutating func request() -> RequestChanges {
    func values() -> [String]? { chance(0.3) ? nil : (0..<int(1...2)).map { _ in word() } }
    let bodies: [CannedResponse.Body] = [
      .none, .text(word()), .json(json()), .data(Data([0, 255, 7])), .file("a/b.json"),
    ]
    return RequestChanges(
      method: maybe("PUT"), scheme: maybe("https"), host: maybe("a.example"), port: maybe(int(1...65_535)),
      path: maybe("/" + word()), query: (0..<int(0...2)).map { _ in .init("q" + word(), values()) },
      headers: (0..<int(0...2)).map { _ in .init(token(), chance(0.5) ? nil : ["1"]) },
      body: bodies.randomElement(using: &generator) ?? .none, mergePatch: maybe(json()),
      replace: (0..<int(0...2)).map { _ in .init(find: "f" + word(), with: word()) })
  }

  package mutating func action(_ steps: Bool = true) -> Action {
    switch int(steps ? 0...4 : 0...3) {
    case 0: return .respond(response())
    case 1: return .fail(fault())
    case 2: return .pass(changes())
    case 3: return .hold(Action.HoldPoint.allCases.randomElement(using: &generator) ?? .both)
    default:
      return .sequence(
        (0..<int(1...4)).map { _ in action(false) },
        afterwards: Action.Afterwards.allCases.randomElement(using: &generator) ?? .last)
    }
  }

  package mutating func pattern(_ depth: Int = 0) -> RequestPattern {
    let graphql = BodyPattern.GraphQL(operation: maybe(text()), variables: maybe(.members(["id": json()])))
    let body = BodyPattern(
      contains: maybe(text()), equals: maybe(word()), matches: maybe("a+"), json: maybe(json()),
      pointer: (0..<int(0...2)).map { _ in .init("/" + word(), json()) }, form: conditions(), multipart: conditions(),
      graphql: maybe(graphql))
    return RequestPattern(
      methods: (0..<int(0...2)).map { _ in ["GET", "POST", "PURGE"].randomElement(using: &generator) ?? "" },
      url: maybe(text()), scheme: maybe(text()), host: maybe(text()), port: maybe(int(0...65_535)), path: maybe(text()),
      query: conditions(), headers: conditions(), body: chance(0.3) ? body : nil, process: maybe(text()),
      any: inner(depth),
      not: inner(depth))
  }

  private mutating func inner(_ depth: Int) -> [RequestPattern] {
    guard depth < 2, chance(0.3) else { return [] }
    return (0..<int(1...2)).map { _ in pattern(depth + 1) }.filter { $0 != RequestPattern() }
  }

  package mutating func stub(_ name: String) -> Stub {
    Stub(
      name: name, enabled: chance(0.8), when: pattern(), then: action(), skip: chance(0.3) ? int(0...5) : 0,
      chance: chance(0.3) ? Double.random(in: 0...1, using: &generator) : nil,
      seed: chance(0.2) ? generator.next() : nil,
      times: chance(0.3) ? int(1...9) : nil,
      scenario: chance(0.3) ? .init("session", in: chance(0.5) ? "Started" : nil, to: "b \(int(0...2))") : nil)
  }
}
