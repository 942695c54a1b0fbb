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
      let command = [try #require(Self.compiler), try place.file("program.c", source), "-o", program] + options
      return try TestProgram.run(command, errors: .nothing).status == 0 ? program : nil
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

    @Test(.enabled(if: compiler != nil, "no C compiler")) func whatHasSwiftLinkedIntoItIsFoundRunning() async throws {
      let sleeps = "#include <unistd.h>\nint main(void) { for (;;) pause(); }"
      for (source, isSwift) in [
        (sleeps, false), ("__attribute__((section(\"swift5_types\"), used)) int types;\n" + sleeps, true),
      ] {
        let program = try TestProgram([try #require(try compile(source))])
        defer { program.signal(SIGKILL) }
        let process = program.process
        try await eventually("it is that program") { ProcessTable.Entry(process: process)?.name == "program" }
        let found = Array(Unreached.all(under: process))
        #expect(found.map(\.reason) == (isSwift ? [.staticRuntime] : []))
        #expect(found.map { "\($0.process) \($0.name)" } == (isSwift ? ["\(process) program"] : []))
        #expect(found.map { Escaped($0).reason } == (isSwift ? ["the Swift runtime is linked into it"] : []))
      }
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

    private func make(_ name: String, _ elf: MadeElf, mode: Int = 0o755) throws -> String {
      let path = try place.file(name, mode: mode)
      try Data(elf.bytes).write(to: URL(fileURLWithPath: path))
      try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
      return path
    }

    /// For this machine, as the tests themselves are.
    private var elf: MadeElf {
      get throws {
        let own = try #require(ElfFile(path: "/proc/self/exe"))
        return MadeElf(is64Bit: own.is64Bit, machine: own.machine)
      }
    }

    @Test func whatCannotBePreloadedIntoIsRefused() throws {
      var file = try elf
      file.interpreter = nil
      let path = try make("static", file)
      #expect(
        throws: LaunchError(
          "\(path) is a static executable, into which nothing can be preloaded; link the library Patchbay into it and call "
            + "Patchbay.attach()", exitStatus: 126)
      ) { try check(path) }
      // The dynamic linker has no interpreter either, and starts programs.
      file.dynamic = [(.soname, "ld-linux.so.2")]
      #expect(try check(make("linker", file)).kind == .native)
      file.dynamic = [(.soname, "libld.so")]
      let library = try make("library", file)
      #expect(throws: LaunchError.self) { try check(library) }
      (file.dynamic, file.isLoadable) = ([], false)
      #expect(try check(make("unreadable", file)).kind == .native)
      file = try elf
      file.sections = ["swift5_types"]
      let swift = try make("swift", file)
      #expect(
        throws: LaunchError(
          "\(swift) has the Swift runtime linked into it (-static-stdlib), where the hook cannot reach it; build it without "
            + "that, or link the library Patchbay into it and call Patchbay.attach()", exitStatus: 126)
      ) { try check(swift) }
    }

    @Test func whatIsForAnotherProcessorIsToldAndStarts() throws {
      let same = try check(make("same", elf))
      #expect(same.cautions == [] && same.kind == .native && same.path == "\(place.path)/same")
      var machine = try elf
      machine.machine += 1
      var narrow = try elf
      narrow.is64Bit.toggle()
      for (name, file) in [("machine", machine), ("narrow", narrow)] {
        let path = try make(name, file)
        let sentence =
          "\(path) is for another processor than patchbay, so it cannot be hooked; build it for this machine"
        #expect(try check(path).cautions == [LaunchError(sentence)])
      }
    }

    @Test func whatHasTheRightsOfItsFilesOwnerIsToldWhereThatIsAnother() throws {
      // Of ours it changes nothing.
      let own = try make("own", elf, mode: 0o6755)
      try #require(chown(own, geteuid(), getegid()) == 0)
      try #require(chmod(own, 0o6755) == 0)
      #expect(try check(own).cautions == [])
      let path = try make("others", elf)
      guard chown(path, geteuid() + 1, getegid() + 1) == 0 else { return }
      let behind =
        ", so the system keeps preloaded libraries out of it; run a copy without that, or link the library Patchbay into it "
        + "and call Patchbay.attach()"
      for (mode, said) in [
        (0o755, nil), (0o4755, " runs with another user's rights (set-uid)"),
        (0o2755, " runs with another group's rights (set-gid)"),
        (0o6755, " runs with another user's rights (set-uid)"),
      ] as [(mode_t, String?)] {
        try #require(chmod(path, mode) == 0)
        #expect(try check(path).cautions.map(\.description) == said.map { ["\(path)\($0)\(behind)"] } ?? [])
      }
    }

    @Test func theRightsOfTheFileThatALinkLeadsToCount() throws {
      let path = try make("target", elf)
      guard chown(path, geteuid() + 1, getegid() + 1) == 0, chmod(path, 0o4755) == 0 else { return }
      let link = "\(place.path)/link"
      try #require(symlink(path, link) == 0)
      let cautions = try check(link).cautions
      #expect(cautions.count == 1)
      #expect(cautions.first?.description.hasPrefix("\(link) runs with another user's rights (set-uid)") == true)
    }

    @Test func aSwiftProgramWithoutTheNetworkIsToldFromOneWithIt() throws {
      let runtimes = try [("one", UInt8(1)), ("two", UInt8(2))].map { name, id in
        let folder = try place.folder("\(name)/lib/swift/linux")
        for library in ["libswiftCore.so", "libFoundationNetworking.so"] {
          var file = try elf
          file.notes = [.init(value: [id])]
          try Data(file.bytes).write(to: URL(fileURLWithPath: "\(folder)/\(library)"))
        }
        return (folder: folder, runtime: SwiftRuntime(compiler: "\(place.path)/\(name)/bin/swiftc"))
      }
      var file = try elf
      file.sections = ["swift5_types"]
      for (needed, networking) in [
        (["libswiftCore.so"], false), (["libswiftCore.so", "libFoundationNetworking.so"], true),
      ] {
        file.dynamic = needed.map { (.needed, $0) } + [(.runpath, runtimes[0].folder)]
        let path = try make("program", file)
        let clean = ChildEnvironment(entries: [])
        let same = try check(path, clean, runtime: runtimes[0].runtime)
        #expect(same.kind == .swift(networking: networking) && same.cautions == [])
        #expect(try check(path, clean).cautions == [])
        let sentence =
          "\(path) loads another Swift runtime (\(runtimes[0].folder)/libswiftCore.so) than the hook was built for "
          + "(\(runtimes[1].folder)/libswiftCore.so), so the hook stays out of it; build patchbay and the program with the "
          + "same toolchain, or link the library Patchbay into the program"
        #expect(try check(path, clean, runtime: runtimes[1].runtime).cautions == [LaunchError(sentence)])
        // The environment's comes first.
        let other = ChildEnvironment(entries: [ByteString("LD_LIBRARY_PATH=\(runtimes[1].folder)")])
        #expect(try check(path, other, runtime: runtimes[1].runtime).cautions == [])
      }
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
