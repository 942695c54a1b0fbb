import CManual

/// The manual: Markdown pages that GitHub shows, DocC builds, and `patchbay help TOPIC` prints. The files in
/// `PatchbayManual.docc` are the one source of all three.
package enum Manual {
  /// All pages, in the order in which they are read.
  package static let pages: [ManualPage] = [
    ManualPage(0, "start", "Getting started: the first five minutes"),
    ManualPage(1, "ways", "Run, attach, link: how Patchbay comes into a program", also: ["attaching", "running"]),
    ManualPage(2, "screen", "The screen: tabs, list, detail"),
    ManualPage(3, "keys", "Every key", also: ["bindings"]),
    ManualPage(4, "jobs", "Recipes for what people debug", also: ["recipes"]),
    ManualPage(5, "stubs", "Stub files: every key", also: ["stub", "patterns", "scenarios"]),
    ManualPage(6, "templates", "Templates in answers", also: ["template"]),
    ManualPage(7, "faults", "Faults, and what the program sees", also: ["fault"]),
    ManualPage(8, "filter", "The filter language", also: ["filters"]),
    ManualPage(9, "history", "The history, exports and imports", also: ["exports"]),
    ManualPage(10, "jsonl", "JSON Lines", also: ["json"]),
    ManualPage(11, "scripts", "Scripts and CI", also: ["ci"]),
    ManualPage(12, "tests", "In tests: Swift Testing, XCTest", also: ["testing"]),
    ManualPage(13, "config", "The config file", also: ["configuration"]),
    ManualPage(14, "themes", "Themes and colours", also: ["theme"]),
    ManualPage(15, "secrets", "Secrets: what is masked where", also: ["redact"]),
    ManualPage(16, "limits", "Limits and troubleshooting", also: ["troubleshooting"]),
    ManualPage(17, "inside", "How it works"),
    ManualPage(
      18, "moving", "Coming from WireMock, mitmproxy or Proxyman",
      also: ["wiremock", "mitmproxy", "proxyman", "charles", "migrating"]),
  ]

  /// The page of a topic, in any letter case, by its name or another one that people try.
  package static func page(_ topic: String) -> ManualPage? {
    let name = topic.lowercased()
    return pages.first { $0.topic == name } ?? pages.first { $0.otherNames.contains(name) }
  }
}

/// One page of the manual.
package struct ManualPage: Sendable {
  /// What `patchbay help` takes.
  package let topic: String
  package let title: String
  package let otherNames: [String]
  /// The file as it is.
  package let markdown: String

  init(_ number: Int32, _ topic: String, _ title: String, also otherNames: [String] = []) {
    self.topic = topic
    self.title = title
    self.otherNames = otherNames
    markdown = String(cString: patchbay_manual_page(number))
  }

  /// The file's name, without its ending.
  package var file: String { topic.prefix(1).uppercased() + topic.dropFirst() }
}
