import PatchbayGrid
import PatchbayInspect
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayConsole

@Suite(.bounded) struct BindingTests {
  @Test(arguments: Binding.table.indices)
  func everyRowDoesSomethingInItsContext(index: Int) {
    let binding = Binding.table[index]
    let prepared = ready(for: binding)
    for key in binding.keys {
      var driver = prepared
      let before = trace(driver)
      driver.send(.input(.key(key)))
      #expect(trace(driver) != before, "\(key) (\(binding.command.rawValue)) does nothing in \(binding.context)")
    }
    if binding.keys.isEmpty {
      var driver = prepared
      let before = trace(driver)
      driver.state.run(binding.command)
      driver.send(.tick)
      #expect(trace(driver) != before, "\(binding.command.rawValue) does nothing")
    }
  }

  @Test func escAndAKeyTypedQuicklyAreTwoKeys() {
    var driver = ConsoleDriver()
    driver.press("alt-2")
    #expect(driver.state.tab == .stubs)
  }

  @Test func escAndAKeyTypedQuicklyCloseABoxAndGoOn() {
    var driver = ConsoleDriver()
    driver.add([Exchange.make(1)])
    driver.press("x")
    #expect(!driver.state.overlays.isEmpty)
    driver.press("alt-3")
    #expect(driver.state.overlays.isEmpty)
    #expect(driver.state.tab == .traffic)
  }

  @Test func noTwoRowsOfAContextShareAKey() {
    for context in KeyContext.allCases {
      var seen: Set<Key> = []
      for key in Binding.table.filter({ $0.context == context }).flatMap(\.keys) {
        #expect(seen.insert(key).inserted, "\(key) twice in \(context)")
      }
    }
  }

  @Test func eachRowHasHelp() {
    for binding in Binding.table {
      #expect(binding.help.count > 1)
      #expect(binding.help.first?.isUppercase == true)
    }
  }

  private func trace(_ driver: ConsoleDriver) -> String {
    let grid = driver.state.draw().grid
    return grid.text + "\(String(describing: grid.cursor)) \(driver.effects) \(driver.state.view)"
      + "\(driver.state.requests.scroll) \(driver.state.output.scroll) \(driver.state.detail.page.cursor) \(driver.state.detail.page.topRow)"
  }

  /// A screen on which the row can do something.
  private func ready(for binding: Binding) -> ConsoleDriver {
    var driver = Sample.driver(120, 36, mode: .run(command: "app"))
    switch binding.context {
    case .global: prepareGlobal(&driver, binding.command)
    case .requests: prepareRequests(&driver, binding.command)
    case .held: driver.press("c")
    case .detail: prepareDetail(&driver, binding.command)
    case .stubs:
      driver.press("2 j")
      if binding.command == .revertStub { driver.press("k") }
    case .traffic:
      driver.press("3")
      let row = TrafficStatistics(host: "api.example.com", endpoint: "/v1/users/{id}", count: 3)
      driver.send(.traffic(token: driver.state.traffic.awaited ?? 0, TrafficReport(endpoints: [row], hosts: [row])))
    case .processes: driver.press("4")
    case .output:
      driver.press("5")
      let lines = ["needle one", "two", "needle three", String(repeating: "long ", count: 60)]
      driver.send(.output(lines.map { OutputLine(at: driver.now, stream: .output, text: $0) }))
      if binding.command == .nextMatch || binding.command == .previousMatch {
        driver.press("/")
        driver.type("needle")
        driver.press("enter")
      }
    case .form:
      driver.press("2 e")
      if binding.command == .previousField { driver.press("tab") }
      prepareEditor(&driver, binding.command)
    }
    return driver
  }

  private func prepareGlobal(_ driver: inout ConsoleDriver, _ command: Command) {
    driver.press("k k k")
    switch command {
    case .undo, .undoList: driver.press("m")
    case .redo: driver.press("m u")
    case .showRequests: driver.press("2")
    case .themes: driver.send(.themes(["dark", "light"]))
    default: break
    }
  }

  private func prepareRequests(_ driver: inout ConsoleDriver, _ command: Command) {
    driver.press("k k k k")
    switch command {
    case .close, .growList, .shrinkList, .nextDetailTab, .previousDetailTab: driver.press("enter")
    case .clearFilter:
      driver.press("/")
      driver.type("v1")
      driver.press("enter")
    case .unmarkAll, .compare: driver.press("m m")
    default: break
    }
  }

  private func prepareDetail(_ driver: inout ConsoleDriver, _ command: Command) {
    driver.press("k k k k enter enter")
    switch command {
    case .nextMatch, .previousMatch:
      driver.press("/")
      driver.type("a")
      driver.press("enter")
    case .fold, .wrap: driver.press("j")
    case .unfoldAll, .unfoldLevel: driver.press("-")
    default: break
    }
  }

  private func prepareEditor(_ driver: inout ConsoleDriver, _ command: Command) {
    guard case .stubForm(var form) = driver.state.overlays.last else { return }
    form.form.focus("body")
    var editor = form.form.editor ?? TextEditor()
    switch command {
    case .format: form.form.setText("body", "{\"a\":[1,2]}")
    case .editorUndo: editor.insert("x")
    case .editorRedo:
      editor.insert("x")
      editor.undo()
    case .editorPaste: editor.clipboard = "pasted"
    default: break
    }
    if command != .format { form.form.editor = editor }
    driver.state.overlays[0] = .stubForm(form)
  }
}
