import PatchbayGrid
import PatchbayTestSupport
import Testing

@testable import PatchbayConsole

/// What is said of a person's keys that cannot be used, and which of the others count.
@Suite(.bounded) struct KeyMapErrorTests {
  private func error(_ keys: [String: [String]]) -> KeyMapError? {
    do {
      _ = try KeyMap(overriding: keys)
      return nil
    } catch { return error }
  }

  @Test func eachMistakeIsASentence() {
    #expect(
      error(["quti": ["q"]])?.description
        == "there is no command quti to give a key to; did you mean quit?")
    #expect(
      error(["zzzzzzzz": []])?.description
        == "there is no command zzzzzzzz to give a key to; press ? in the console for the names of all commands.")
    #expect(
      error(["quit": ["ctrl-"]])?.description
        == "ctrl-, given to quit, is no key; write keys like j, J, ctrl-r, alt-x, space, enter, f5 or pgdn.")
    #expect(
      error(["replay": ["up"], "pause": ["up"]])?.description
        == "the key ↑ is given to both \(error(["replay": ["up"], "pause": ["up"]]).map { Self.names($0) } ?? "") in requests; give one of them another key."
    )
    #expect(
      error(["replay": ["s"]])?.description
        == "the key s is given to both replay and stub-from-request in requests; give one of them another key.")
  }

  private static func names(_ error: KeyMapError) -> String {
    guard case .clash(_, let one, let other, _) = error else { return "" }
    return "\(one.name) and \(other.name)"
  }

  @Test func aNameIsOfOneContextOrOfAll() throws {
    #expect(error(["nowhere.quit": ["q"]]) == .unknownCommand("nowhere.quit", near: nil))
    #expect(error(["stubs.quit": ["Z"]]) == .unknownCommand("stubs.quit", near: "quit"))
    #expect(error(["requests.unmarkall": ["Z"]]) == .unknownCommand("requests.unmarkall", near: "unmark-all"))
    // What stands behind the first dot is the name.
    #expect(error(["stubs.x.delete": ["Z"]])?.description.hasPrefix("there is no command stubs.x.delete ") == true)
    let all = try KeyMap(overriding: ["delete": ["Z"]])
    #expect(all.command(for: Key("Z"), in: [.stubs]) == .stubs(.delete))
    #expect(all.command(for: Key("Z"), in: [.requests]) == .requests(.delete))
    #expect(all.command(for: Key(.delete), in: [.stubs]) == nil)
    let none = try KeyMap(overriding: ["requests.delete": []])
    #expect(
      none.command(for: Key("d"), in: [.requests]) == nil
        && none.command(for: Key("d"), in: [.stubs]) == .stubs(.delete))
    #expect(none.bindings.count == Binding.table.count)
  }

  @Test func theInnermostContextWins() {
    let map = KeyMap()
    #expect(map.command(for: Key("e"), in: [.detail, .held, .requests, .global]) == .detail(.editValue))
    #expect(map.command(for: Key("e"), in: [.held, .requests, .global]) == .held(.editHeld))
    #expect(map.command(for: Key("e"), in: [.requests, .global]) == .requests(.editStub))
    #expect(map.command(for: Key("e"), in: [.global]) == nil && map.command(for: Key("q"), in: []) == nil)
    #expect(map.formCommand(for: .control("s")) == .save && map.formCommand(for: Key("s")) == nil)
    let first = KeyMap([
      Binding(.global(.quit), "Z", "One"), Binding(.global(.help), "Z", "Two"), Binding(.stubs(.addStub), "Z", "Three"),
    ])
    #expect(first.command(for: Key("Z"), in: [.global]) == .global(.quit))
    #expect(first.command(for: Key("Z"), in: [.stubs, .global]) == .stubs(.addStub))
    #expect(first.active(in: [.stubs, .global]).map(\.help) == ["Three"])
    #expect(first.active(in: [.global]).map(\.help) == ["One"])
    #expect(KeyMap([Binding(.global(.tour), "", "No key")]).active(in: [.global]).map(\.help) == ["No key"])
  }

  /// What one context takes is not reached in another that it covers; the usual keys may be covered as they always were.
  @Test func aKeyThatAnotherContextCoversIsAClash() {
    #expect(error(["mark": ["c"]]) == .clash(Key("c"), .requests(.mark), .requests(.nextHeld), in: .requests))
    #expect(error(["requests.mark": ["w"]]) == .clash(Key("w"), .requests(.mark), .requests(.saveBody), in: .requests))
    #expect(error(["requests.mark": ["L"]]) == .clash(Key("L"), .requests(.mark), .detail(.goToLine), in: .detail))
    #expect(error(["drop-held": ["b"]]) == .clash(Key("b"), .held(.dropHeld), .detail(.rawBody), in: .detail))
    #expect(error(["raw-body": ["m"]]) == nil, "inner ones may take what an outer one has")
    #expect(error(["held.drop-held": ["m"]]) == nil && error(["suspend": ["ctrl-s"]]) == nil)
    #expect(error(["requests.filter": ["/"], "detail.search": ["/"]]) == nil, "as it is without a config file")
  }

  @Test func theOthersCountAndEachMistakeIsNamedAsItWasWritten() {
    let (map, problems) = KeyMap.lenient(
      overriding: [
        "requests.mark": ["s"], "quit": ["ctrl-"], "delete": ["e"], "help": ["f2"], "nope": [], "stubs.filter": ["a"],
      ])
    #expect(problems.map(\.name).sorted() == ["delete", "nope", "quit", "requests.mark", "stubs.filter"])
    #expect(
      Set(map.bindings.filter { row in Binding.table.first { $0.command == row.command } != row }.map(\.command)) == [
        .global(.help)
      ])
    #expect(
      KeyMap.lenient(overriding: [:]).problems.isEmpty && KeyMap.lenient(overriding: [:]).map.bindings == Binding.table)
  }

  @Test func theNameOfAMistakeIsThatOfTheConfigFile() {
    let clash = KeyMapError.clash(Key("a"), .requests(.delete), .requests(.mark), in: .requests)
    #expect(
      clash.name(in: ["delete"]) == "delete" && clash.name(in: ["requests.delete", "delete"]) == "requests.delete")
    #expect(clash.name(in: ["stubs.delete"]) == "stubs.delete" && clash.name(in: ["mark"]) == nil)
    #expect(KeyMapError.unknownKey("x", command: "c").name(in: []) == "c")
    #expect(KeyMapError.unknownCommand("x", near: nil).name(in: ["y"]) == "x")
  }

  @Test func keysAreShownAsPeopleWriteThem() {
    for (name, label) in [
      ("up", "↑"), ("down", "↓"), ("left", "←"), ("right", "→"), ("j", "j"), ("ctrl-r", "ctrl-r"), ("space", "space"),
      ("shift-up", "shift-up"),
    ] { #expect(Key(parsing: name).map(Binding.label) == label) }
    #expect(
      Binding(.global(.help), "? f1", "Help").keyLabel == "?" && Binding(.global(.tour), "", "Tour").keyLabel == "")
    let plain = Binding(.global(.help), "? nonsense- f1", "Help")
    #expect(plain.keys == [Key("?"), Key(.function(1))] && plain.hint == nil && plain.priority == 50)
  }
}
