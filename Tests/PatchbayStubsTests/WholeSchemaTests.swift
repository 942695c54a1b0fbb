import Foundation
import PatchbayTestSupport
import Testing

@testable import PatchbayStubs

/// All that the schema says of a long list of documents: the stubs as they are written again, the files they name, and
/// every mistake with its place. Written anew with `PATCHBAY_WRITE_SCREENS`; read the difference before it is committed.
@Suite(.bounded) struct WholeSchemaTests {
  private func read(_ texts: [String]) throws -> [String] {
    try texts.flatMap { text -> [String] in
      let node = try DocumentNode(parsingJSON: Array(text.utf8))
      let document = StubSchema.document(node, source: text)
      return ["", "== \(text)"]
        + document.stubs.map { located in
          let place = located.namePosition.map { " named at \($0)" } ?? ""
          return "stub \(located.stub.json.compact)\(place)\(Self.files(located.files))"
        } + (document.files.isEmpty ? [] : ["files\(Self.files(document.files))"])
        + document.mistakes.map(\.description)
    }
  }

  private static func files(_ files: [StubSchema.FileReference]) -> String {
    files.map { " [\($0.path) \($0.position?.description ?? "-")\($0.isFolder ? " folder" : "")]" }.joined()
  }

  private func record(_ texts: [String], _ name: String) throws {
    try expectRecorded(try read(texts).dropFirst().joined(separator: "\n") + "\n", "Whole/\(name).txt")
  }

  @Test func filesAndStubs() throws {
    let hold = #""then":{"hold":"both"}"#
    func stubs(_ list: String) -> String { #"{"patchbay":1,"stubs":\#(list)}"# }
    try record(
      [
        "[]", "7", "{}", #"{"patchbay":1}"#, #"{"patchbay":1,"stubs":null}"#, #"{"patchbay":"1","stubs":[]}"#,
        #"{"patchbay":1.0}"#, #"{"patchbay":null}"#, #"{"patchbay":true}"#, #"{"patchbay":[]}"#,
        #"{"$schema":"x","patchbay":1,"stub":[]}"#, #"{"patchbay":1,"<<":{}}"#, #"{"patchbay":1,"patchbay":1}"#,
        #"[{"name":"a",\#(hold)}]"#, stubs("{}"), stubs(#""a""#), stubs("[7]"), stubs("[{}]"), stubs("[null]"),
        stubs(#"[{"name":"a",\#(hold)},{"name":"b",\#(hold)}]"#),
        stubs(#"[{"name":"a",\#(hold)},{"name":"a",\#(hold)},{"name":"a","then":{}}]"#),
        stubs(#"[{"name":"a","then":7},{"name":"a",\#(hold)}]"#),
        stubs(#"[{"name":null,\#(hold)},{"name":7,\#(hold)},{"name":"7",\#(hold)}]"#),
        stubs(#"[{"name":"",\#(hold)},{"name":" \t",\#(hold)}]"#), stubs(#"[{\#(hold)},{"name":"x"}]"#),
        stubs(#"[{"nmae":"a",\#(hold)}]"#), stubs(#"[{"name":"a","than":{"hold":"both"}}]"#),
        stubs(#"[{"name":"a","name":"b",\#(hold)}]"#), stubs(#"[{"name":"a","zzzzzzzz":1,\#(hold)}]"#),
        stubs(#"[{"name":"a","\#(String(repeating: "z", count: 60))":1,\#(hold)}]"#),
        stubs(#"[{"name":"a","enabled":false,\#(hold)}]"#), stubs(#"[{"name":"a","enabled":"no",\#(hold)}]"#),
        stubs(#"[{"name":"a","when":null,\#(hold)}]"#), stubs(#"[{"name":"a","when":[],\#(hold)}]"#),
        stubs(#"[{"name":"a",\#(hold),"skip":2,"times":3,"chance":0.25,"seed":9}]"#),
        stubs(#"[{"name":"a",\#(hold),"skip":-1,"times":0,"chance":1.5,"seed":-1}]"#),
        stubs(#"[{"name":"a",\#(hold),"skip":"1","times":null,"chance":"x","seed":1.5}]"#),
        stubs(#"[{"name":"a",\#(hold),"scenario":{"name":"s","in":"x","to":"y"}}]"#),
        stubs(#"[{"name":"a",\#(hold),"scenario":{"name":"s","in":"x"}},{"name":"b",\#(hold),"scenario":{"to":"y"}}]"#),
        stubs(
          #"[{"name":"a",\#(hold),"scenario":{"name":"s"}},{"name":"b",\#(hold),"scenario":{"name":"s","in":""}}]"#),
        stubs(#"[{"name":"a",\#(hold),"scenario":{"nmae":"s"}},{"name":"b",\#(hold),"scenario":[]}]"#),
        stubs(#"[{"name":"a","then":{"code":{}}},{"name":"b","then":{"respond":{"file":"f"}},"skip":-1}]"#),
        stubs("[\n{\"name\":\"a\",\n\"then\":{\"respond\":{\"file\":\"f.json\"}}},\n{\"name\":\"a\",\"then\":null}\n]"),
      ], "schema-stubs")
  }

  @Test func patterns() throws {
    let whens = [
      "7", "{}", #"{"metod":"GET"}"#, #"{"method":"get"}"#, #"{"method":["get","Purge"]}"#, #"{"method":[]}"#,
      #"{"method":"GET,POST"}"#, #"{"method":""}"#, #"{"method":"A B"}"#, #"{"method":"Ä"}"#, #"{"method":"a~"}"#,
      #"{"method":{"not":"GET"}}"#, #"{"method":[null,"GET"]}"#, #"{"method":"\u007f"}"#, #"{"method":"!"}"#,
      #"{"url":"*","scheme":"http","host":"h","path":"/p","process":"p","port":80}"#,
      #"{"url":7,"scheme":true,"host":null}"#, #"{"port":-1}"#, #"{"port":65536}"#, #"{"port":[80]}"#,
      #"{"port":"80"}"#,
      #"{"path":["/a",{"matches":"^/b"},{"not":"/c"}]}"#, #"{"path":[]}"#, #"{"path":[null]}"#, #"{"path":[[]]}"#,
      #"{"path":{}}"#, #"{"path":{"matches":"("}}"#, #"{"path":{"matches":[]}}"#, #"{"path":{"matches":["a","["]}}"#,
      #"{"path":{"matches":7}}"#, #"{"path":{"matches":null}}"#, #"{"path":{"matches":{}}}"#,
      #"{"path":{"matches":["a","b"],"not":"c"}}"#, #"{"path":{"not":null}}"#, #"{"path":{"not":[]}}"#,
      #"{"path":{"not":["a",null]}}"#, #"{"path":{"not":{"matches":"a"}}}"#, #"{"path":{"not":{"not":"a"}}}"#,
      #"{"path":{"matches":"(","not":"a"}}"#, #"{"path":{"match":"a"}}"#,
      #"{"query":{"a":"1","b":null,"c":["1","2"]}}"#, #"{"query":[{"a":"1"},{"a":null}]}"#, #"{"query":{"a":1,"a":2}}"#,
      #"{"query":[{"a":"1","a":"2"}]}"#, #"{"query":["a"]}"#, #"{"query":"a"}"#, #"{"headers":{"A":{"matches":"x"}}}"#,
      #"{"headers":{"A":{}}}"#, #"{"headers":7}"#,
      #"{"body":7}"#, #"{"body":{"contain":"a"}}"#,
      #"{"body":{"contains":"a","equals":"b","matches":"c","json":{"d":1}}}"#,
      #"{"body":{"matches":["a","b"]}}"#, #"{"body":{"contains":"x","matches":["a","b"]}}"#,
      #"{"body":{"matches":"("}}"#,
      #"{"body":{"pointer":{"/a":1,"":2}}}"#, #"{"body":{"pointer":{"a":1}}}"#,
      #"{"body":{"pointer":[{"/a":1},{"b":2}]}}"#,
      #"{"body":{"form":{"a":"1","b":null}}}"#, #"{"body":{"multipart":{"a":["1"]}}}"#,
      #"{"body":{"form":7,"multipart":"x"}}"#,
      #"{"body":{"graphql":{"operation":"Q","variables":{"a":1}}}}"#, #"{"body":{"graphql":{}}}"#,
      #"{"body":{"graphql":{"variables":[]}}}"#, #"{"body":{"graphql":7}}"#, #"{"body":{"graphql":{"op":1}}}"#,
      #"{"any":[{"method":"GET"},{"path":"/a"}],"not":{"host":"h"}}"#, #"{"any":[]}"#, #"{"any":[{}]}"#, #"{"any":{}}"#,
      #"{"any":{"method":"GET"}}"#, #"{"any":[7]}"#, #"{"any":7}"#, #"{"not":[]}"#, #"{"not":[{}]}"#, #"{"not":{}}"#,
      #"{"not":[{"path":"/a"},{"path":"/b"}]}"#, #"{"not":7}"#, #"{"not":null}"#, #"{"any":[{"metod":"GET"}]}"#,
      #"{"any":[{"any":[{"path":{"not":{"matches":"("}}}]}]}"#,
    ]
    let whole = whens.map { #"{"patchbay":1,"stubs":[{"name":"a","when":\#($0),"then":{"hold":"both"}}]}"# }
    try record(whole, "schema-patterns")
  }

  @Test func actions() throws {
    let thens = [
      "7", "null", "{}", #"{"respnd":{}}"#, #"{"respond":{},"fail":"timedOut"}"#,
      #"{"hold":"both","afterwards":"last"}"#,
      #"{"afterwards":"last"}"#, #"{"hold":"never"}"#, #"{"hold":7}"#, #"{"hold":null}"#, #"{"hold":[]}"#,
      #"{"respond":{"status":1},"hold":"x","pass":{"status":1}}"#,
      #"{"sequence":[{"respond":{}},{"hold":"request"}]}"#, #"{"sequence":[{"pass":{}}],"afterwards":"repeat"}"#,
      #"{"sequence":[]}"#, #"{"sequence":{}}"#, #"{"sequence":[{"sequence":[{"pass":{}}]}]}"#, #"{"sequence":[7]}"#,
      #"{"sequence":[{"pass":{}}],"afterwards":"never"}"#, #"{"sequence":[{"hold":"both","afterwards":"last"}]}"#,
      #"{"fail":"timedOut"}"#, #"{"fail":"timeOut"}"#, #"{"fail":"http503"}"#, #"{"fail":"-1001"}"#, #"{"fail":-1001}"#,
      #"{"fail":-7}"#, #"{"fail":null}"#, #"{"fail":[]}"#, #"{"fail":{}}"#, #"{"fail":{"domain":"D"}}"#,
      #"{"fail":{"code":7}}"#, #"{"fail":{"domain":"D","code":7,"message":"m"}}"#,
      #"{"fail":{"domain":"D","code":"7"}}"#,
      #"{"fail":{"domain":null,"code":1}}"#, #"{"fail":{"domain":"D","code":-9223372036854775808}}"#,
      #"{"fail":{"error":"timedOut","delay":"1s","after":{"status":201,"body":"x","bytes":"1kB"}}}"#,
      #"{"fail":{"error":"timedOut","domain":"D"}}"#, #"{"fail":{"error":"timedOut","code":1}}"#,
      #"{"fail":{"error":"timedOut","message":"m"}}"#, #"{"fail":{"error":"nope"}}"#, #"{"fail":{"error":null}}"#,
      #"{"fail":{"error":"timedOut","after":{"folder":"f"}}}"#, #"{"fail":{"error":"timedOut","after":{"bytes":"x"}}}"#,
      #"{"fail":{"error":"timedOut","after":null}}"#, #"{"fail":{"error":"timedOut","delay":"x","after":7}}"#,
      #"{"fail":{"\#(String(repeating: "y", count: 50))":1}}"#, #"{"fail":"\#(String(repeating: "y", count: 50))"}"#,
      #"{"pass":null}"#, #"{"pass":7}"#, #"{"pass":{"status":99}}"#, #"{"pass":{"status":600}}"#,
      #"{"pass":{"stat":1}}"#,
      #"{"pass":{"to":"http://h:1/a","delay":"1s","throttle":"1kB/s","status":201,"headers":{"A":"1","B":null},"mergePatch":{"a":1},"replace":{"find":"a","with":"b"}}}"#,
      #"{"pass":{"to":"h:1"}}"#, #"{"pass":{"to":null}}"#, #"{"pass":{"to":"http://{{request.host}}"}}"#,
      #"{"pass":{"to":"http://{{nope}}"}}"#, #"{"pass":{"headers":{"A B":"1","":"2"}}}"#,
      #"{"pass":{"headers":{"A":["1","2"],"C":[]}}}"#, #"{"pass":{"headers":[{"A":"1"},{"A":"2"}]}}"#,
      #"{"pass":{"headers":{"A":"{{nope}}","B":"x\ny"}}}"#,
      #"{"pass":{"replace":[{"find":"a","with":""},{"find":"","with":"b"}]}}"#,
      #"{"pass":{"replace":{"find":"a"}}}"#, #"{"pass":{"replace":{"with":"a"}}}"#,
      #"{"pass":{"replace":{"find":null,"with":"a"}}}"#,
      #"{"pass":{"replace":[]}}"#, #"{"pass":{"replace":7}}"#, #"{"pass":{"replace":{"fnd":"a"}}}"#,
      #"{"pass":{"mergePatch":null}}"#,
    ]
    try record(thens.map { #"{"patchbay":1,"stubs":[{"name":"a","then":\#($0)}]}"# }, "schema-actions")
  }

  @Test func responses() throws {
    let responses = [
      "null", "7", "[]", "{}", #"{"stats":200}"#, #"{"status":100}"#, #"{"status":99}"#, #"{"status":"x"}"#,
      #"{"headers":{"A":"1","B":["2","3"]}}"#, #"{"headers":{"A":null}}"#, #"{"headers":{"A":"a\rb","C":"d\u0000"}}"#,
      #"{"headers":{"A:":"1","é":"2","!#$%&'*+-.^_`|~09azAZ":"3","a/":"4","[":"5","{":"6"}}"#,
      #"{"headers":{"\#(String(repeating: "ü", count: 50))":"1"}}"#, #"{"headers":"A: 1"}"#, #"{"headers":{"A":{}}}"#,
      #"{"json":{"a":[1,null,"{{uuid}}"]}}"#, #"{"json":null}"#, #"{"json":{"a":["{{nope}}",{"b":"{{now Q}}"}]}}"#,
      #"{"body":"x"}"#, #"{"body":7}"#, #"{"body":null}"#, #"{"body":"{{nope}} {{count}} {{nope2}}"}"#,
      #"{"body":"{{match.1}}"}"#, #"{"body":{"file":"a.json"}}"#, #"{"body":["a"]}"#,
      #"{"base64":"AQI="}"#, #"{"base64":"AQ I\n="}"#, #"{"base64":"!"}"#, #"{"base64":null}"#, #"{"base64":""}"#,
      #"{"file":"a/b.json"}"#, #"{"file":""}"#, #"{"file":null}"#, #"{"file":"a/{{request.path.0}}.json"}"#,
      #"{"file":"{{nope}}"}"#,
      #"{"folder":"f"}"#, #"{"folder":""}"#, #"{"folder":null}"#, #"{"folder":"{{request.host}}"}"#,
      #"{"folder":"f","otherwise":"404"}"#, #"{"folder":"f","otherwise":"x"}"#, #"{"folder":"f","otherwise":404}"#,
      #"{"body":"x","otherwise":"404"}"#, #"{"otherwise":"pass"}"#, #"{"folder":null,"otherwise":"404"}"#,
      #"{"filler":"1GiB"}"#, #"{"filler":"1073741825"}"#, #"{"filler":7}"#, #"{"filler":null}"#, #"{"filler":"x"}"#,
      #"{"events":[{"data":"a"},{"event":"e","id":"i","data":{"b":1},"after":"1s"}]}"#, #"{"events":[]}"#,
      #"{"events":{}}"#,
      #"{"events":[7]}"#, #"{"events":[{}]}"#, #"{"events":[{"dta":"x"}]}"#,
      #"{"events":[{"event":"a\nb"},{"id":"a\rb"}]}"#,
      #"{"events":[{"event":null}]}"#, #"{"events":[{"data":"{{nope}}","id":"{{nope}}"}]}"#,
      #"{"events":[{"after":"1s"}]}"#,
      #"{"events":[{"data":1,"after":"x"}]}"#, #"{"events":[{"data":1}],"throttle":"1kB/s"}"#,
      #"{"events":[{"data":1}],"dribble":{"pieces":1,"over":"1s"}}"#,
      #"{"body":"x","json":{}}"#, #"{"json":1,"file":"f","filler":"1"}"#, #"{"body":"x","base64":"AQI="}"#,
      #"{"delay":"1s"}"#, #"{"delay":"x"}"#, #"{"delay":null}"#, #"{"delay":7}"#, #"{"delay":{"from":"1s","to":"2s"}}"#,
      #"{"delay":{"from":"2s","to":"1s"}}"#, #"{"delay":{"from":"1s","to":"1s"}}"#, #"{"delay":{"from":"1s"}}"#,
      #"{"delay":{"to":"1s"}}"#,
      #"{"delay":{"from":"x","to":"1s"}}"#, #"{"delay":{"frm":"1s"}}"#, #"{"delay":[]}"#,
      #"{"throttle":"20kB/s"}"#, #"{"throttle":"20kB"}"#, #"{"throttle":7}"#, #"{"throttle":0}"#, #"{"throttle":null}"#,
      #"{"throttle":"/s"}"#, #"{"throttle":{}}"#, #"{"throttle":"1kB/s","dribble":{"pieces":1,"over":"1s"}}"#,
      #"{"throttle":"x","dribble":7}"#, #"{"dribble":{"pieces":2,"over":"1s"}}"#,
      #"{"dribble":{"pieces":0,"over":"1s"}}"#,
      #"{"dribble":{"pieces":1}}"#, #"{"dribble":{"over":"1s"}}"#, #"{"dribble":{}}"#, #"{"dribble":7}"#,
      #"{"dribble":{"pieces":"x","over":"y"}}"#, #"{"dribble":{"pices":1}}"#, #"{"bytes":"1kB"}"#,
    ]
    try record(
      responses.map { #"{"patchbay":1,"stubs":[{"name":"a","then":{"respond":\#($0)}}]}"# }
        + [
          "{\"patchbay\":1,\"stubs\":[\n {\"name\":\"a\",\"when\":{\"path\":{\"matches\":\"(x)(?<y>.)\"}},\"then\":{\"respond\":{\n"
            + "  \"body\":\"{{match.1}} {{match.2}} {{match.3}} {{match.y}} {{match.z}}\",\n"
            + "  \"headers\":{\"A\":\"1 {{nope}}\",\"B\":\"{{nope}}\"}}}}]}",
          "{\"patchbay\":1,\"stubs\":[{\"name\":\"a\",\"then\":{\"respond\":{\"body\":\n\"x {{uuid}} {{no}}\\n{{not}}\"}}}]}",
        ], "schema-responses")
  }

  @Test func requests() throws {
    let requests = [
      "null", "7", "{}", #"{"metod":"GET"}"#, #"{"method":"purge"}"#, #"{"method":""}"#, #"{"method":"A B"}"#,
      #"{"method":"É"}"#,
      #"{"method":"!#$%&'*+-.^_`|~09azAZ"}"#, #"{"method":"a/b"}"#, #"{"method":"a[b"}"#, #"{"method":"a{b"}"#,
      #"{"method":null}"#,
      #"{"method":"\#(String(repeating: "ä", count: 50))"}"#,
      #"{"scheme":"HTTPS"}"#, #"{"scheme":"ftp"}"#, #"{"scheme":"{{request.scheme}}"}"#, #"{"scheme":"{{x}}"}"#,
      #"{"scheme":null}"#,
      #"{"host":"h"}"#, #"{"host":"::1"}"#, #"{"host":"[::1]"}"#, #"{"host":"h:80"}"#, #"{"host":""}"#,
      #"{"host":"h/a"}"#,
      #"{"host":"u@h"}"#, #"{"host":"a b"}"#, #"{"host":"h?x"}"#, #"{"host":"h#x"}"#,
      #"{"host":"{{request.host}}:80"}"#,
      #"{"host":"{{x}}"}"#, #"{"host":null}"#, #"{"port":1}"#, #"{"port":65535}"#, #"{"port":0}"#, #"{"port":65536}"#,
      #"{"port":"1"}"#,
      #"{"path":"/a"}"#, #"{"path":"{{x}}"}"#, #"{"path":null}"#, #"{"path":"{{request.path}}"}"#,
      #"{"query":{"a":"1","b":null,"c":["1","{{uuid}}"],"d":[]}}"#, #"{"query":{"":"1"}}"#, #"{"query":{"a":"{{x}}"}}"#,
      #"{"query":{"a":[null]}}"#, #"{"query":7}"#, #"{"query":{"\#(String(repeating: "q", count: 50))":{}}}"#,
      #"{"headers":{"A":"1","B":null}}"#, #"{"headers":{"A B":"1"}}"#, #"{"headers":{"A":"{{x}}"}}"#,
      #"{"json":{"a":1}}"#, #"{"body":"x"}"#, #"{"base64":"AQI="}"#, #"{"file":"f.json"}"#, #"{"file":"{{uuid}}"}"#,
      #"{"filler":"1"}"#,
      #"{"json":1,"body":"x"}"#, #"{"method":"GET","json":1}"#, #"{"method":"head","body":"x"}"#,
      #"{"method":"GET","mergePatch":{}}"#,
      #"{"method":"GET","replace":{"find":"a","with":"b"}}"#, #"{"method":"DELETE","body":"x"}"#,
      #"{"method":"POST","json":1}"#,
      #"{"mergePatch":{"a":null},"replace":[{"find":"a","with":"b"}]}"#, #"{"replace":{"find":""}}"#,
    ]
    try record(
      requests.map { #"{"patchbay":1,"stubs":[{"name":"a","then":{"pass":{"request":\#($0)}}}]}"# }, "schema-requests")
  }
}
