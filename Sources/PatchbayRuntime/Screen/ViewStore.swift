import Foundation
import PatchbayConsole
import PatchbayFiles
import PatchbayLaunch
import PatchbayStubs
import PatchbaySystem

/// What the person chose about how things look, kept in `view.json` of the state folder.
struct ViewStore: Sendable {
  private let path: String?

  init(folders: PrivateFolders) {
    path = (try? folders.state()).map { $0 + "/view.json" }
  }

  /// What was kept, under what the config file and the options say. A file that cannot be read counts as none.
  func load(options: ConsoleOptions, config: ConfigFile) -> ViewSettings {
    var view = ViewSettings()
    if let path, let data = FileManager.default.contents(atPath: path), let kept = try? JSONValue(parsing: data) {
      Self.read(kept, into: &view)
    }
    if !config.columns.isEmpty { view.columns = config.columns.compactMap(RequestColumn.init(rawValue:)) }
    if let mouse = config.mouse { view.mouse = mouse }
    if let theme = options.theme ?? config.theme { view.theme = theme }
    return view
  }

  func save(_ view: ViewSettings) {
    guard let path else { return }
    _ = try? OutputFile.write(Self.json(view).indented().utf8, to: path)
  }

  private static func json(_ view: ViewSettings) -> JSONValue {
    .members([
      "theme": .string(view.theme), "columns": .array(view.columns.map { .string($0.rawValue) }),
      "widths": .object(
        view.widths.sorted { $0.key.rawValue < $1.key.rawValue }.map {
          JSONValue.Member($0.key.rawValue, .number(String($0.value)))
        }),
      "widthsFor": .number(String(view.widthsFor)),
      "listShare": .number(String(view.listShare)), "mouse": .bool(view.mouse), "wrap": .bool(view.wrap),
      "lineNumbers": .bool(view.lineNumbers),
      "tourDone": .bool(view.tourDone),
      "filters": .array(
        view.filters.map { .members(["name": .string($0.name), "filter": .string($0.filter)]) }),
    ])
  }

  private static func read(_ json: JSONValue, into view: inout ViewSettings) {
    func flag(_ name: String) -> Bool? {
      guard case .bool(let value)? = json[name] else { return nil }
      return value
    }
    if let theme = json["theme"]?.text { view.theme = theme }
    if case .array(let columns)? = json["columns"] {
      view.columns = columns.compactMap { $0.text.flatMap(RequestColumn.init(rawValue:)) }
    }
    if case .object(let widths)? = json["widths"] {
      for member in widths {
        if let column = RequestColumn(rawValue: member.name), let width = member.value.integer,
          (1...500).contains(width)
        {
          view.widths[column] = width
        }
      }
    }
    if let width = json["widthsFor"]?.integer, (0...1_000).contains(width) { view.widthsFor = width }
    if let share = json["listShare"]?.integer, (10...90).contains(share) { view.listShare = share }
    view.mouse = flag("mouse") ?? view.mouse
    view.wrap = flag("wrap") ?? view.wrap
    view.lineNumbers = flag("lineNumbers") ?? view.lineNumbers
    view.tourDone = flag("tourDone") ?? false
    if case .array(let filters)? = json["filters"] {
      view.filters = filters.compactMap { saved in
        guard let name = saved["name"]?.text, let filter = saved["filter"]?.text else { return nil }
        return SavedFilter(name: name, filter: filter)
      }
    }
  }
}
