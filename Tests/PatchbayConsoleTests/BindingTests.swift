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
      #expect(trace(driver) != before, "\(key) (\(binding.command.name)) does nothing in \(binding.context)")
    }
    if binding.keys.isEmpty {
      var driver = prepared
      let before = trace(driver)
      driver.perform(.run(binding.command))
      driver.send(.tick)
      #expect(trace(driver) != before, "\(binding.command.name) does nothing")
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
    #expect(!driver.state.boxes.isEmpty)
    driver.press("alt-3")
    #expect(driver.state.boxes.isEmpty)
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
      + "\(driver.state.requests.list.scroll) \(driver.state.output.selected) \(driver.state.requests.detail.page.cursor) \(driver.state.requests.detail.page.topRow)"
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
      if binding.command == .stubs(.revertStub) { driver.press("k") }
      if binding.command == .stubs(.clearFilter) { driver.press("m") }
    case .traffic:
      driver.press("3")
      let row = TrafficStatistics(host: "api.example.com", endpoint: "/v1/users/{id}", count: 3)
      let hosts = ["api.example.com", "b.example"].map { TrafficStatistics(host: $0, count: 3) }
      driver.send(.traffic(token: driver.state.traffic.awaited ?? 0, TrafficReport(endpoints: [row], hosts: hosts)))
    case .processes: driver.press("4")
    case .output:
      driver.press("5")
      let lines = ["needle one", "two", "needle three", String(repeating: "long ", count: 60)]
      driver.send(.output(lines.map { OutputLine(at: driver.now, stream: .output, text: $0) }))
      if binding.command == .output(.nextMatch) || binding.command == .output(.previousMatch) {
        driver.press("/")
        driver.type("needle")
        driver.press("enter")
      }
    case .form:
      driver.press("2 e")
      if binding.command == .form(.previousField) { driver.press("tab") }
      prepareEditor(&driver, binding.command)
    }
    return driver
  }

  private func prepareGlobal(_ driver: inout ConsoleDriver, _ command: ConsoleCommand) {
    driver.press("k k k")
    switch command {
    case .global(.undo), .global(.undoList): driver.press("z")
    case .global(.redo): driver.press("z u")
    case .global(.showRequests): driver.press("2")
    case .global(.themes): driver.send(.themes(["dark", "light"]))
    default: break
    }
  }

  private func prepareRequests(_ driver: inout ConsoleDriver, _ command: ConsoleCommand) {
    driver.press("k k k k")
    switch command {
    case .requests(.close), .requests(.growList), .requests(.shrinkList), .requests(.nextDetailTab),
      .requests(.previousDetailTab):
      driver.press("enter")
    case .requests(.clearFilter):
      driver.press("/")
      driver.type("v1")
      driver.press("enter")
    case .requests(.unmarkAll), .requests(.compare): driver.press("m m")
    default: break
    }
  }

  private func prepareDetail(_ driver: inout ConsoleDriver, _ command: ConsoleCommand) {
    driver.press("k k k k enter enter")
    switch command {
    case .detail(.nextMatch), .detail(.previousMatch):
      driver.press("/")
      driver.type("a")
      driver.press("enter")
    case .detail(.fold), .detail(.wrap): driver.press("j j")
    case .detail(.unfoldAll), .detail(.unfoldLevel): driver.press("-")
    default: break
    }
  }

  private func prepareEditor(_ driver: inout ConsoleDriver, _ command: ConsoleCommand) {
    guard var form = driver.state.boxes.last as? StubForm else { return }
    form.form.focus("body")
    var editor = form.form.editor ?? TextEditor()
    switch command {
    case .form(.format): form.form.setText("body", "{\"a\":[1,2]}")
    case .form(.editorUndo): editor.insert("x")
    case .form(.editorRedo):
      editor.insert("x")
      editor.undo()
    case .form(.editorPaste): editor.clipboard = "pasted"
    default: break
    }
    if command != .form(.format) { form.form.editor = editor }
    driver.replaceTop(with: form)
  }
}
