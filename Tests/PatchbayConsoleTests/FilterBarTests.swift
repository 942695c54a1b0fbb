import PatchbayTestSupport
import Testing

@testable import PatchbayConsole

@Suite(.bounded) struct FilterBarTests {
  private func driver() -> ConsoleDriver {
    var driver = ConsoleDriver()
    driver.add([.make(1), .make(2, "POST", "https://img.example.com/a"), .make(3, status: 500)])
    return driver
  }

  @Test func resultsComeAsOneTypes() {
    var driver = driver()
    driver.press("/")
    driver.type("img")
    #expect(driver.state.requests.list.order.count == 1)
    #expect(driver.shows("1 of 3"))
    driver.press("backspace backspace backspace")
    #expect(driver.state.requests.list.order.count == 3)
  }

  @Test func aFaultStandsUnderItsColumnAndTheRowsStay() throws {
    var driver = driver()
    driver.press("/")
    driver.send(.input(.paste("v1 hots:a")))
    let line = try #require(driver.lines.first { $0.contains("did you mean host?") })
    #expect(line.prefix { $0 == " " }.count == 3 + "v1 ".count)
    #expect(driver.state.requests.list.order.count == 3)
    driver.press("enter")
    #expect(driver.state.requests.bar.isOpen)
  }

  @Test func escPutsItBackAsItWas() {
    var driver = driver()
    driver.press("/")
    driver.type("img")
    driver.press("enter /")
    driver.type("x")
    driver.press("esc")
    #expect(driver.state.requests.bar.applied == "img")
    #expect(driver.state.requests.list.order.count == 1)
  }

  @Test func historyGoesBackAndForth() {
    var driver = driver()
    for filter in ["img", "status:500"] {
      driver.press("/ ctrl-u")
      driver.type(filter)
      driver.press("enter")
    }
    driver.press("/ ctrl-u")
    driver.type("xy")
    driver.press("up")
    #expect(driver.state.requests.bar.editor.text == "status:500")
    driver.press("up")
    #expect(driver.state.requests.bar.editor.text == "img")
    driver.press("down down")
    #expect(driver.state.requests.bar.editor.text == "xy")
  }

  @Test func tabCompletesKeysThenValues() {
    var driver = driver()
    driver.press("/")
    driver.type("metho")
    driver.press("tab")
    #expect(driver.state.requests.bar.editor.text == "method:")
    driver.type("PO")
    driver.press("tab")
    #expect(driver.state.requests.bar.editor.text == "method:POST")
    #expect(driver.state.requests.list.order.count == 1)
  }

  @Test func itIsNoStepOfUndoAndComesBackByTheArrow() {
    var driver = driver()
    driver.press("/")
    driver.type("img")
    driver.press("enter u")
    #expect(driver.state.requests.bar.applied == "img" && driver.shows("There is nothing to undo."))
    driver.press("\\ / up enter")
    #expect(driver.state.requests.bar.applied == "img")
  }

  @Test func japaneseIsTypedAndCutRight() {
    var driver = ConsoleDriver(width: 80, height: 24)
    driver.add([.make(1, "GET", "https://a.example/人物")])
    driver.press("/")
    driver.type("人物")
    #expect(driver.state.draw().grid.cursor?.x == 3 + 4)
    #expect(driver.state.requests.list.order.count == 1)
  }

  @Test func pasteGoesIn() {
    var driver = driver()
    driver.press("/")
    driver.send(.input(.paste("img\nexample")))
    #expect(driver.state.requests.bar.applied == "img example")
  }

  @Test func whatTabOffersIsSeenBeforeItIsPressed() {
    var driver = driver()
    driver.press("/")
    driver.type("st")
    #expect(driver.lines[2].contains("status:") && driver.lines[2].contains("stub:"))
    driver.type("atus:")
    #expect(driver.lines[2].contains("needs a value") && driver.lines[2].contains("4xx"))
    driver.type("5xx")
    #expect(!driver.lines[2].contains("5xx"))
  }

  @Test func aFaultAfterJapaneseStandsUnderItsColumn() throws {
    var driver = driver()
    driver.press("/")
    driver.send(.input(.paste("本の名 hots:a")))
    let line = try #require(driver.lines.first { $0.contains("did you mean host?") })
    #expect(line.prefix { $0 == " " }.count == 3 + 7)
  }
}
