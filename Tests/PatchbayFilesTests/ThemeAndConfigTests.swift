import Foundation
import PatchbayStubs
import PatchbaySystem
import PatchbayTestSupport
import Testing

@testable import PatchbayFiles

@Suite(.bounded) struct ThemeAndConfigTests {
  private let roles = ["text", "dim", "selection", "line"]

  @Test func readsAThemeFile() throws {
    let theme = try ThemeFile.parse(
      """
      name: night
      colors:
        back: { rgb: "#101418", ansi: black }
        front: "#d0d4da"
      roles:
        text: { fg: front, bg: back, ansi: white }
        dim: brightBlack
        selection: { fg: default, bg: 24, bold: true, reverse: false }
      """, path: "t.yaml", roles: roles)
    #expect(theme.name == "night")
    #expect(
      theme.roles["text"]
        == .init(
          foreground: .rgb(red: 0xD0, green: 0xD4, blue: 0xDA, palette: nil, ansi: 7),
          background: .rgb(red: 0x10, green: 0x14, blue: 0x18, palette: nil, ansi: 0)))
    #expect(theme.roles["dim"] == .init(foreground: .palette(8)))
    #expect(theme.roles["selection"] == .init(foreground: .terminal, background: .palette(24), attributes: [.bold]))
  }

  @Test func saysTheMistakesOfAThemeFile() {
    let text = """
      name: x
      colors:
        a: "#12345"
        b: blu
      roles:
        txt: a
        dim: { fg: b2, bolt: true }
        line: #61afef
        text: { fg: red, ansi: 16 }
      """
    do throws(FilesError) {
      _ = try ThemeFile.parse(text, path: "t.yaml", roles: roles)
      Issue.record("no mistakes")
    } catch {
      #expect(
        error.mistakes.map { "\($0.position.map { "\($0)" } ?? "")" } == [
          "3:6", "4:6", "6:3", "7:14", "7:18", "8:8", "9:26",
        ],
        "\(error)")
      #expect(error.description.contains("did you mean `blue`?"))
      #expect(error.description.contains("did you mean `text`?"))
      #expect(error.description.contains("did you mean `bold`?"))
    }
  }

  @Test(
    arguments: [
      ("#0aF", .rgb(red: 0, green: 170, blue: 255, palette: nil, ansi: nil)),
      ("#00ff7F", .rgb(red: 0, green: 255, blue: 127, palette: nil, ansi: nil)), ("0", .palette(0)),
      ("255", .palette(255)), ("black", .palette(0)), ("brightWhite", .palette(15)), ("default", .terminal),
      ("256", nil), ("#+12345", nil), ("#-00000", nil), ("#12", nil), ("#1234", nil), ("#1234567", nil), ("#", nil),
      ("#ggg", nil),
    ] as [(String, ThemeFile.Color?)])
  func coloursAreRead(_ text: String, _ color: ThemeFile.Color?) {
    let theme = try? ThemeFile.parse("name: t\nroles:\n  text: \"\(text)\"\n", path: "t.yaml", roles: roles)
    #expect(theme?.roles["text"]?.foreground == color && (theme == nil) == (color == nil))
  }

  /// Relative to the file's folder, or to the home folder.
  @Test(arguments: [("c.yaml", "./b"), ("d/c.yaml", "d/b"), ("/c.yaml", "/b"), ("/d/c.yaml", "/d/b")])
  func pathsAreRelativeToTheConfigFile(_ path: String, _ expected: String) throws {
    let config = try ConfigFile.parse("stubs: [b, ~/b, /x/b]\nhistory: { path: ~/h }", path: path)
    #expect(config.stubs == [expected, Path.home + "/b", "/x/b"])
    #expect(config.history.path == Path.home + "/h")
  }

  @Test func readsAConfigFile() throws {
    let config = try ConfigFile.parse(
      """
      theme: night
      mouse: false
      keys: { quit: [q, ctrl-c], help: "?", export: ~ }
      hosts:
        "*.example.com": observe
        "*": full
      columns: [time, method]
      history: { path: h.sqlite, count: 1000, size: 2GiB }
      unmatched: fail
      redact: true
      stubs: [a.yaml, /b.yaml]
      """, path: "/etc/pb/config.yaml", commands: ["quit", "help", "export"])
    #expect(config.theme == "night")
    #expect(config.mouse == false)
    #expect(config.keys == ["quit": ["q", "ctrl-c"], "help": ["?"], "export": []])
    #expect(config.hosts == [.init(host: "*.example.com", degree: .observe), .init(host: "*", degree: .full)])
    #expect(config.history == .init(path: "/etc/pb/h.sqlite", count: 1_000, size: 2 << 30))
    #expect(config.unmatched == .fail)
    #expect(config.stubs == ["/etc/pb/a.yaml", "/b.yaml"])
    #expect(try ConfigFile.parse("", path: "c.yaml") == ConfigFile())
    #expect(try ConfigFile.parse("# nothing\n", path: "c.yaml") == ConfigFile())
  }

  /// Where what can clash with something else stands, and nothing where it is not there.
  @Test func whereThingsStandInAConfigFile() throws {
    let text = "keys:\n  quit: q\n  help: [h,\n    i]\n  quitt: x\nfilter: a\ntheme:\n  night\n"
    let (config, slips) = try ConfigFile.parseLeniently(text, path: "c.yaml", commands: ["quit", "help"])
    #expect(config.keyPositions == ["quit": .init(line: 2, column: 3), "help": .init(line: 3, column: 3)])
    #expect(config.positions == ["filter": .init(line: 6, column: 9), "theme": .init(line: 8, column: 3)])
    #expect(slips.map(\.position) == [SourcePosition(line: 5, column: 3)])
    #expect(try ConfigFile.parse("mouse: true", path: "c.yaml").positions == [:])
    // Without a list of commands any is taken.
    #expect(try ConfigFile.parse(text, path: "c.yaml").keys == ["quit": ["q"], "help": ["h", "i"], "quitt": ["x"]])
  }

  @Test func filesAreReadAsTheirTextsAre() throws {
    let folder = try TemporaryFolder()
    let config = try folder.write("config.yaml", "stubs: a.yaml\ncolumns: nothing\nhistory: { path: h.db }\n")
    var expected = ConfigFile()
    expected.stubs = [folder.file("a.yaml")]
    expected.history.path = folder.file("h.db")
    let (lenient, slips) = try ConfigFile.readLeniently(config, columns: ["path"])
    #expect(
      lenient == expected && slips.map(\.description).joined().hasPrefix("\(config):2:10: there is no column `nothing`")
    )
    #expect(throws: FilesError(slips)) { try ConfigFile.read(config, columns: ["path"]) }
    expected.columns = ["nothing"]
    #expect(try ConfigFile.read(config) == expected)
    let theme = try folder.write("t.yaml", "name: t\nroles:\n  dim: red\n  text: { fg: blue }\n")
    let read = try ThemeFile.read(theme, roles: roles)
    #expect(
      read
        == ThemeFile(
          name: "t", roles: ["dim": .init(foreground: .palette(1)), "text": .init(foreground: .palette(4))],
          positions: ["dim": .init(line: 3, column: 3), "text": .init(line: 4, column: 3)]))
    for name in ["none.yaml", "none"] {
      #expect(throws: FilesError(path: folder.file(name), "cannot be read: No such file or directory")) {
        try ConfigFile.read(folder.file(name))
      }
      #expect(throws: FilesError(path: folder.file(name), "cannot be read: No such file or directory")) {
        try ThemeFile.read(folder.file(name), roles: [])
      }
    }
  }

  @Test func saysTheMistakesOfAConfigFile() {
    do throws(FilesError) {
      _ = try ConfigFile.parse(
        "them: x\nkeys: {quitt: q}\nhosts: {a: ful}\nunmatched: drop\nhistory: {count: 0}\nmouse: 1\n", path: "c.yaml",
        commands: ["quit"])
      Issue.record("no mistakes")
    } catch {
      let lines = error.description.split(separator: "\n")
      #expect(lines.count == 6, "\(error)")
      #expect(lines[0].hasPrefix("c.yaml:1:1: unknown key `them` in the config; did you mean `theme`?"))
      #expect(lines[1] == "c.yaml:2:8: `quitt` is no command; did you mean `quit`?")
      #expect(lines[2] == "c.yaml:3:12: `a` must be one of full, observe, bypass, not the text `ful`")
    }
  }

  @Test func whatConcernsTheScreenDoesNotKeepTheRestFromBeingRead() throws {
    let text = "theme: [1]\nredact: true\nmouse: maybe\ncolumns: [time, pth]\nkeys: {quitt: q, help: f1}\n"
    let (config, slips) = try ConfigFile.parseLeniently(
      text, path: "c.yaml", commands: ["quit", "help"], columns: ["time", "path"])
    #expect(config.redact == true && config.theme == nil && config.mouse == nil)
    #expect(config.columns == ["time"] && config.keys == ["help": ["f1"]])
    #expect(
      slips.map(\.description) == [
        "c.yaml:1:8: `theme` must be a text, not a list",
        "c.yaml:3:8: `mouse` must be true or false, not the text `maybe`",
        "c.yaml:4:17: there is no column `pth`; did you mean `path`?",
        "c.yaml:5:8: `quitt` is no command; did you mean `quit`?",
      ])
  }

  @Test(arguments: ["redact: maybe", "unmatched: drop", "redcat: true", "history: 3", "keys: {a"])
  func whatConcernsTrafficDoes(line: String) {
    #expect(throws: FilesError.self) { try ConfigFile.parseLeniently("mouse: 3\n" + line, path: "c.yaml") }
  }

  /// Every key that the decoder knows is in the JSON Schema, and the other way round.
  @Test func theJSONSchemaKnowsWhatTheDecoderKnows() throws {
    let schema = try JSONValue(parsing: StubFile.jsonSchema)
    func keys(_ definition: String) -> Set<String> {
      guard case .object(let members)? = schema.value(at: definition + "/properties") else { return [] }
      return Set(members.map(\.name))
    }
    typealias Keys = StubSchema.Keys
    let pairs: [(String, [String])] = [
      ("", Keys.file), ("/$defs/stub", Keys.stub), ("/$defs/when", Keys.when), ("/$defs/bodyPattern", Keys.body),
      ("/$defs/then", Keys.then), ("/$defs/action", Keys.actions.filter { $0 != "sequence" }),
      ("/$defs/respond", Keys.respond),
      ("/$defs/after", Keys.after), ("/$defs/fail/anyOf/1", Keys.fail), ("/$defs/pass", Keys.pass),
      ("/$defs/replacement", Keys.replacement), ("/$defs/dribble", Keys.dribble),
      ("/$defs/delay/anyOf/1", Keys.delay), ("/$defs/text/anyOf/1", Keys.text),
    ]
    for (place, expected) in pairs { #expect(keys(place) == Set(expected), "\(place)") }
    // Every reference leads somewhere.
    for part in StubFile.jsonSchema.components(separatedBy: "\"$ref\": \"#").dropFirst() {
      let pointer = String(part.prefix { $0 != "\"" })
      #expect(schema.value(at: pointer) != nil, "\(pointer)")
    }
  }
}
