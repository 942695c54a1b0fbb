import Foundation
import PatchbayGrid
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayConsole

@Suite(.bounded) struct RobustnessTests {
  @Test(arguments: [UInt64(1), 2, 3, 4, 5, 6])
  func anyKeysMouseAndSizesNeitherTrapNorDrawOutside(seed: UInt64) {
    var random = SplitMix(seed: seed)
    var driver = Sample.driver(100, 30, mode: .run(command: "app"))
    driver.send(.themes(["dark"]))
    let keys =
      Binding.table.flatMap(\.keys) + [Key("1"), Key("2"), Key("x"), Key("a"), .enter, .escape, .tab, Key("日")]
    for step in 0..<600 {
      switch random.next() % 20 {
      case 0:
        let size = Size(width: Int(random.next() % 220), height: Int(random.next() % 70))
        driver.send(.resized(size))
      case 1:
        let at = Point(x: Int(random.next() % 200), y: Int(random.next() % 60))
        let kinds: [MouseEvent.Kind] = [.press(.left), .drag(.left), .release(.left), .wheelUp, .wheelDown]
        driver.send(.input(.mouse(MouseEvent(kinds[Int(random.next() % 5)], at: at))))
      case 2: driver.add([.make(Int64(2_000 + step), status: Int(200 + random.next() % 400))])
      case 3: driver.send(.input(.paste("pasted 日本\n\u{1B}[2J")))
      case 4:
        driver.now = Timestamp(microseconds: driver.now.microseconds + 700_000)
        driver.send(.tick)
      default:
        let key = keys[Int(random.next() % UInt64(keys.count))]
        driver.send(.input(.key(key)))
      }
      if step % 10 == 0 { _ = driver.state.draw() }
    }
    #expect(driver.state.draw().grid.size == driver.state.size)
  }

  @Test func everyScreenDrawsAtEverySize() {
    var driver = Sample.driver(100, 30)
    let screens = [
      "1", "enter", "right right right", "x", "esc y", "esc ?", "esc :", "esc 2", "e", "esc 3", "4", "5", "1 /",
    ]
    for keys in screens {
      driver.send(.resized(Size(width: 100, height: 30)))
      driver.press(keys)
      for width in [0, 1, 20, 39, 40, 41, 76, 80, 133] {
        for height in [0, 1, 8, 9, 10, 24] {
          driver.send(.resized(Size(width: width, height: height)))
          #expect(driver.state.draw().grid.size == Size(width: width, height: height))
        }
      }
    }
  }

  @Test func aTerminalThatIsTooSmallSaysSoAndLeaves() {
    var driver = Sample.driver(20, 5)
    #expect(driver.shows("Patchbay needs"))
    driver.press("q")
    #expect(driver.effects.last == .quit)
  }

  @Test func theMouseSelectsOpensSortsAndDrags() throws {
    var driver = Sample.driver(120, 36)
    func click(_ x: Int, _ y: Int) { driver.send(.input(.mouse(MouseEvent(.press(.left), at: Point(x: x, y: y))))) }
    click(20, 5)
    #expect(driver.state.requests.list.selectedID == 1192)
    click(20, 5)
    #expect(driver.state.requests.detail.isOpen)
    let divider = driver.layout.divider
    click(100, divider.y)
    driver.send(.input(.mouse(MouseEvent(.drag(.left), at: Point(x: 100, y: divider.y + 5)))))
    driver.send(.input(.mouse(MouseEvent(.release(.left), at: Point(x: 100, y: divider.y + 5)))))
    #expect(abs(driver.layout.divider.y - divider.y - 5) <= 1)
    let head = driver.columns.places.first { $0.column == .status }
    click(head?.x ?? 0, 2)
    #expect(driver.state.requests.list.query.sort.column == .status)
    click(try #require(driver.state.header.column(of: .stubs)), 0)
    #expect(driver.state.tab == .stubs)
    driver.press("M")
    click(2, 0)
    #expect(driver.state.tab == .stubs)
    #expect(!driver.state.draw().mouse)
  }

  @Test func theWheelMovesWhatIsUnderThePointer() {
    var driver = ConsoleDriver(width: 120, height: 30)
    let lines = (1...200).map { "line \($0)" }.joined(separator: "\n")
    driver.add((1...100).map { .make($0, headers: [], body: lines) })
    driver.press("enter")
    let wheel = MouseEvent(.wheelDown, at: Point(x: 10, y: driver.layout.detail.y + 2))
    driver.send(.input(.mouse(wheel)))
    #expect(driver.state.requests.detail.page.top == 3)
    #expect(driver.state.requests.list.selectedID == 100)
    driver.send(.input(.mouse(MouseEvent(.wheelUp, at: Point(x: 10, y: 5)))))
    #expect(driver.state.requests.list.follows == false)
  }

  @Test(.alone) func drawingAWideScreenIsQuick() {
    var driver = Sample.driver(200, 60)
    driver.add((2_000...2_100).map { .make($0) })
    driver.press("enter")
    let times = (0..<20).map { _ in ContinuousClock().measure { _ = driver.state.draw() } }
    #expect(times.contains { $0 < .milliseconds(150) }, "\(times) without optimisation, beside the other tests")
  }
}
