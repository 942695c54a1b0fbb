#if os(Linux)
  import Foundation
  import PatchbayTestSupport
  import Testing

  @testable import PatchbayLaunch

  /// What gets into somebody else's program needs nothing but what `.ci/allowed-libraries.txt` names.
  @Suite(
    "Linkage", .enabled(if: dlsym(nil, "__tsan_init") == nil, "the sanitizer brings libraries of its own"), .bounded)
  struct LinkageTests {
    private static func allowed(_ library: String) throws -> Set<String> {
      let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      let list = folder.appendingPathComponent("../../.ci/allowed-libraries.txt").standardizedFileURL
      var section = ""
      var names: Set<String> = []
      for line in try String(contentsOf: list, encoding: .utf8).split(separator: "\n") where !line.hasPrefix("#") {
        if line.hasPrefix("[") { section = String(line.dropFirst().dropLast()) }
        if section == library && !line.hasPrefix("[") { names.insert(String(line)) }
      }
      return names
    }

    @Test(arguments: ["libPatchbayHook.so", "libPatchbayPreload.so"])
    func needsOnlyWhatIsAllowed(library: String) throws {
      let allowed = try Self.allowed(library)
      let file = try #require(ElfFile(path: BuiltProduct.path(library)))
      #expect(allowed.contains("libc.so.6"))
      #expect(file.needed.contains("libc.so.6"), "the library's list was read")
      #expect(Set(file.needed).subtracting(allowed) == [])
    }

    /// valgrind 3.19 gives up on a program that loads a library whose DWARF 5 it cannot read.
    @Test(arguments: ["libPatchbayHook.so", "libPatchbayPreload.so"])
    func hasNoDebuggingInformation(library: String) throws {
      let file = try #require(ElfFile(path: BuiltProduct.path(library)))
      #expect(file.sections.contains(".dynsym"), "the library's sections were read")
      #expect(file.sections.filter { $0.hasPrefix(".debug") } == [])
    }
  }
#endif
