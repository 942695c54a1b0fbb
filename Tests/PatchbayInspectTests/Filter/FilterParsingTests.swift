import PatchbayInspect
import PatchbayTestSupport
import PatchbayWire
import Testing

@Suite(.bounded) struct FilterParsingTests {
  struct Mistake: Sendable {
    var filter: String
    var range: Range<Int>
    var suggestion: String?

    init(_ filter: String, _ range: Range<Int>, _ suggestion: String? = nil) {
      self.filter = filter
      self.range = range
      self.suggestion = suggestion
    }
  }

  @Test(arguments: [
    Mistake("hots:api", 0..<4, "host"), Mistake("a  stauts:5xx", 3..<9, "status"), Mistake("status:abc", 7..<10),
    Mistake("status:", 7..<7), Mistake("by:stbu", 3..<7, "stub"), Mistake("is:hold", 3..<7, "held"),
    Mistake("(a", 0..<1), Mistake("a)", 1..<2), Mistake("a |", 3..<3), Mistake("| a", 0..<1), Mistake("-", 0..<1),
    Mistake("a (", 3..<3), Mistake("\"abc", 0..<4), Mistake("path:~[", 5..<7), Mistake("time:>5parsecs", 5..<14),
    Mistake("size:x", 5..<6), Mistake("since:never", 6..<11), Mistake("marked:maybe", 7..<12, "yes"),
    Mistake("日本 mehtod:GET", 3..<9, "method"), Mistake("status:200,9999", 11..<15), Mistake("()", 1..<2),
    Mistake("status:<0", 7..<9), Mistake("run:first", 4..<9), Mistake("run:", 4..<4), Mistake("tgas:a", 0..<4, "tag"),
  ])
  func pointsAtTheMistake(_ mistake: Mistake) {
    do {
      _ = try Filter(parsing: mistake.filter)
      Issue.record("\(mistake.filter) was read")
    } catch {
      #expect(error.range == mistake.range, "\(mistake.filter): \(error)")
      #expect(error.suggestion == mistake.suggestion, "\(mistake.filter): \(error)")
      #expect(error.description.contains("column \(mistake.range.lowerBound + 1)"))
    }
  }

  @Test(arguments: ["AND", "OR", "NOT", "&&"])
  func wordsOfOtherLanguagesAreNotLookedFor(_ word: String) throws {
    let error = #expect(throws: FilterError.self) { try Filter(parsing: "a \(word) b") }
    #expect(error?.range == 2..<2 + word.count && error?.description.contains("(") == true)
    #expect(try Filter(parsing: "\"\(word)\"").matches(.sample(url: "http://a.example/\(word)")))
    #expect(try Filter(parsing: word.lowercased() + "x").matches(.sample(url: "http://a.example/\(word)x")))
  }

  @Test func nestsOnlySoDeep() throws {
    let deep = String(repeating: "(", count: 50_000)
    #expect(throws: FilterError.self) { try Filter(parsing: deep + "a") }
    #expect(throws: FilterError.self) { try Filter(parsing: String(repeating: "-", count: 50_000)) }
    _ = try Filter(parsing: String(repeating: "(", count: 60) + "a" + String(repeating: ")", count: 60))
    _ = try Filter(parsing: String(repeating: "-", count: 50_001) + "a")
  }

  @Test func everyKeyOfTheLanguageIsRead() throws {
    let whole = """
      host:api path:/v1/* path:~^/v[12]/ method:POST,PUT status:5xx status:>=400 type:json by:stub stub:"orders down" \
      process:demo error:timedOut body:token reqbody: resbody: header:"x-id: 7" time:>500ms size:>1MB since:10m \
      marked:yes is:held is:failed is:bad is:redirected is:truncated is:observed query:page=2 url:/v1/ id:5..8 \
      before:10m run:last op:GetUser tag:slow note:flaky
      """
    guard case .and(let parts) = try Filter(parsing: whole).expression else {
      Issue.record("not a conjunction")
      return
    }
    #expect(parts.count == 33)
  }

  @Test func addressesAreWords() throws {
    let exchange = Exchange.sample(url: "http://localhost:8080/x")
    #expect(try Filter(parsing: "localhost:8080").matches(exchange))
    #expect(try Filter(parsing: "http://localhost:8080/x").matches(exchange))
    #expect(try Filter(parsing: "host:localhost:8080").matches(exchange))
    #expect(try Filter(parsing: "HOST:localhost").matches(exchange))
    #expect(try Filter(parsing: "127.0.0.1:80").matches(exchange) == false)
    // The beginning of a key is a key that is not whole yet, and no host.
    let error = #expect(throws: FilterError.self) { try Filter(parsing: "proc:8080") }
    #expect(error?.suggestion == "process")
  }

  @Test func quotesAndParenthesesInWords() throws {
    let exchange = Exchange.sample(url: "https://a.example/Users('x y')", body: "say \"hello (world)|\"", stub: "a, b")
    #expect(try Filter(parsing: "Users('").matches(exchange))
    #expect(try Filter(parsing: "body:\"say \\\"hello\"").matches(exchange))
    #expect(try Filter(parsing: "body:\"(world)|\"").matches(exchange))
    #expect(try Filter(parsing: "stub:\"a, b\"").matches(exchange))
    #expect(try Filter(parsing: "(users|x)-orders").matches(exchange))
  }

  @Test func completesKeysAndValues() {
    #expect(Filter.completions("ho", cursor: 2).candidates.map(\.text) == ["host:"])
    #expect(Filter.completions("a -st", cursor: 5).candidates.map(\.text) == ["status:", "stub:"])
    #expect(Filter.completions("a -st", cursor: 5).range == 3..<5)
    let by = Filter.completions("by:st", cursor: 5)
    #expect(by.range == 3..<5 && by.candidates.map(\.text) == ["stub"])
    let list = Filter.completions("method:GET,PU", cursor: 13)
    #expect(list.range == 11..<13 && list.candidates.map(\.text) == ["PUT"])
    let stubs = Filter.completions("stub:or", cursor: 7) { $0 == .stub ? ["orders down", "x"] : [] }
    #expect(stubs.candidates.map(\.text) == ["\"orders down\""])
    #expect(Filter.completions("", cursor: 0).candidates.count == FilterKey.allCases.count)
  }
}
