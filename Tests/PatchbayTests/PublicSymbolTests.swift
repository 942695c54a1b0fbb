#if os(Linux)
  import Foundation
  import PatchbayTestSupport
  import Testing

  /// `import Patchbay` brings what `.ci/public-symbols.txt` lists, and nothing else: a symbol that is public by oversight
  /// cannot be taken back once a program uses it. The list is made of the symbol graphs of the built modules.
  @Suite("Public symbols", .bounded)
  struct PublicSymbolTests {
    private struct Graph: Decodable {
      struct Symbol: Decodable {
        struct Fragment: Decodable { let spelling: String }
        struct Comment: Decodable {}

        let pathComponents: [String]
        let declarationFragments: [Fragment]
        let docComment: Comment?

        var line: String {
          pathComponents.joined(separator: ".") + ": " + declarationFragments.map(\.spelling).joined()
        }
      }

      let symbols: [Symbol]
    }

    private static let symbols = Result { try read() }

    private static func read() throws -> [Graph.Symbol] {
      let graphs = FileManager.default.temporaryDirectory.appendingPathComponent("patchbay-symbols-\(getpid())")
      try FileManager.default.createDirectory(at: graphs, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: graphs) }
      let products = BuiltProduct.folder
      for module in ["Patchbay", "PatchbayStubs", "PatchbayWire"] {
        let extract = try TestProgram.run([
          "/usr/bin/env", "swift", "symbolgraph-extract", "-module-name", module, "-minimum-access-level", "public",
          "-skip-synthesized-members", "-target", products.deletingLastPathComponent().lastPathComponent,
          "-I", products.appendingPathComponent("Modules").path, "-Xcc",
          "-fmodule-map-file=" + products.appendingPathComponent("CHookSessions.build/module.modulemap").path,
          "-output-dir", graphs.path,
        ])
        try #require(extract.status == 0, "the symbol graph of \(module) could not be made")
      }
      let files = try FileManager.default.contentsOfDirectory(at: graphs, includingPropertiesForKeys: nil)
      return try files.flatMap { try JSONDecoder().decode(Graph.self, from: try Data(contentsOf: $0)).symbols }
    }

    @Test func areThoseOfTheList() throws {
      let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../.ci/public-symbols.txt").standardizedFileURL
      let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map { String($0) }
      let listed = Set(lines.filter { !$0.hasPrefix("#") })
      let symbols = Set(try Self.symbols.get().map(\.line))
      #expect(symbols.count > 100, "the symbols were read")
      guard symbols != listed else { return }
      let heading = lines.filter { $0.hasPrefix("#") }
      let new = BuiltProduct.folder.appendingPathComponent("public-symbols.txt")
      try Data(((heading + symbols.sorted()).joined(separator: "\n") + "\n").utf8).write(to: new)
      Issue.record(
        """
        What `import Patchbay` brings is not what .ci/public-symbols.txt lists.
        New: \(symbols.subtracting(listed).sorted().joined(separator: "\n     "))
        Gone: \(listed.subtracting(symbols).sorted().joined(separator: "\n      "))
        Make what no user of the library needs `package`. Where the change is meant, document the symbol and
        put the new list in place: cp \(new.path) \(file.path)
        """)
    }

    @Test func areDocumented() throws {
      let bare = Set(try Self.symbols.get().filter { $0.docComment == nil }.map(\.line))
      #expect(bare.sorted() == [], "each public symbol says what a caller cannot see")
    }
  }
#endif
