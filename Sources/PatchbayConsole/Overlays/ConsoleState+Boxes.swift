import Foundation
import PatchbayGrid
import PatchbayInspect

extension ConsoleState {
  // MARK: Menus

  mutating func handle(_ key: Key, in menu: Menu) {
    var menu = menu
    if let place = menu.items.firstIndex(where: { $0.key == key }) {
      menu.selected = place
      replaceTop(.menu(menu))
      return choose(menu)
    }
    if menu.isOffer { return pass(key, by: menu) }
    let page = max(1, size.height - 8)
    switch key {
    case .escape, Key("q"): return closeMenu(menu)
    case .enter: return choose(menu)
    case .space where menu.stays: return choose(menu)
    case .down, Key("j"): menu.move(by: 1)
    case .up, Key("k"): menu.move(by: -1)
    case Key(.pageDown): menu.move(by: page)
    case Key(.pageUp): menu.move(by: -page)
    case Key(.home), Key("g"): menu.move(by: -menu.items.count)
    case Key(.end), Key("G"): menu.move(by: menu.items.count)
    case .control("c") where menu.items.contains { $0.action == .interruptCommand }:
      closeTop()
      return choose(.interruptCommand, in: menu)
    case .control("c"): return closeMenu(menu)
    default:
      if menu.fault != nil { return adjustFault(key, in: menu) }
      guard menu.items.indices.contains(menu.selected), case .column(let column) = menu.items[menu.selected].action
      else { return }
      return adjust(column, by: key, in: menu)
    }
    replaceTop(.menu(menu))
    preview(menu)
  }

  mutating func choose(_ menu: Menu) {
    guard menu.items.indices.contains(menu.selected) else { return closeMenu(menu) }
    let action = menu.items[menu.selected].action
    if !menu.stays, !(menu.keepsOpen && action.isCopy) { closeTop() }
    choose(action, in: menu)
  }

  /// An offer does not stand in the way: the key means what it would mean without it.
  private mutating func pass(_ key: Key, by menu: Menu) {
    closeTop()
    if key != .escape { handle(key) }
  }

  private mutating func closeMenu(_ menu: Menu) {
    guard !menu.keepsOpen else { return }
    closeTop()
    if let before = menu.themeBefore, before != theme.name { effects.append(.useTheme(before)) }
  }

  private mutating func choose(_ action: MenuAction, in menu: Menu) {
    switch action {
    case .copy(let kind): fetchSelected(for: .copy(kind))
    case .copyText(let text, let label): effects.append(.copy(text: text, label: label))
    case .sort(let column): sort(by: column)
    case .column(let column):
      toggleColumn(column)
      replaceTop(.menu(columnsMenu(selected: menu.selected)))
    case .export(let format): effects.append(.export(format, filter: requests.bar.applied))
    case .theme(let name):
      view.theme = name
      effects.append(.useTheme(name))
      saveView()
    case .fault(let name): toggleFault(name, scope: menu.fault ?? .endpoint)
    case .undo(let position): undo(to: position)
    case .interruptCommand: effects.append(.interruptCommand)
    case .quit: effects.append(.quit)
    case .save: saveFromMenu()
    case .discard: closeTop()
    case .refine(let choice): refine(choice, of: menu.stubs)
    case .release(let ids): release(ids)
    case .hold(let point): hold(menu.holdStub, at: point)
    case .answer(let name, let action): answerHeld(with: action, of: name)
    case .editAgain(let stub, let text): editExternally(stub, draft: text)
    case .settle(let conflict, let keepsMine): settle(conflict, keepingMine: keepsMine)
    case .kept(let answer): decideKept(answer)
    case .stay: break
    }
  }

  /// "Save" in a question: the form below it, or the stubs before leaving.
  private mutating func saveFromMenu() {
    switch overlays.last {
    case .stubForm(let form): save(form)
    case .exchangeForm(let form): send(form)
    default: effects += [.writeStubs, .quit]
    }
  }

  mutating func openExport() {
    let items = ExportFormat.allCases.map { Menu.Item($0.key, $0.title, detail: $0.detail, .export($0)) }
    let count = Wording.count(requests.order.count, "request")
    overlays.append(.menu(Menu(title: "Export \(count)", items: items, note: "secrets are masked")))
  }

  // MARK: Help and palette

  mutating func handle(_ key: Key, in box: HelpBox) {
    var box = box
    let page = helpPage.rows
    switch key {
    case .escape, .control("c"), Key(.function(1)): return closeTop()
    case Key("q") where box.search.isEmpty, Key("?") where box.search.isEmpty: return closeTop()
    case .down: box.top += 1
    case .up: box.top -= 1
    case Key(.pageDown), .control("d"): box.top += page
    case Key(.pageUp): box.top -= page
    case .enter: break
    default:
      if box.search.handle(key) { box.top = 0 }
    }
    let rows = box.rows(of: keys, first: contexts).count
    box.top = max(0, min(box.top, rows - page * helpPage.columns))
    replaceTop(.help(box))
  }

  mutating func handle(_ key: Key, in box: PaletteBox) {
    var box = box
    let found = box.matches(paletteRows)
    switch key {
    case .escape, .control("c"): return closeTop()
    case .enter:
      closeTop()
      guard found.indices.contains(box.selected) else { return }
      if let place = found[box.selected].elsewhere { show(place) }
      return run(found[box.selected].binding.command)
    case .down, .control("n"): box.selected = min(max(0, found.count - 1), box.selected + 1)
    case .up, .control("p"): box.selected = max(0, box.selected - 1)
    default: if box.search.handle(key) { box.selected = 0 }
    }
    replaceTop(.palette(box))
  }

  // MARK: Prompts

  mutating func handle(_ key: Key, in prompt: Prompt) {
    var prompt = prompt
    switch key {
    case .escape, .control("c"): return closeTop()
    case .enter: return answer(prompt)
    case .control("d") where prompt.purpose == .commandInput && prompt.editor.isEmpty: sendKey(0x04)
    case .control("\\") where prompt.purpose == .commandInput: sendKey(0x1C)
    case .tab where prompt.purpose == .importFile: effects.append(.completePath(prompt.editor.text))
    default:
      guard prompt.editor.handle(key) else { return }
      changed(prompt)
    }
  }

  /// A key that the command's terminal takes by itself: the end of its input, or SIGQUIT.
  private mutating func sendKey(_ byte: UInt8) {
    closeTop()
    effects.append(.sendToCommand(Data([byte])))
  }

  mutating func changed(_ prompt: Prompt) {
    var prompt = prompt
    let text = prompt.editor.text
    switch prompt.purpose {
    case .search:
      search(text)
      prompt.note = detail.page.search.note
    case .searchOutput: output.search = text
    case .importFile: prompt.note = ""
    default: break
    }
    replaceTop(.prompt(prompt))
  }

  private mutating func answer(_ prompt: Prompt) {
    closeTop()
    let text = prompt.editor.text
    switch prompt.purpose {
    case .search:
      search(text)
      if detail.page.search.count == 0, detail.page.search.isComplete, !text.isEmpty {
        say(.info, "“\(text)” is not in the body.")
      }
    case .goToLine: goTo(line: text)
    case .importFile:
      let path = text.trimmingCharacters(in: CharacterSet(charactersIn: " '\""))
      if !path.isEmpty { effects.append(.importFile(path)) }
    case .commandInput: effects.append(.sendToCommand(Data((text + "\n").utf8)))
    case .searchOutput: searchOutput(text, step: -1, from: output.scroll.selected + 1)
    case .searchEditor, .replaceFind, .replaceWith: answerInForm(prompt.purpose, text)
    }
  }
}
