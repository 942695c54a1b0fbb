import Foundation
import PatchbayStubs
import PatchbayTestSupport
import Testing

@testable import PatchbayFiles

/// Each value of each key of the format is changed once and written back: the line it stands on changes, and nothing
/// else does, comments and order least of all.
@Suite(.bounded) struct WriteBackTests {
  /// Every key that the schema knows, a comment on each line.
  private static let text = """
    # The head.
    patchbay: 1                                  # c1
    stubs:                                       # c2
    # Before the first.
    - name: staging                              # c3
      enabled: true                              # c4
      when:                                      # c5
        method: [GET, POST]                      # c6
        scheme: https                            # c7
        host: [api.example.com, "*.api.example.com"]   # c8
        port: 8443                               # c9
        path:                                    # c10
          not:                                   # c11
          - "/health*"                           # c12
          - matches: "^/ready"                   # c13
        url:                                     # c14
          matches: "b(?<id>c)"                   # c15
        query:                                   # c16
          page: ["1", "2"]                       # c17
          debug: null                            # c18
          mode: { not: "x*" }                    # c19
        headers:                                 # c20
          Authorization: "Bearer *"              # c21
          X-A: { not: [one, { matches: two }] }  # c22
        body:                                    # c23
          contains: { not: secret }              # c24
          equals: all                            # c25
          matches: "^a"                          # c26
          json: { user: { id: 7, tags: [a] } }   # c27
          pointer:                               # c28
            /a/0: true                           # c29
          form:                                  # c30
            user: [ann, bob]                     # c31
          multipart:                             # c32
            file: "*.txt"                        # c33
          graphql:                               # c34
            operation: [GetUser, "Get*"]         # c35
            variables: { id: 7 }                 # c36
        process: demo                            # c37
        any:                                     # c38
        - method: GET                            # c39
        - headers: { X-Canary: "1" }             # c40
        not:                                     # c41
        - query: { trace: "*" }                  # c42
        - any: [{ port: 80 }, { path: /x }]      # c43
      scenario:                                  # c44
        name: session                            # c45
        in: Started                              # c46
        to: signed in                            # c47
      then:                                      # c48
        pass:                                    # c49
          to: "http://127.0.0.1:8080/mirror"     # c50
          request:                               # c51
            method: PUT                          # c52
            scheme: http                         # c53
            host: h.example                      # c54
            port: 81                             # c55
            path: "/v2/{{request.path.1}}"       # c56
            query:                               # c57
              page: null                         # c58
              tag: [a, b]                        # c59
            headers:                             # c60
              Cookie: null                       # c61
              X-T: "{{match.id}}"                # c62
            mergePatch:                          # c63
              client: patchbay                   # c64
            replace:                             # c65
            - { find: foo, with: bar }           # c66
          delay: 1s                              # c67
          throttle: 20kB/s                       # c68
          status: 201                            # c69
          headers: { X-P: "1", ETag: null }      # c70
          mergePatch: { plan: gold }             # c71
          replace:                               # c72
          - find: a                              # c73
            with: b                              # c74
      skip: 1                                    # c75
      chance: 0.5                                # c76
      seed: 3                                    # c77
      times: 10                                  # c78

    # ---- A section
    - name: folder                               # c79
      then:                                      # c80
        respond:                                 # c81
          folder: mocks                          # c82
          otherwise: pass                        # c83
    - name: file                                 # c84
      then: { respond: { file: "mocks/{{request.path.1}}.json" } }   # c85
    - name: stream                               # c86
      then:                                      # c87
        respond:                                 # c88
          events:                                # c89
          - event: token                         # c90
            id: "1"                              # c91
            data: { delta: "こ" }                # c92
            after: 50ms                          # c93
          # Between two events.
          - { data: "[DONE]", after: 50ms }      # c94
          headers:                               # c95
            Set-Cookie: [a=1, b=2]               # c96
          delay:                                 # c98
            from: 100ms                          # c99
            to: 900ms                            # c100
    - name: pieces                               # c97
      then: { respond: { body: x, dribble: { pieces: 5, over: 2s } } }   # c120
    - name: others                               # c101
      then:                                      # c102
        sequence:                                # c103
        - respond: { status: 500, json: { a: "{{random 1 9}}" } }   # c104
        - fail: timedOut                         # c105
        - fail:                                  # c106
            domain: d                            # c107
            code: 4                              # c108
            message: m                           # c109
            delay: 1s                            # c110
        - fail: { error: networkConnectionLost, after: { status: 200, body: half, bytes: 2 } }   # c111
        - pass: { request: { json: { a: 1 } } }  # c112
        - pass: { request: { body: text } }      # c113
        - pass: { request: { base64: aGk= } }    # c114
        - pass: { request: { file: b.bin } }     # c115
        - respond: { base64: aGk=, throttle: 5kB/s }   # c116
        - respond: { filler: 5kB }               # c117
        - hold: both                             # c118
        afterwards: repeat                       # c119
    # The end.

    """

  /// Where a value stands in a stub: names and numbers.
  private enum Step: Hashable, CustomStringConvertible {
    case name(String)
    case index(Int)

    var description: String {
      switch self {
      case .name(let name): name
      case .index(let index): "\(index)"
      }
    }
  }

  private static func leaves(_ value: JSONValue) -> [[Step]] {
    switch value {
    case .array(let elements): elements.enumerated().flatMap { place, one in leaves(one).map { [.index(place)] + $0 } }
    case .object(let members): members.flatMap { member in leaves(member.value).map { [.name(member.name)] + $0 } }
    default: [[]]
    }
  }

  private static func changed(_ value: JSONValue, at path: ArraySlice<Step>, to new: JSONValue) -> JSONValue {
    guard let step = path.first else { return new }
    switch (value, step) {
    case (.array(var elements), .index(let place)):
      elements[place] = changed(elements[place], at: path.dropFirst(), to: new)
      return .array(elements)
    case (.object(var members), .name(let name)):
      for place in members.indices where members[place].name == name {
        members[place].value = changed(members[place].value, at: path.dropFirst(), to: new)
      }
      return .object(members)
    default: return value
    }
  }

  private static func value(_ value: JSONValue, at path: [Step]) -> JSONValue {
    path.reduce(value) { value, step in
      switch (value, step) {
      case (.array(let elements), .index(let place)): elements[place]
      case (.object(let members), .name(let name)): members.first { $0.name == name }?.value ?? .null
      default: .null
      }
    }
  }

  /// Values of which one is good in whatever place.
  private static func others(than value: JSONValue) -> [JSONValue] {
    let texts = [
      "other", "/other", "DELETE", "http", "respond", "last", "404", "1ms", "offline", "pass", "request", "3s", "9kB",
      "9kB/s",
      "b2s=",
      "http://other.example", "{{match.id}}-",
    ].map { JSONValue.string($0) }
    switch value {
    case .number: return [9, 499, .number("0.25"), "pass"]
    case .bool(let isOn): return [.bool(!isOn)]
    case .null: return texts
    case .string(let text): return [.string(text + "x")] + texts
    default: return []
    }
  }

  @Test(arguments: ["s.yaml", "s.json"]) func everyValueIsWrittenBackOnItsLineAlone(_ path: String) throws {
    var file = try StubFile.parse(Self.text, path: "s.yaml")
    if path == "s.json" {
      let stubs = JSONValue.array(file.located.map { JSONValue($0.node) { _, _ in } })
      file = try StubFile.parse(JSONValue.members(["patchbay": 1, "stubs": stubs]).indented(), path: path)
    }
    let lines = file.text.components(separatedBy: "\n")
    var tried = 0
    for (place, located) in file.located.enumerated() {
      let json = JSONValue(located.node) { _, _ in }
      for path in Self.leaves(json) {
        let candidates = Self.others(than: Self.value(json, at: path)).lazy.compactMap { new in
          try? Stub(json: Self.changed(json, at: path[...], to: new))
        }
        guard let stub = candidates.first(where: { $0 != located.stub }) else {
          Issue.record("nothing else could stand at \(path)")
          continue
        }
        var stubs = file.stubs.map { StubFileWriter.Edited($0, baseline: $0) }
        stubs[place].stub = stub
        let text = try StubFileWriter.text(file, stubs)
        #expect(try StubFile.parse(text, path: file.path).stubs[place] == stub, "\(path)")
        let written = text.components(separatedBy: "\n")
        let differing = zip(lines, written).count { $0 != $1 }
        #expect(
          written.count == lines.count && differing == 1,
          "\(located.stub.name) \(path):\n\(Self.difference(lines, written))")
        tried += 1
      }
    }
    #expect(tried > 100)
  }

  private static func difference(_ old: [String], _ new: [String]) -> String {
    let gone = old.filter { !new.contains($0) }.map { "- \($0)" }
    let come = new.filter { !old.contains($0) }.map { "+ \($0)" }
    return (gone + come).joined(separator: "\n")
  }

  /// Where a value gets another shape it is written anew, and its comments stay; the items beside one that comes or goes
  /// keep their lines.
  @Test func commentsStayWhereMoreThanAValueChanges() throws {
    let file = try StubFile.parse(Self.text, path: "s.yaml")
    let old = Self.text.components(separatedBy: "\n")
    func written(_ place: Int, _ change: (inout Stub) -> Void) throws -> [String] {
      var stubs = file.stubs.map { StubFileWriter.Edited($0, baseline: $0) }
      change(&stubs[place].stub)
      return try StubFileWriter.text(file, stubs).components(separatedBy: "\n")
    }
    let header = try written(0) { $0.when.headers.append(.init("X-B", "two")) }
    #expect(Self.difference(old, header) == "+       X-B: two")
    // Between brackets another member makes a block of it.
    let patched = try written(0) {
      guard case .pass(var changes) = $0.then else { return }
      changes.headers.append(.init("X-Q", ["2"]))
      $0.then = .pass(changes)
    }
    let block = ["headers:  # c70", "  X-P: \"1\"", "  ETag: null", "  X-Q: \"2\""].map { "+       \($0)" }
    #expect(
      Self.difference(old, patched).replacingOccurrences(of: "  +#", with: "  #", options: .regularExpression)
        == (["-       headers: { X-P: \"1\", ETag: null }  # c70"] + block).joined(separator: "\n"))
    let more = try written(0) { $0.when.any.append(RequestPattern(methods: ["PUT"])) }
    #expect(Self.difference(old, more) == "+     - method: PUT")
    let less = try written(0) { $0.when.any.removeFirst() }
    #expect(Self.difference(old, less) == "-     - method: GET                            # c39")
    // One pattern alone is no list: it is written anew.
    let alone = try written(0) { $0.when.not.removeFirst() }
    for comment in ["# c41", "# c42", "# c43"] { #expect(alone.contains { $0.hasSuffix(comment) }) }
    let first = try written(3) {
      guard case .respond(var response) = $0.then, case .events(var events) = response.body else { return }
      events.insert(.init(data: "new"), at: 1)
      response.body = .events(events)
      $0.then = .respond(response)
    }
    #expect(Self.difference(old, first) == "+       - data: new")
    let step = try written(5) {
      guard case .sequence(var steps, let afterwards) = $0.then else { return }
      steps[2] = .hold(.request)
      $0.then = .sequence(steps, afterwards: afterwards)
    }
    #expect(
      step.filter { !old.contains($0) } == [
        "    # c107", "    # c108", "    # c109", "    # c110",
        "    - hold: request" + String(repeating: " ", count: 34) + "# c106",
      ])
  }

  /// The fixture names what the schema names, so that a new key comes here too.
  @Test func noKeyIsForgotten() throws {
    var seen: Set<String> = []
    func note(_ node: DocumentNode) {
      switch node.value {
      case .map(let entries):
        for entry in entries {
          seen.insert(entry.key)
          note(entry.value)
        }
      case .list(let items): items.forEach(note)
      case .scalar: break
      }
    }
    note(try StubFile.parse(Self.text, path: "s.yaml").document)
    let keys = StubSchema.Keys.self
    let known = [
      keys.stub, keys.when, keys.text, keys.body, keys.graphql, keys.scenario, keys.event, keys.then, keys.respond,
      keys.after, keys.fail, keys.pass, keys.request, keys.replacement, keys.delay, keys.dribble,
    ]
    let forgotten = Set(known.joined()).subtracting(seen)
    #expect(forgotten.isEmpty, "\(forgotten)")
  }
}
