import Foundation
import PatchbayGrid
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayConsole

/// Where a picture stands on the screen, on a terminal that shows them, and where it does not.
@Suite(.bounded) struct DetailPictureTests {
  private func opened(
    _ body: Data, type: String = "image/png", width: Int = 120, height: Int = 36, headers: Int = 0,
    pictures: Set<Picture.Format> = [.png, .jpeg], asked: Bool = false
  ) -> ConsoleDriver {
    var driver = ConsoleDriver(width: width, height: height)
    driver.send(.pictures(pictures))
    let fields = [HeaderField("Content-Type", type)] + (0..<headers).map { HeaderField("X-\($0)", "\($0)") }
    var exchange = Exchange.make(1, headers: fields, body: "")
    if asked {
      exchange.request.method = "POST"
      exchange.request.headers = fields
      exchange.request.body = body
    } else {
      exchange.response?.body = body
    }
    driver.add([exchange])
    driver.press("enter enter")
    return driver
  }

  private func picture(_ driver: ConsoleDriver) -> PlacedPicture? { driver.state.draw().grid.picture }

  @Test func standsBelowOrBesideTheFactsInThePlaceOfTheBytes() throws {
    let body = SamplePicture.png(width: 640, height: 320)
    let driver = opened(body)
    let placed = try #require(picture(driver))
    #expect(placed.picture.bytes == Array(body) && placed.picture.format == .png)
    let lines = driver.lines
    let facts = try #require(lines.firstIndex { $0.contains("640 × 320 pixels") })
    #expect(placed.area.y >= facts - 1 && placed.area.maxY < 36)
    #expect(!driver.shows("49 48 44 52"))
    // Nothing is drawn below it.
    for row in placed.area.y..<placed.area.maxY {
      let columns = placed.area.x..<placed.area.maxX
      #expect(driver.state.draw().grid.text(row: row, columns: columns).allSatisfy { $0 == " " })
    }
  }

  @Test(arguments: [(80, 24), (120, 36), (200, 60)]) func hasRoomAtEachSize(_ width: Int, _ height: Int) throws {
    for headers in [0, 30] {
      var driver = opened(SamplePicture.png(width: 400, height: 300), width: width, height: height, headers: headers)
      // Down to the facts of the body: what stands above makes room.
      for _ in 0..<60 where picture(driver) == nil { driver.press("j") }
      let placed = try #require(picture(driver), "\(headers) headers")
      #expect(placed.area.height >= 3)
      #expect(driver.shows("400 × 300 pixels"))
      #expect(Rect(x: 0, y: 1, width: width, height: height - 2).intersection(placed.area) == placed.area)
    }
  }

  @Test func theBytesAreSeenWhenOneGoesDownToThem() {
    var driver = opened(SamplePicture.png())
    driver.press("G")
    #expect(picture(driver) == nil)
    #expect(driver.shows("49 48 44 52"))
    driver.press("g")
    #expect(picture(driver) != nil)
    driver.press("/")
    driver.type("IEND")
    driver.press("enter")
    #expect(picture(driver) == nil)
  }

  @Test func aClickOnItLeavesIt() throws {
    var driver = opened(SamplePicture.png(width: 640, height: 320))
    let placed = try #require(picture(driver))
    let point = Point(x: placed.area.x + 2, y: placed.area.maxY - 1)
    driver.send(.input(.mouse(MouseEvent(.press(.left), at: point))))
    #expect(picture(driver) == placed)
  }

  @Test func ofARequestToo() {
    var driver = opened(SamplePicture.jpeg(), type: "image/jpeg", asked: true)
    #expect(picture(driver) == nil)
    driver.press("right")
    #expect(picture(driver)?.picture.format == .jpeg)
    driver.press("right")
    #expect(picture(driver) == nil)
  }

  @Test func isGoneUnderWhatLiesOverItAndBackAfterIt() {
    var driver = opened(SamplePicture.png())
    for (open, close) in [("?", "esc"), (":", "esc"), ("2", "1")] {
      driver.press(open)
      #expect(picture(driver) == nil, "\(open)")
      driver.press(close)
      #expect(picture(driver) != nil, "\(close)")
    }
    driver.send(.notice(Notice(.info, String(repeating: "a long sentence ", count: 20))))
    if let area = picture(driver)?.area { #expect(area.maxY <= driver.lines.firstIndex { $0.contains("a long") } ?? 0) }
    driver.send(.resized(Size(width: 30, height: 8)))
    #expect(picture(driver) == nil)
  }

  @Test func anotherRowHasItsOwn() {
    var driver = ConsoleDriver()
    driver.send(.pictures([.png]))
    for id in 1...3 {
      var exchange = Exchange.make(Int64(id), headers: [HeaderField("Content-Type", "image/png")], body: "")
      exchange.response?.body = id == 2 ? Data("{}".utf8) : SamplePicture.png(width: 8 * UInt32(id))
      driver.add([exchange])
    }
    driver.press("enter g")
    var widths: [Int?] = [picture(driver)?.picture.size.width]
    for _ in 0..<2 {
      driver.press("j")
      widths.append(picture(driver)?.picture.size.width)
    }
    #expect(widths == [8, nil, 24])
  }

  @Test(arguments: [
    SamplePicture.png(width: 0), SamplePicture.png(height: 0), SamplePicture.png(width: 1 << 31),
    SamplePicture.png(width: .max, height: .max), SamplePicture.png().dropLast(3), SamplePicture.png(fill: 4 << 20),
    SamplePicture.jpeg(width: 0), SamplePicture.jpeg().dropLast(1), Data("GIF89a".utf8) + [9, 0, 9, 0, 0, 0],
    Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]), Data("no picture at all".utf8),
  ]) func whatIsNoWholePictureIsFacts(_ body: Data) {
    let driver = opened(body)
    #expect(picture(driver) == nil)
    #expect(driver.shows("bytes   \(body.count)"))
  }

  @Test func aTerminalThatDoesNotShowThemHasTheFactsAsEver() {
    let plain = opened(SamplePicture.png(), pictures: [])
    #expect(picture(plain) == nil)
    #expect(plain.shows("format  PNG") && plain.shows("64 × 32 pixels") && plain.shows("49 48 44 52"))
    let jpeg = opened(SamplePicture.jpeg(), type: "image/jpeg", pictures: [.png])
    #expect(picture(jpeg) == nil && jpeg.shows("format  JPEG"))
  }

  @Test func aNoticeOfOneRowLeavesIt() throws {
    var driver = opened(SamplePicture.png(width: 400, height: 400))
    let placed = try #require(picture(driver))
    driver.send(.notice(Notice(.info, "short")))
    #expect(driver.shows("· short") && picture(driver) == placed)
  }
}
