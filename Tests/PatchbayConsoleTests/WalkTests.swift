import Foundation
import PatchbayGrid
import PatchbayInspect
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayConsole

/// Walks through the console, key by key, against text files: after each key the rows that changed and what the runtime
/// is asked for, at the end the whole screen with its colours. With `PATCHBAY_WRITE_SCREENS` set they are written
/// instead; read the difference before it is committed. A fault in what is drawn, moved, asked for or remembered shows
/// in the step where it happens.
@Suite(.bounded) struct WalkTests {
  // Several tests, since a test has its limit of time.

  @Test(arguments: Walk.requests.keys.sorted())
  func requests(_ name: String) throws { try compare(name, Walk.requests[name]) }

  @Test(arguments: Walk.stubs.keys.sorted())
  func stubs(_ name: String) throws { try compare(name, Walk.stubs[name]) }

  @Test(arguments: Walk.forms.keys.sorted())
  func forms(_ name: String) throws { try compare(name, Walk.forms[name]) }

  @Test(arguments: Walk.others.keys.sorted())
  func others(_ name: String) throws { try compare(name, Walk.others[name]) }

  private func compare(_ name: String, _ walk: Walk?) throws {
    try expectRecorded(try #require(walk).record(), "Walks/\(name).txt")
  }
}

/// A console and what is done to it.
struct Walk: Sendable {
  enum Step: Sendable, ExpressibleByStringLiteral {
    /// Keys by name, each a step of its own.
    case keys(String)
    /// Text in one step.
    case type(String)
    case paste(String)
    case click(Int, Int)
    /// Presses at the first place, drags to the second, and releases.
    case drag(Int, Int, Int, Int)
    case wheel(Int, Int, MouseEvent.Kind)
    case resize(Int, Int)
    case event(String, ConsoleEvent)
    case act(String, @Sendable (inout ConsoleDriver) -> Void)
    /// Microseconds that pass.
    case wait(Int64)
    /// The colours of the whole screen.
    case colours

    init(stringLiteral keys: String) { self = .keys(keys) }
  }

  var size: Size
  var start: @Sendable (Size) -> ConsoleDriver
  var steps: [Step]

  init(
    _ size: Size, _ steps: [Step],
    start: @escaping @Sendable (Size) -> ConsoleDriver = { Sample.driver($0.width, $0.height) }
  ) {
    self.size = size
    self.steps = steps
    self.start = start
  }

  init(
    _ steps: [Step], start: @escaping @Sendable (Size) -> ConsoleDriver = { Sample.driver($0.width, $0.height) }
  ) {
    self.init(Size(width: 100, height: 30), steps, start: start)
  }

  func record() -> String {
    var driver = start(size)
    var before: [String] = []
    var told = driver.effects.count
    var out = ""
    func tell(_ step: String) {
      out += "== \(step)\n"
      let lines = driver.lines
      for (row, line) in lines.enumerated() where row >= before.count || before[row] != line {
        out += "\(row < 10 ? " " : "")\(row)│\(line)\n"
      }
      before = lines
      out += "  colours \(Self.digest(driver.state.draw().grid))\n"
      for effect in driver.effects.dropFirst(told) {
        out += "  → \(effect.told.prefix(400))\n"
      }
      told = driver.effects.count
    }
    tell("the start")
    for step in steps {
      switch step {
      case .keys(let names):
        for name in names.split(separator: " ") {
          driver.press(String(name))
          tell(String(name))
        }
      case .type(let text):
        driver.type(text)
        tell("“\(text)”")
      case .paste(let text):
        driver.send(.input(.paste(text)))
        tell("paste “\(text)”")
      case .click(let x, let y):
        mouse(.press(.left), x, y, &driver)
        mouse(.release(.left), x, y, &driver)
        tell("click \(x) \(y)")
      case .drag(let x, let y, let toX, let toY):
        mouse(.press(.left), x, y, &driver)
        mouse(.drag(.left), toX, toY, &driver)
        mouse(.release(.left), toX, toY, &driver)
        tell("drag \(x) \(y) to \(toX) \(toY)")
      case .wheel(let x, let y, let kind):
        mouse(kind, x, y, &driver)
        tell("\(kind) \(x) \(y)")
      case .resize(let width, let height):
        driver.send(.resized(Size(width: width, height: height)))
        tell("\(width)×\(height)")
      case .event(let name, let event):
        driver.send(event)
        tell(name)
      case .act(let name, let act):
        act(&driver)
        tell(name)
      case .wait(let time):
        driver.now.microseconds += time
        driver.send(.tick)
        tell("\(time) µs later")
      case .colours: out += Self.colours(of: driver.state.draw().grid)
      }
    }
    let grid = driver.state.draw().grid
    return out + "== the end\n" + grid.lines.joined(separator: "\n") + "\n" + Self.colours(of: grid)
  }

  private func mouse(_ kind: MouseEvent.Kind, _ x: Int, _ y: Int, _ driver: inout ConsoleDriver) {
    driver.send(.input(.mouse(MouseEvent(kind, at: Point(x: x, y: y)))))
  }

  /// Another number where any cell has another style: where, the colours at the end or a step `.colours` say.
  private static func digest(_ grid: Grid) -> String {
    var hash: UInt32 = 2_166_136_261
    func add(_ number: UInt32) { hash = (hash ^ number) &* 16_777_619 }
    for y in 0..<grid.size.height {
      for x in 0..<grid.size.width {
        guard let style = grid[Point(x: x, y: y)]?.style else { continue }
        for color in [style.foreground, style.background] {
          switch color.kind {
          case .terminalDefault: add(1 << 24)
          case .palette(let number): add(1 << 25 | UInt32(number))
          case .rgb: add(color.rgbValue)
          }
        }
        add(UInt32(style.attributes.rawValue))
      }
    }
    if let cursor = grid.cursor { add(UInt32(cursor.x * 1_000 + cursor.y)) }
    return String(hash, radix: 16)
  }

  /// Of each row the runs of equal style, and what the styles are.
  private static func colours(of grid: Grid) -> String {
    var names: [Style] = []
    var out = "colours"
    if let cursor = grid.cursor { out += ", cursor \(cursor.x) \(cursor.y)" }
    out += "\n"
    for y in 0..<grid.size.height {
      var runs: [(Int, Int)] = []
      for x in 0..<grid.size.width {
        let style = grid[Point(x: x, y: y)]?.style ?? .plain
        let name = names.firstIndex(of: style) ?? names.endIndex
        if name == names.endIndex { names.append(style) }
        if runs.last?.0 == name { runs[runs.count - 1].1 += 1 } else { runs.append((name, 1)) }
      }
      out += "\(y < 10 ? " " : "")\(y)│" + runs.map { "\($0.0):\($0.1)" }.joined(separator: " ") + "\n"
    }
    for (place, style) in names.enumerated() {
      out += "\(place) \(named(style.foreground)) on \(named(style.background)) \(style.attributes.rawValue)\n"
    }
    return out
  }

  private static func named(_ color: Color) -> String {
    switch color.kind {
    case .terminalDefault: "default"
    case .palette(let number): "\(number)"
    case .rgb(let red, let green, let blue): "rgb(\(red),\(green),\(blue))"
    }
  }
}

extension ConsoleEffect {
  /// On one line, the same in each run: what stands in a dictionary has no order of its own.
  var told: String {
    var text = String(describing: self)
    if case .setRemarks(let remarks) = self {
      let members = remarks.sorted { $0.key < $1.key }.map { "\($0.key): \(String(reflecting: $0.value))" }
      text = "setRemarks([\(members.joined(separator: ", "))])"
    }
    return text.replacing("\n", with: "⏎")
  }
}
