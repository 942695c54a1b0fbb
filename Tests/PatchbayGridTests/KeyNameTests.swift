import PatchbayGrid
import PatchbayTestSupport
import Testing

@Suite("Names of keys", .bounded)
struct KeyNameTests {
  @Test(
    "a name makes a key and the key the name",
    arguments: [
      "j", "J", "ctrl-r", "alt-x", "space", "ctrl-space", "enter", "alt-enter", "esc", "tab", "shift-tab", "backspace",
      "del", "ins", "up", "shift-up", "ctrl-alt-down", "left", "right", "home", "end", "pgup", "pgdn", "f1", "f12",
      "ctrl-f5", "-", "ctrl--", "?", "/", ":", "]", "[", "日", "é", "ctrl-shift-r", "super-k", "alt--",
    ])
  func roundTrip(name: String) throws {
    let key = try #require(Key(parsing: name))
    #expect(key.description == name)
    #expect(Key(parsing: key.description) == key)
  }

  @Test(
    "other spellings are understood",
    arguments: [
      ("Ctrl-R", "ctrl-r"), ("control-x", "ctrl-x"), ("shift-j", "J"), ("return", "enter"), ("escape", "esc"),
      ("pageup", "pgup"), ("page-down", "pgdn"), ("PgDn", "pgdn"), ("delete", "del"), ("alt-ctrl-a", "ctrl-alt-a"),
      ("F3", "f3"), ("meta-x", "alt-x"), ("ctrl-C", "ctrl-c"),
    ])
  func spellings(name: String, canonical: String) {
    #expect(Key(parsing: name)?.description == canonical)
  }

  @Test(
    "nonsense is refused",
    arguments: [
      "", " ", "ctrl", "ctrl-", "foo", "ctrl-foo", "ctrl-ctrl-a", "f0", "f99", "fx", "\u{1B}", "--", "f+1", "f１",
    ])
  func nonsense(name: String) {
    #expect(Key(parsing: name) == nil)
  }

  @Test("only keys that type something are text")
  func typed() {
    #expect(Key("a").typed == "a" && Key.space.typed == " " && Key("日").typed == "日")
    #expect(Key.control("a").typed == nil && Key.alt("a").typed == nil && Key.enter.typed == nil)
  }
}
