#if os(Linux)
  import Foundation
  import PatchbayTestSupport
  import Testing

  @testable import PatchbayLaunch

  @Suite(.bounded) struct ExecutableCheckTests {
    static let compiler = ["/usr/bin/cc", "/usr/bin/clang", "/usr/bin/gcc"].first {
      FileManager.default.isExecutableFile(atPath: $0)
    }

    let place: TemporaryFolder

    init() throws {
      place = try TemporaryFolder("check")
    }

    private func compile(_ source: String, _ options: String...) throws -> String? {
      let program = "\(place.path)/program"
      let compiler = Process()
      compiler.executableURL = URL(fileURLWithPath: try #require(Self.compiler))
      compiler.arguments = [try place.file("program.c", source), "-o", program] + options
      compiler.standardError = FileHandle.nullDevice
      try compiler.run()
      compiler.waitUntilExit()
      return compiler.terminationStatus == 0 ? program : nil
    }

    private func check(
      _ path: String, _ environment: ChildEnvironment = .current(), runtime: SwiftRuntime? = nil
    ) throws(LaunchError) -> ExecutableCheck {
      try ExecutableCheck(command: path, environment: environment, runtime: runtime)
    }

    @Test func theShellIsNativeAndAScriptAScript() throws {
      #expect(try check("sh").kind == .native)
      #expect(try check(place.file("script", "#!/bin/sh\n", mode: 0o755)).kind == .script)
      #expect(try check(place.file("empty", "", mode: 0o755)).kind == .script)
    }

    @Test func aSwiftProgramIsKnownByItsLibraries() throws {
      let hook = HookLibraries(preload: "", hook: BuiltProduct.path(HookLibraries.hookName))
      let check = try check(BuiltProduct.path("session-maker"), runtime: hook.runtime())
      #expect(check.kind == .swift(networking: true))
      #expect(check.cautions == [])
      #expect(hook.runtime().libraries.map(\.name) == ["libswiftCore.so", "libFoundationNetworking.so"])
    }

    @Test(.enabled(if: compiler != nil, "no C compiler")) func aStaticExecutableIsRefusedWithTheWayOut() throws {
      guard let program = try compile("int main(void) { return 0; }", "-static") else { return }
      let error = #expect(throws: LaunchError.self) { try check(program) }
      #expect(error?.exitStatus == 126)
      #expect(error?.description.contains("\(program) is a static executable") == true)
      #expect(error?.description.contains("Patchbay.attach()") == true)
    }

    @Test(.enabled(if: compiler != nil, "no C compiler")) func aStaticSwiftRuntimeIsRefusedWithTheWayOut() throws {
      // Swift's tables without Swift's library: what -static-stdlib leaves.
      let source = "__attribute__((section(\"swift5_types\"), used)) int types; int main(void) { return 0; }"
      let program = try #require(try compile(source))
      let error = #expect(throws: LaunchError.self) { try check(program) }
      #expect(error?.exitStatus == 126)
      #expect(error?.description.contains("-static-stdlib") == true)
      #expect(error?.description.contains("Patchbay.attach()") == true)
    }

    @Test(.enabled(if: compiler != nil, "no C compiler")) func aPlainCProgramStarts() throws {
      let program = try #require(try compile("int main(void) { return 0; }"))
      #expect(try check(program).kind == .native)
    }

    @Test func anotherSwiftRuntimeIsToldAndStarts() throws {
      let hook = HookLibraries(preload: "", hook: BuiltProduct.path(HookLibraries.hookName)).runtime()
      let core = try #require(hook.library(SwiftRuntime.core))
      // The same library with another build id, as another build would have.
      var bytes = try Data(contentsOf: URL(fileURLWithPath: core.path))
      let text = Array(try #require(core.buildID))
      let id = stride(from: 0, to: text.count, by: 2).map { UInt8(String(text[$0...$0 + 1]), radix: 16)! }
      let range = try #require(bytes.range(of: Data(id)))
      bytes[range.lowerBound] ^= 0xff
      try bytes.write(to: URL(fileURLWithPath: "\(place.path)/libswiftCore.so"))
      var environment = ChildEnvironment.current()
      environment["LD_LIBRARY_PATH"] = "\(place.path)"
      let check = try check(BuiltProduct.path("session-maker"), environment, runtime: hook)
      let caution = try #require(check.cautions.first)
      #expect(caution.description.contains("\(place.path)/libswiftCore.so"))
      #expect(caution.description.contains("same toolchain"))
    }

    @Test func aFileWhoseTablesCannotBeReadIsNotRefused() throws {
      var bytes = try Data(contentsOf: URL(fileURLWithPath: "/bin/sh"))
      // The class, by which its tables are read; the system does not look at it.
      bytes[4] = 3 - bytes[4]
      let program = try place.file("odd", mode: 0o755)
      try bytes.write(to: URL(fileURLWithPath: program))
      #expect(try check(program).kind == .native)
    }

    @Test func brokenFilesSayLessAndNeverTrap() throws {
      let whole = try Data(contentsOf: URL(fileURLWithPath: "/bin/sh")).prefix(1 << 15)
      #expect(whole.withUnsafeBytes { ElfFile(bytes: $0) }?.interpreter != nil)
      for length in stride(from: 0, to: 1024, by: 7) {
        _ = whole.prefix(length).withUnsafeBytes { ElfFile(bytes: $0) }
      }
      var generator = SystemRandomNumberGenerator()
      for _ in 0..<2000 {
        var broken = whole
        for _ in 0..<8 {
          broken[Int.random(in: 4..<(Bool.random() ? 1024 : broken.count), using: &generator)] = .random(in: 0...255)
        }
        _ = broken.withUnsafeBytes { ElfFile(bytes: $0) }
      }
      #expect(ElfFile(path: "/nowhere") == nil)
      #expect(ElfFile(path: "/dev/zero") == nil)
      #expect(ElfFile(path: place.path) == nil)
    }

    @Test func librariesAreFoundAsTheLinkerFindsThem() throws {
      let found = LibrarySearch().images(["libc.so.6"], loadedBy: "/bin/sh")
      let libc = try #require(found["libc.so.6"])
      #expect(libc.file.name == "libc.so.6")
      #expect(LinkerCache(path: "/nowhere").files(named: "libc.so.6").isEmpty)
      #expect(LinkerCache(path: "/bin/sh").files(named: "libc.so.6").isEmpty)
    }
  }
#endif
