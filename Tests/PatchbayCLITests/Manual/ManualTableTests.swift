import ArgumentParser
import Foundation
import PatchbayFiles
import PatchbayManual
import PatchbayTestSupport
import Testing

@testable import PatchbayCLI
@testable import PatchbayConsole
@testable import PatchbayInspect
@testable import PatchbayStubs

/// The manual's reference tables are made of the tables in the code. `PATCHBAY_WRITE_MANUAL=1` writes them anew.
@Suite("The manual's tables", .bounded)
struct ManualTableTests {
  @Test("what stands between the marks of a page is what the code says", arguments: try ManualFiles.names())
  func current(_ name: String) throws {
    let text = try ManualFiles.text(name)
    let made = try Self.filledIn(text)
    if ProcessInfo.processInfo.environment["PATCHBAY_WRITE_MANUAL"] != nil {
      try made.write(to: ManualFiles.folder.appendingPathComponent(name), atomically: true, encoding: .utf8)
    } else {
      #expect(made == text, "\(name) is not current: run this suite with PATCHBAY_WRITE_MANUAL=1")
    }
  }

  @Test("each page is a topic, and each link of a page leads somewhere")
  func links() throws {
    #expect(Set(try ManualFiles.names()) == Set(Manual.pages.map { "\($0.file).md" } + ["PatchbayManual.md"]))
    for name in try ManualFiles.names() {
      for match in try ManualFiles.text(name).matches(of: /\]\(([^)#]+)\)/) where !match.1.hasPrefix("http") {
        let path = ManualFiles.folder.appendingPathComponent(String(match.1)).path
        #expect(FileManager.default.fileExists(atPath: path), "\(name): \(match.1)")
      }
    }
  }

  @Test("the program has the pages as they are in the sources")
  func embedded() throws {
    for page in Manual.pages { #expect(page.markdown == (try ManualFiles.text("\(page.file).md")), "\(page.topic)") }
  }

  @Test("the pages leave out no key of stub files, of the config, and no template")
  func complete() throws {
    let stubs = try ManualFiles.text("Stubs.md")
    let keys = StubSchema.Keys.self
    for key in Set(keys.stub + keys.when + keys.body + keys.then + keys.after + keys.fail + keys.pass + keys.request) {
      #expect(stubs.contains("`\(key)`") || stubs.contains("`\(key): "), "Stubs.md: \(key)")
    }
    let config = try ManualFiles.text("Config.md")
    for key in ConfigFile.knownKeys { #expect(config.contains("| `\(key)` |"), "Config.md: \(key)") }
    let templates = try ManualFiles.text("Templates.md")
    for expression in TemplateExpression.known {
      #expect(templates.contains("`\(expression)`"), "Templates.md: \(expression)")
    }
  }

  // MARK: Making the tables

  private static func filledIn(_ text: String) throws -> String {
    var result = ""
    var rest = Substring(text)
    while let mark = rest.firstMatch(of: /<!-- generated: ([a-z-]+) -->\n/) {
      let end = try #require(rest[mark.range.upperBound...].firstRange(of: "<!-- end -->"))
      let table = try #require(try table(String(mark.1)), "there is no table \(mark.1)")
      result += rest[..<mark.range.upperBound] + "\n" + table + "\n"
      rest = rest[end.lowerBound...]
    }
    return result + rest
  }

  private static func table(_ name: String) throws -> String? {
    switch name {
    case "filter-keys":
      return rows(
        ["Key", "Looks at", "Values"],
        FilterKey.allCases.map { key in
          [code(key.rawValue + ":"), key.help, key.values.map(code).joined(separator: " ")]
        })
    case "filter-states":
      return rows(
        ["State", "Meaning"], try FilterState.allCases.map { [code("is:" + $0.rawValue), try #require($0.help)] })
    case "faults":
      return rows(
        ["Name", "What it is", "What the program sees"],
        FaultPreset.all.map { preset in
          let sight = FaultSight.all.first { $0.name == preset.name }
          return [code(preset.name), preset.title, sight?.sees ?? ""]
        })
    case "error-codes":
      return rows(
        ["Name", "Code", "Without a fault it means"],
        FaultSight.all.filter {
          $0.error?.domain == URLErrorCode.domain && URLErrorCode.code(named: $0.name) == $0.error?.code
        }
        .map { [code($0.name), "\($0.error?.code ?? 0)", $0.group == "URLError" ? $0.title : "in the menu, above"] })
    case "keys":
      return KeyContext.allCases.map { context in
        let bindings = Binding.table.filter { $0.context == context }
        let table = rows(
          ["Key", "What it does", "Name"],
          bindings.map {
            [$0.keys.map { code(Binding.label($0)) }.joined(separator: " "), $0.help, code($0.command.name)]
          })
        return "### \(context.title)\n\n\(table)"
      }.joined(separator: "\n")
    case "columns": return RequestColumn.allCases.map { code($0.rawValue) }.joined(separator: ", ") + "\n"
    case "roles": return ThemeRole.allCases.map { code($0.name) }.joined(separator: ", ") + "\n"
    case "jsonl":
      return rows(
        ["Member", "Type", "Meaning"],
        JSONLines.members.map { [code($0.name), type($0.schema), $0.schema["description"]?.text ?? ""] })
    case "exports":
      return rows(
        ["`patchbay export …`", "What it writes"],
        ExportFormat.allCases.map { [code($0.rawValue), $0.detail.isEmpty ? $0.title : "\($0.title): \($0.detail)"] })
    case "commands": return rows(["Command", "What it does"], commands(PatchbayCommand.self, "patchbay"))
    case "topics": return Manual.pages.map { "- [\($0.title)](\($0.file).md): `patchbay help \($0.topic)`\n" }.joined()
    default: return nil
    }
  }

  private static func commands(_ command: any ParsableCommand.Type, _ path: String) -> [[String]] {
    command.configuration.subcommands.filter { $0.configuration.shouldDisplay }.flatMap { child in
      let name = "\(path) \(child.configuration.commandName ?? "")"
      return [[code(name), child.configuration.abstract]] + commands(child, name)
    }
  }

  private static func type(_ schema: JSONValue) -> String {
    if case .array(let types)? = schema["type"] { return types.compactMap(\.text).joined(separator: " or ") }
    if let type = schema["type"]?.text { return type }
    if case .array(let values)? = schema["enum"] { return values.map { $0.text ?? "null" }.joined(separator: ", ") }
    return schema["$ref"]?.text == "#/$defs/body" ? "string, object or null" : "list of pairs"
  }

  private static func code(_ text: String) -> String { text.contains("`") ? text : "`\(text)`" }

  private static func rows(_ head: [String], _ rows: [[String]]) -> String {
    let lines = [head, head.map { _ in "---" }] + rows.map { $0.map { $0.replacing("|", with: "\\|") } }
    return lines.map { "| " + $0.joined(separator: " | ") + " |\n" }.joined()
  }
}
