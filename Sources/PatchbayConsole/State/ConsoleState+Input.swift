import PatchbayGrid
import PatchbayInspect

extension ConsoleState {
  mutating func handle(_ input: InputEvent) {
    switch input {
    case .key(let key): handle(key)
    case .paste(let text): handle(paste: text)
    case .mouse(let event): handle(event)
    case .focus: break
    }
  }

  mutating func handle(_ key: Key) {
    // Whatever is open, and however small the screen is.
    if keys.command(for: key, in: [.global]) == .global(.redraw) { return run(.global(.redraw)) }
    guard size.width >= Layout.minimum.width, size.height >= Layout.minimum.height else {
      if key == Key("q") || key == .control("c") { effects.append(.quit) }
      return
    }
    if let top = overlays.last {
      return key.modifiers == .alt && !top.takesText ? handleApart(key) : handle(key, in: top)
    }
    if requests.bar.isOpen { return handleFilter(key) }
    if key == .escape, let work = works.last {
      effects.append(.cancelWork(work.token))
      return
    }
    if let command = keys.command(for: key, in: contexts) { return run(command) }
    if key.modifiers == .alt { handleApart(key) }
  }

  /// A terminal sends alt-x as esc and x: where alt-x means nothing, two quick keys were meant.
  private mutating func handleApart(_ key: Key) {
    handle(.escape)
    handle(Key(key.code))
  }

  /// Only an offer is open, which does not stand in the way.
  var isOffering: Bool {
    if case .menu(let menu) = overlays.last { overlays.count == 1 && menu.isOffer } else { false }
  }

  private mutating func handle(_ key: Key, in overlay: Overlay) {
    switch overlay {
    case .menu(let menu): handle(key, in: menu)
    case .help(let box): handle(key, in: box)
    case .palette(let box): handle(key, in: box)
    case .prompt(let prompt): handle(key, in: prompt)
    case .stubForm(let form): handle(key, in: form)
    case .exchangeForm(let form): handle(key, in: form)
    case .compare(let page): handle(key, in: page)
    }
  }

  mutating func replaceTop(_ overlay: Overlay) {
    guard !overlays.isEmpty else { return }
    overlays[overlays.count - 1] = overlay
  }

  mutating func closeTop() { _ = overlays.popLast() }

  private mutating func handle(paste text: String) {
    switch overlays.last {
    case .prompt(var prompt):
      prompt.editor.insert(text)
      changed(prompt)
    case .help(var box):
      box.search.insert(text)
      replaceTop(.help(box))
    case .palette(var box):
      box.search.insert(text)
      replaceTop(.palette(box))
    case .stubForm(var form):
      form.paste(text)
      replaceTop(.stubForm(form))
      formChanged(form)
    case .exchangeForm(var form):
      form.paste(text)
      replaceTop(.exchangeForm(form))
    case .menu, .compare: break
    case nil:
      guard requests.bar.isOpen else { return }
      requests.bar.editor.insert(text)
      filterTyped()
    }
  }
}
