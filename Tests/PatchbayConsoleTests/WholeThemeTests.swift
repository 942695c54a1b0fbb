import PatchbayGrid
import PatchbayTestSupport
import Testing

@testable import PatchbayConsole

/// What each role looks like at each depth of colours. With `PATCHBAY_WRITE_SCREENS` set it is written anew; read the
/// difference before it is committed.
@Suite(.bounded) struct WholeThemeTests {
  private func told(_ color: Color) -> String {
    switch color.kind {
    case .terminalDefault: return "default"
    case .palette(let number): return "\(number)"
    case .rgb(let red, let green, let blue):
      return "#" + [red, green, blue].map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
  }

  private func told(_ style: Style) -> String {
    let names: [(TextAttributes, String)] = [
      (.bold, "bold"), (.dim, "dim"), (.italic, "italic"), (.underline, "underline"), (.reverse, "reverse"),
    ]
    let attributes = names.filter { style.attributes.contains($0.0) }.map(\.1)
    return ([told(style.foreground), "on", told(style.background)] + attributes).joined(separator: " ")
  }

  @Test func theBuiltInThemeAsAWhole() throws {
    var out = ""
    let depths: [(String, ColorDepth)] = [
      ("true colours", .trueColor), ("256", .palette256), ("16", .ansi16), ("8", .ansi8), ("none", .none),
    ]
    for (name, depth) in depths {
      let theme = Theme.builtIn.reduced(to: depth)
      #expect(theme.depth == depth && theme.name == "dark")
      out += "== \(name)\n"
      for role in ThemeRole.allCases {
        out +=
          "\(role.name): \(told(theme[role])) | \(told(theme[role, on: .selection])) | \(told(theme[role, on: .popup]))\n"
      }
    }
    try expectRecorded(out, "Walks/theme.txt")
  }

  @Test func aRoleHasItsOwnNameStandInAndGrounds() throws {
    var out = ""
    for role in ThemeRole.allCases {
      #expect(ThemeRole(name: role.name) == role)
      out += "\(role.name): stands in \(role.standIn?.name ?? "nothing"), \(role.isText ? "text" : "no text"), on "
      out += "\(role.grounds.map(\.name)), without colours \(told(Style(attributes: role.colourless)))\n"
    }
    #expect(ThemeRole(name: "nothing") == nil && ThemeRole(name: "Text") == nil)
    try expectRecorded(out, "Walks/theme-roles.txt")
  }

  @Test func whatALookLeavesOutComesFromText() {
    let theme = Theme(
      name: "x",
      looks: [
        .text: .init(foreground: .rgb(1), background: .rgb(2), attributes: .italic, foreground256: 10),
        .dim: .init(background: .rgb(3), background256: 30), .held: .init(attributes: .bold),
      ])
    #expect(theme[.text] == Style(foreground: .rgb(1), background: .rgb(2), attributes: .italic))
    #expect(theme[.dim] == Style(foreground: .rgb(1), background: .rgb(3)))
    #expect(theme[.line] == theme[.dim] && theme[.footer] == theme[.dim])
    #expect(theme[.badge] == Style(foreground: .rgb(1), background: .rgb(2), attributes: .bold))
    // Without a look of their own or a stand-in's they are as text, attributes included.
    #expect(theme[.success] == theme[.text])
    let few = theme.reduced(to: .palette256)
    #expect(few[.text].foreground == .palette(10) && few[.dim].background == .palette(30))
    #expect(few[.dim].foreground == .palette(10) && few[.text].background == Color.rgb(2).reduced(to: .palette256))
    let empty = Theme(name: "y", looks: [:])
    #expect(ThemeRole.allCases.allSatisfy { empty[$0] == Style(foreground: .default, background: .default) })
  }

  @Test func onAnotherRolesBackgroundTheAttributesAddUp() {
    let theme = Theme(
      name: "x",
      looks: [
        .text: .init(foreground: .rgb(1), background: .rgb(2)), .key: .init(foreground: .rgb(3), attributes: .bold),
        .selection: .init(foreground: .rgb(4), background: .rgb(5), attributes: .underline),
        .popup: .init(foreground: .rgb(6), background: .rgb(7), attributes: .reverse),
      ])
    #expect(
      theme[.key, on: .selection]
        == Style(foreground: .rgb(3), background: .rgb(5), attributes: [.bold, .underline]))
    #expect(
      theme[.key, on: .popup] == Style(foreground: .rgb(6), background: .rgb(7), attributes: [.bold, .reverse]))
    #expect(theme[.key, on: .text] == theme[.key])
  }

  // MARK: Contrast

  @Test(arguments: [
    (Color.rgb(0), Color.rgb(0xFFFFFF), 21.0), (.rgb(0xFFFFFF), .rgb(0), 21.0), (.rgb(0x777777), .rgb(0xFFFFFF), 4.478),
    (.rgb(0xFF0000), .rgb(0), 5.252), (.rgb(0x00FF00), .rgb(0), 15.304), (.rgb(0x0000FF), .rgb(0), 2.444),
    (.rgb(0x0A0A0A), .rgb(0), 1.0607), (.rgb(0x0B0B0B), .rgb(0), 1.0669), (.rgb(0x123456), .rgb(0x123456), 1.0),
    (.palette(16), .palette(231), 21.0), (.palette(232), .rgb(0), 1.0486),
  ])
  func theContrastIsThatOfTheGuidelines(_ first: Color, _ second: Color, _ ratio: Double) throws {
    let found = try #require(Theme.contrast(first, second))
    #expect(abs(found - ratio) < 0.001, "\(found)")
  }

  @Test func coloursOfTheTerminalAreNotJudged() {
    for color in [Color.default, .palette(0), .palette(15)] {
      #expect(Theme.contrast(color, .rgb(0)) == nil && Theme.contrast(.rgb(0), color) == nil)
    }
  }

  @Test func whatIsWeakIsSaidWithWhereItIs() {
    func theme(_ dim: UInt32, selection: UInt32 = 0) -> Theme {
      Theme(
        name: "x",
        looks: [
          .text: .init(foreground: .rgb(0xFFFFFF), background: .rgb(0)), .dim: .init(foreground: .rgb(dim)),
          .selection: .init(foreground: .rgb(0xFFFFFF), background: .rgb(selection)),
        ])
    }
    // 0x757575 has 4.56:1 on black, 0x747474 has 4.49, 0x737373 has 4.43.
    #expect(theme(0x757575).weakContrasts.isEmpty)
    let weak = theme(0x737373).weakContrasts
    #expect(weak.contains { $0.role == .dim && $0.on == .dim } && weak.contains { $0.role == .dim && $0.on == .popup })
    #expect(
      weak.first { $0.role == .dim && $0.on == .dim }?.description
        == "the role `dim` is hard to read on its background: its contrast is 4.42:1, 4.5:1 is needed (WCAG 2.1)")
    let chosen = theme(0x757575, selection: 0x202020).weakContrasts.filter { $0.role == .dim }
    #expect(chosen.map(\.on) == [.selection, .selectionIdle])
    #expect(chosen.first?.description.contains("on the background of `selection`") == true)
  }
}
