import Foundation
import PatchbayGrid
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayConsole

@Suite(.bounded) struct ValueEditTests {
  private static let profile =
    #"{"id":7,"user":{"name":"花子","plan":"free","vip":false},"items":[{"price":3},{"price":4}]}"#

  private func driver(
    _ body: String = profile, _ width: Int = 100, _ height: Int = 40, url: String = "https://api.example.com/v1/profile"
  ) -> ConsoleDriver {
    var driver = ConsoleDriver(width: width, height: height)
    driver.add([.make(1, "GET", url, body: body)])
    return driver
  }

  private func changes(_ driver: ConsoleDriver) throws -> PassChanges {
    guard case .pass(let changes)? = driver.board.entries.first?.stub.then else { throw NoStub() }
    return changes
  }
  private struct NoStub: Error {}

  /// Goes to the member of that name and edits it.
  private func edit(_ name: String, _ driver: inout ConsoleDriver) {
    driver.press("enter enter /")
    driver.type(name)
    driver.press("enter e")
  }

  @Test func aValueIsEditedInItsLineAndOnlyThatPathIsPatched() throws {
    var driver = driver()
    edit("plan", &driver)
    #expect(driver.lines.last?.contains("enter live from now on") == true)
    driver.type("gold")
    #expect(driver.lines.contains { $0.contains(#""plan": gold"#) && $0.contains(#"was "free""#) })
    #expect(driver.lines.contains { $0.contains("◆ GET /v1/profile  user.plan") })
    driver.press("enter")
    #expect(driver.board.entries.map(\.stub.name) == ["patch GET /v1/profile"])
    #expect(try changes(driver) == PassChanges(mergePatch: ["user": ["plan": "gold"]]))
    #expect(driver.shows(#"user.plan is "gold" in GET /v1/profile from now on."#))
    #expect(driver.lines.contains { $0.contains(#""plan": "free","#) && $0.contains(#"◆ now "gold""#) })
    driver.press("u")
    #expect(driver.board.entries.isEmpty)
    #expect(!driver.shows("◆ now"))
  }

  @Test func aSecondOneExtendsThePatchAndUndoTakesBackThatOneAlone() throws {
    var driver = driver()
    edit("plan", &driver)
    driver.type("gold")
    driver.press("tab")
    #expect(driver.lines.contains { $0.contains(#""vip": false"#) && $0.contains("true/false") })
    driver.type("true")
    driver.press("enter")
    #expect(driver.board.entries.count == 1)
    #expect(try changes(driver).mergePatch == ["user": ["plan": "gold", "vip": true]])
    driver.press("u")
    #expect(try changes(driver).mergePatch == ["user": ["plan": "gold"]])
  }

  @Test func eOnARowThatNoStubAnsweredEditsItsFirstValueAtOnce() throws {
    var driver = driver()
    driver.press("e")
    driver.type("8")
    driver.press("enter")
    #expect(try changes(driver).mergePatch == ["id": 8])
  }

  @Test(arguments: [
    ("id", "8", JSONValue.number("8")), ("id", "eight", .string("eight")), ("id", "null", .null),
    ("name", "12", .string("12")), ("name", "a\"b", .string("a\"b")),
  ])
  func whatIsTypedIsOfTheKindThatItWas(_ name: String, _ text: String, _ value: JSONValue) throws {
    var driver = driver()
    edit(name, &driver)
    driver.type(text)
    driver.press("enter")
    #expect(
      try changes(driver).mergePatch
        == (name == "id" ? .object([.init("id", value)]) : ["user": .object([.init("name", value)])]))
  }

  @Test func aTextBecomesJSONOnWishAndBrokenJSONIsNotTaken() throws {
    var driver = driver()
    edit("name", &driver)
    driver.press("ctrl-t")
    driver.type("[1,2]")
    driver.press("enter")
    #expect(try changes(driver).mergePatch == ["user": ["name": [1, 2]]])
    var other = self.driver()
    edit("user", &other)
    other.type("{")
    #expect(other.shows("✗ not JSON"))
    other.press("enter")
    #expect(other.board.entries.isEmpty)
    other.press("esc")
    #expect(!other.shows("✗ not JSON"))
    #expect(other.board.entries.isEmpty)
  }

  @Test func anElementOfAListCarriesTheListWithWhatWasChangedBefore() throws {
    var driver = driver()
    driver.press("enter enter G k k k k k k e")
    driver.type("9")
    driver.press("enter")
    #expect(try changes(driver).mergePatch == ["items": [["price": 9], ["price": 4]]])
    #expect(driver.shows("all of items stays as it is here"))
    driver.press("j j j e")
    driver.type("10")
    driver.press("enter")
    #expect(try changes(driver).mergePatch == ["items": [["price": 9], ["price": 10]]])
  }

  @Test func whatWasTakenIsThereWhenOneGoesBackToIt() throws {
    var driver = driver(#"{"l":[1,2],"b":3}"#)
    driver.press("e")
    driver.type("9")
    driver.press("tab")
    driver.type("8")
    driver.press("up")
    #expect(driver.state.requests.detail.edit?.editor.text == "9")
    driver.press("enter")
    #expect(driver.board.entries.count == 1)
    #expect(try changes(driver).mergePatch == ["l": [9, 8]])
  }

  @Test func theOwnAnswerOfTheStubThatAnsweredIsChanged() throws {
    var driver = ConsoleDriver()
    driver.board = StubBoard(
      revision: 2,
      entries: [
        .init(
          stub: Stub(name: "down", then: .respond(CannedResponse(body: .json(["code": 1, "list": [1, 2]])))),
          origin: .console)
      ])
    driver.send(.board(driver.board, by: nil))
    driver.add([.make(1, body: #"{"code":1,"list":[1,2]}"#, stub: "down")])
    driver.press("enter enter G k k e")
    driver.type("3")
    driver.press("enter")
    #expect(driver.board.entries.count == 1)
    #expect(driver.board["down"]?.stub.then.response?.body == .json(["code": 1, "list": [1, 3]]))
  }

  @Test func itIsForEveryIDOrForThisOne() throws {
    var driver = driver(url: "https://api.example.com:8443/v1/users/7")
    edit("plan", &driver)
    driver.type("gold")
    #expect(driver.shows("◆ GET /v1/users/{id}"))
    driver.press("ctrl-r")
    #expect(driver.shows("◆ GET /v1/users/7"))
    driver.press("enter")
    let when = try #require(driver.board.entries.first?.stub.when)
    #expect(when.path == .glob("/v1/users/7"))
    #expect(when.port == 8443)
  }

  @Test func slownessThatAWiderStubGivesStays() throws {
    var driver = driver()
    driver.press("x tab s l o w enter")
    let slow = try #require(driver.board.entries.first?.stub)
    driver.press("e")
    driver.type("8")
    driver.press("enter")
    guard case .pass(var before) = slow.then else { throw NoStub() }
    before.mergePatch = ["id": 8]
    #expect(try changes(driver) == before)
    #expect(driver.board.entries.count == 2)
  }

  @Test(arguments: [
    ("not json", "not quite JSON"), ("[]", "There is no value below"), ("{", "not quite JSON"),
  ])
  func whatCannotBeEditedIsSaid(_ body: String, _ sentence: String) {
    var driver = driver(body)
    driver.press("e")
    #expect(driver.shows(sentence), "\(driver.screen)")
    #expect(driver.board.entries.isEmpty)
    driver.press("q")
  }

  @Test(arguments: [(80, 24), (120, 36), (200, 60), (40, 12)])
  func aLongValueStaysInTheScreen(_ width: Int, _ height: Int) {
    var driver = driver(#"{"text":"\#(String(repeating: "長い文 ", count: 80))","z":1}"#, width, height)
    driver.press("e")
    driver.press("end")
    driver.type("おわり")
    #expect(driver.shows("おわり"))
    #expect(driver.lines.allSatisfy { textWidth($0) <= width })
    driver.press("enter")
    #expect(driver.board.entries.count == 1)
  }

  /// A name takes half of the line at most.
  @Test func aLongNameLeavesRoomForTheValue() throws {
    var driver = driver("{\"\(String(repeating: "k", count: 60))\":1}", 80)
    driver.press("e")
    let line = try #require(driver.lines.first { $0.contains("kk") })
    #expect(line.hasPrefix("   \"kk") && line.contains("k…1") && line.filter { $0 == "k" }.count == 36, "\(line)")
  }

  @Test func aPasteGoesIntoTheValueAndAClickElsewhereLeavesIt() throws {
    var driver = driver()
    driver.press("e")
    driver.send(.input(.paste("42")))
    driver.press("tab")
    #expect(try changes(driver).mergePatch == ["id": 42])
    driver.send(.input(.mouse(MouseEvent(.press(.left), at: Point(x: 3, y: 3)))))
    #expect(driver.lines.last?.contains("live from now on") == false)
  }

  @Test func aHeldRequestIsEditedAsEver() {
    var driver = ConsoleDriver()
    driver.add([.make(1, "POST", "https://api.example.com/v1/login", phase: .heldRequest)])
    driver.press("enter enter e")
    #expect(driver.shows("ctrl-s"))
  }
}
