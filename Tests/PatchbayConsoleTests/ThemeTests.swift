import PatchbayGrid
import PatchbayTestSupport
import Testing

@testable import PatchbayConsole

@Suite(.bounded) struct ThemeTests {
  @Test func theBuiltInOneIsReadableEverywhere() {
    #expect(Theme.builtIn.weakContrasts.map(\.description) == [])
  }

  @Test func aWeakRoleIsNamedWithItsRatio() {
    let theme = Theme(
      name: "x", looks: [.text: .init(foreground: .rgb(0x777777), background: .rgb(0x808080))])
    #expect(theme.weakContrasts.contains { $0.role == .text && $0.ratio < 1.2 })
    #expect(theme.weakContrasts.first?.description.contains("4.5:1 is needed") == true)
  }

  @Test func barsAndRulesAreNoText() {
    let theme = Theme(
      name: "x",
      looks: [
        .text: .init(foreground: .rgb(0xFFFFFF), background: .rgb(0)), .line: .init(foreground: .rgb(0x111111)),
        .barWait: .init(foreground: .rgb(0x222222)), .dim: .init(foreground: .rgb(0x555555)),
      ])
    #expect(theme.weakContrasts.contains { $0.role == .dim && $0.on == .dim && $0.description.contains("2.8") })
    #expect(!theme.weakContrasts.contains { $0.role == .line || $0.role == .barWait })
  }

  @Test func blackOnWhiteIsTwentyOne() {
    #expect(abs((Theme.contrast(.rgb(0), .rgb(0xFFFFFF)) ?? 0) - 21) < 0.01)
    #expect(Theme.contrast(.ansi(1), .rgb(0)) == nil)
  }

  @Test func aRoleWithoutALookTakesAnother() {
    let theme = Theme(
      name: "x",
      looks: [
        .text: .init(foreground: .rgb(1), background: .rgb(2)), .failure: .init(foreground: .rgb(3), attributes: .bold),
      ])
    #expect(theme[.serverError].foreground == .rgb(3))
    #expect(theme[.serverError].background == .rgb(2))
    #expect(theme[.methodRead].foreground == .rgb(1))
  }

  @Test func withoutColoursTheSelectionAndTheFailuresStandOut() {
    let theme = Theme.builtIn.reduced(to: .none)
    #expect(theme[.selection].attributes.contains(.reverse))
    #expect(theme[.failure].attributes.contains(.bold))
    #expect(theme[.failure].foreground == .default)
  }

  @Test(arguments: [ColorDepth.ansi8, .ansi16])
  func withFewColoursNothingDisappearsAndASelectedRowIsRead(depth: ColorDepth) {
    let theme = Theme.builtIn.reduced(to: depth)
    for role in ThemeRole.allCases {
      #expect(theme[role].foreground != theme[role].background, "\(role)")
      #expect(theme[role, on: .selection].foreground == theme[.selection].foreground, "\(role)")
    }
    #expect(theme[.failure, on: .text].foreground == theme[.failure].foreground)
  }

  @Test func everyOutcomeHasASignOfItsOwnColourOrNot() {
    let looks = [
      OutcomeLook(status: 200), OutcomeLook(status: 301), OutcomeLook(status: 404), OutcomeLook(status: 500),
      OutcomeLook(ended: .cancelled, status: nil, error: nil), OutcomeLook(ended: .abandoned, status: nil, error: nil),
    ]
    #expect(Set(looks.map(\.sign)).count == looks.count)
  }

  @Test(arguments: [(80, 24), (200, 60)])
  func thePickerShowsTheColoursOfEachTheme(width: Int, height: Int) throws {
    var driver = ConsoleDriver(width: width, height: height)
    driver.send(.themes(["dark", "other"]))
    driver.press("T")
    #expect(driver.effects.contains(.loadSwatches))
    let other = Theme(
      name: "other",
      looks: [.text: .init(foreground: .rgb(1), background: .rgb(2)), .success: .init(foreground: .rgb(3))])
    driver.send(.swatches(["dark": .builtIn, "other": other]))
    let row = try #require(driver.lines.firstIndex { $0.contains("other") && $0.contains("✓ 200") })
    let grid = driver.state.draw().grid
    let cells = (0..<width).compactMap { grid[Point(x: $0, y: row)] }
    #expect(cells.contains { $0.scalar == "✓" && $0.style.foreground == .rgb(3) && $0.style.background == .rgb(2) })
    #expect(driver.lines[row].contains("✗ 503"))
  }

  @Test func thePickerPreviewsAndEscGoesBack() {
    var driver = ConsoleDriver()
    driver.send(.themes(["dark", "hanabi", "light"]))
    driver.press("T j")
    #expect(driver.effects.last == .useTheme("hanabi"))
    driver.send(.theme(Theme(name: "hanabi", looks: [:])))
    driver.press("esc")
    #expect(driver.effects.last == .useTheme("dark"))
    driver.send(.theme(.builtIn))
    driver.press("T j enter")
    #expect(driver.effects.contains { if case .saveView(let view) = $0 { view.theme == "hanabi" } else { false } })
  }
}
