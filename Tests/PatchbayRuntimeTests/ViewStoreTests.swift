import Foundation
import PatchbayConsole
import PatchbayFiles
import PatchbayLaunch
import PatchbayTestSupport
import Testing

@testable import PatchbayRuntime

@Suite("What the person chose about how things look is kept", .bounded) final class ViewStoreTests {
  private let folder: TemporaryFolder
  private let store: ViewStore

  init() throws {
    folder = try TemporaryFolder()
    let path = folder.path
    store = ViewStore(folders: PrivateFolders { $0 == "XDG_STATE_HOME" ? path : nil })
  }

  private var file: String { folder.path + "/patchbay/view.json" }

  private func load(_ text: String) throws -> ViewSettings {
    try Data(text.utf8).write(to: URL(fileURLWithPath: file))
    return store.load(options: ConsoleOptions(), config: ConfigFile())
  }

  @Test("before anything was kept it is as usual") func new() {
    let view = store.load(options: ConsoleOptions(), config: ConfigFile())
    #expect(view == ViewSettings() && view.theme == "dark" && view.listShare == 50 && view.widthsFor == 0)
    #expect(view.mouse && view.wrap && !view.lineNumbers && !view.tourDone && view.filters == SavedFilter.usual)
  }

  @Test("all of it is there again") func again() {
    var view = ViewSettings(
      theme: "mine", columns: [.status, .startedAt, .path], widths: [.host: 12, .path: 500, .status: 1], widthsFor: 133,
      listShare: 61, mouse: false, wrap: false, lineNumbers: true,
      filters: [SavedFilter(name: "a", filter: "is:bad"), SavedFilter(name: "", filter: "")])
    view.tourDone = true
    store.save(view)
    #expect(store.load(options: ConsoleOptions(), config: ConfigFile()) == view)
    // And one after the other, each by itself.
    for number in 0..<4 {
      var view = ViewSettings(mouse: number == 0, wrap: number == 1, lineNumbers: number == 2, filters: [])
      view.tourDone = number == 3
      store.save(view)
      #expect(store.load(options: ConsoleOptions(), config: ConfigFile()) == view)
    }
  }

  @Test("it is written in the same words each time, for its owner alone") func text() throws {
    var view = ViewSettings(
      theme: "t", columns: [.startedAt], widths: [.status: 4, .host: 9], widthsFor: 80,
      filters: [
        SavedFilter(name: "n", filter: "f")
      ])
    view.tourDone = true
    store.save(view)
    let expected = """
      {"theme":"t","columns":["time"],"widths":{"host":9,"status":4},"widthsFor":80,"listShare":50,"mouse":true,\
      "wrap":true,"lineNumbers":false,"tourDone":true,"filters":[{"name":"n","filter":"f"}]}
      """
    let text = try String(contentsOfFile: file, encoding: .utf8)
    #expect(text.filter { !$0.isWhitespace } == expected)
    let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
    #expect(mode == 0o600)
  }

  @Test("numbers that make no sense are left out, and those at the bounds are taken") func bounds() throws {
    func view(_ members: String) throws -> ViewSettings { try load("{\(members)}") }
    for (width, isTaken) in [(-1, false), (0, false), (1, true), (2, true), (499, true), (500, true), (501, false)] {
      #expect(try view("\"widths\":{\"host\":\(width),\"nothing\":7}").widths == (isTaken ? [.host: width] : [:]))
    }
    for (width, isTaken) in [(-1, false), (0, true), (1, true), (999, true), (1_000, true), (1_001, false)] {
      #expect(try view("\"widthsFor\":\(width)").widthsFor == (isTaken ? width : 0))
    }
    for (share, isTaken) in [(9, false), (10, true), (11, true), (89, true), (90, true), (91, false), (0, false)] {
      #expect(try view("\"listShare\":\(share)").listShare == (isTaken ? share : 50))
    }
  }

  @Test(
    "what is not as it should be counts as not there",
    arguments: [
      "", "{", "[]", "7", "{\"theme\":7,\"columns\":\"time\",\"widths\":[],\"mouse\":\"no\",\"filters\":{}}",
      "{\"wrap\":0,\"lineNumbers\":\"yes\",\"tourDone\":1,\"listShare\":\"60\",\"widthsFor\":true}",
    ])
  func garbage(_ text: String) throws {
    #expect(try load(text) == ViewSettings())
  }

  @Test("of lists what is understood is taken") func parts() throws {
    let view = try load(
      "{\"columns\":[\"path\",\"nothing\",7,\"time\"],\"filters\":[{\"name\":\"a\"},{\"filter\":\"b\"},7,"
        + "{\"name\":\"c\",\"filter\":\"d\"}]}")
    #expect(view == ViewSettings(columns: [.path, .startedAt], filters: [SavedFilter(name: "c", filter: "d")]))
  }

  @Test("the config file comes before what was kept, and the options before both") func order() {
    var kept = ViewSettings(theme: "kept", columns: [.path], mouse: true)
    var config = ConfigFile()
    var options = ConsoleOptions()
    store.save(kept)
    config.columns = ["time", "nothing", "host"]
    kept.columns = [.startedAt, .host]
    #expect(store.load(options: options, config: config) == kept)
    (config.mouse, kept.mouse) = (false, false)
    #expect(store.load(options: options, config: config) == kept)
    (config.theme, kept.theme) = ("config", "config")
    #expect(store.load(options: options, config: config) == kept)
    (options.theme, kept.theme) = ("option", "option")
    #expect(store.load(options: options, config: config) == kept)
    (config.theme, config.mouse, config.columns) = (nil, true, [])
    (kept.columns, kept.mouse) = ([.path], true)
    #expect(store.load(options: options, config: config) == kept)
  }

  @Test("where there is no folder for it nothing is kept") func noFolder() throws {
    let file = folder.path + "/file"
    try Data().write(to: URL(fileURLWithPath: file))
    let store = ViewStore(folders: PrivateFolders { $0 == "XDG_STATE_HOME" ? file : nil })
    store.save(ViewSettings(theme: "x"))
    #expect(store.load(options: ConsoleOptions(), config: ConfigFile()) == ViewSettings())
  }
}
