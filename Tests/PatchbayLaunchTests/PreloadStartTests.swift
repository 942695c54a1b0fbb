#if os(Linux)
  import Foundation
  import PatchbayTestSupport
  import Testing

  @testable import PatchbayLaunch

  /// What the preload library notes of programs into which the hook cannot get, by whoever starts them.
  @Suite(
    .bounded,
    .disabled(if: dlsym(nil, "__tsan_init") != nil, "a sanitizer's runtime cannot be preloaded beside ours"))
  struct PreloadStartTests {
    private static let ways = [
      "execve", "execvpe", "execv", "execvp", "fexecve", "execl", "execlp", "execle", "posix_spawn", "posix_spawnp",
    ]

    /// The program gets its words and its environment as natively, and is told of where that is not ours any more.
    @Test(arguments: ways) func eachWayIsKnownAndDoesWhatItDoes(_ way: String) async throws {
      let program = try PreloadedProgram(unmatched: "fail")
      let script = try program.place.executable("tool", "#!/bin/sh\necho \"$#\" \"$1\" \"${PATCHBAY_SOCKET-none}\"\n")
      let isSpawn = way.hasPrefix("posix_spawn")
      for (change, socket) in [("whole", "\(program.place.path)/none.sock"), ("-PATCHBAY_SOCKET", "none")] {
        let (lines, status) = try await program.run("start", way, change, script, "a word")
        #expect(status == 0 && lines.filter { !$0.hasPrefix("spawned") } == ["1 a word \(socket)"])
        let raw = try String(contentsOfFile: program.notes, encoding: .utf8)
        let noted = try program.noted()
        guard socket == "none" else {
          #expect(noted == [])
          continue
        }
        let file = way == "fexecve" ? noted.first?.split(separator: " ").last.map(String.init) ?? "" : script
        #expect(noted == ["session-maker cleared-environment \(file)"])
        #expect(way != "fexecve" || file.hasPrefix("/proc/self/fd/"))
        if isSpawn { #expect(lines.contains("spawned \(raw.prefix { $0 != "\t" })"), "the note is of the one started") }
      }
      let (lines, status) = try await program.run("start", way, "bare", "/nowhere/at/all", "x")
      let code = way == "fexecve" ? EINVAL : ENOENT
      #expect(status == 1 && lines == ["not started: \(code)"])
      #expect(try program.noted() == [])
    }

    @Test(
      "the hook gets only where all four variables say how",
      arguments: [
        ("whole", false), ("bare", true), ("-LD_PRELOAD", true), ("-PATCHBAY_HOOK", true), ("-PATCHBAY_SOCKET", true),
        ("-PATCHBAY_UNMATCHED", true), ("-PATCHBAY_NOTES", false), ("-PATCHBAY_RUNTIME", false), ("-HOME", false),
        ("LD_PRELOAD=", true), ("-PATCHBAY_HOOK,PATCHBAY_HOOKS=x", true), ("-PATCHBAY_HOOK,PATCHBAY_HOO=x", true),
        ("PATCHBAY_HOOK=", false),
      ])
    func whatMustBeInTheEnvironment(_ change: String, _ isTold: Bool) async throws {
      let program = try PreloadedProgram(unmatched: "hold")
      let (_, status) = try await program.run("start", "execve", change, "/bin/sh", "/dev/null")
      #expect(status == 0)
      #expect(try program.noted() == (isTold ? ["session-maker cleared-environment /bin/sh"] : []))
    }

    /// Only where requests that no stub takes must not get out, and somebody reads it.
    @Test(
      arguments: [("fail", true), ("hold", true), ("pass", false), (nil, false), ("failing", false)]
        as [(String?, Bool)])
    func whereItIsToldAtAll(_ unmatched: String?, _ isTold: Bool) async throws {
      var program = try PreloadedProgram(unmatched: unmatched)
      _ = try await program.run("start", "execve", "bare", "/bin/sh", "/dev/null")
      #expect(try program.noted().isEmpty != isTold)
      program.environment["PATCHBAY_NOTES"] = nil
      _ = try await program.run("start", "execve", "bare", "/bin/sh", "/dev/null")
      #expect(try program.noted() == [])
    }

    // MARK: Which program is meant

    @Test func aNameIsLookedForAsTheCLibraryDoes() async throws {
      var program = try PreloadedProgram(unmatched: "fail")
      let (first, second) = (try program.place.folder("first"), try program.place.folder("second"))
      _ = try program.place.file("first/tool", "#!/bin/sh\necho first\n", mode: 0o644)
      _ = try program.place.executable("second/tool", "#!/bin/sh\necho second\n")
      for way in ["execvp", "execlp", "execvpe", "posix_spawnp"] {
        program.environment["PATH"] = "/nowhere:\(first):\(second):/bin"
        let (lines, _) = try await program.run("start", way, "-PATCHBAY_HOOK", "tool", "x")
        #expect(lines.contains("second"), "\(way)")
        #expect(try program.noted() == ["session-maker cleared-environment \(second)/tool"], "\(way)")
        program.environment["PATH"] = "/nowhere:\(first)"
        _ = try await program.run("start", way, "-PATCHBAY_HOOK", "tool", "x")
        #expect(try program.noted() == [], "\(way)")
      }
    }

    @Test(arguments: ["", ":/nowhere", "/nowhere:", "."])
    func anEmptyFolderIsTheCurrentOne(_ path: String) async throws {
      let program = try PreloadedProgram(unmatched: "fail")
      let tool = try program.place.executable("tool", "#!/bin/sh\necho here\n")
      let folder = program.place.path
      let maker = BuiltProduct.path("session-maker")
      let script = "cd '\(folder)'; PATH='\(path)' exec '\(maker)' start execvp -PATCHBAY_HOOK tool x"
      let recorder = try CommandRecorder(["sh", "-c", ByteString(script)], environment: program.environment)
      #expect(await recorder.end().output.contains("here"))
      let named = path == "." ? "\(folder)/./tool" : tool
      #expect(try program.noted() == ["session-maker cleared-environment \(named)"])
    }

    @Test func aPathWithASlashIsNotLookedForAndMayBeRelative() async throws {
      let program = try PreloadedProgram(unmatched: "fail")
      _ = try program.place.executable("tool", "#!/bin/sh\necho here\n")
      let script = "cd '\(program.place.path)'; exec '\(BuiltProduct.path("session-maker"))' start execvp bare ./tool x"
      let recorder = try CommandRecorder(["sh", "-c", ByteString(script)], environment: program.environment)
      #expect(await recorder.end().output.contains("here"))
      #expect(try program.noted() == ["session-maker cleared-environment \(program.place.path)/./tool"])
    }

    @Test func aPathForWhichANoteHasNoRoomIsNotTold() async throws {
      let program = try PreloadedProgram(unmatched: "fail")
      for count in [899, 900] {
        let slashes = String(repeating: "/", count: count - "/bin/sh".utf8.count)
        _ = try await program.run("start", "execve", "bare", slashes + "/bin/sh", "/dev/null")
        let noted = try program.noted()
        #expect(noted == (count < 900 ? ["session-maker cleared-environment \(slashes)/bin/sh"] : []), "\(count)")
      }
    }

    // MARK: Static ones

    /// A program of one system call, which ends with status 0.
    ///
    /// - Parameter kinds: Of its segments, behind the one that is loaded.
    private func program(
      magic: [UInt8] = [0x7f, 0x45, 0x4c, 0x46], kinds: [UInt32] = [], entrySize: UInt16 = 56, count: Int? = nil
    )
      -> Data
    {
      #if arch(x86_64)
        let (machine, code): (UInt16, [UInt8]) = (62, [0xb8, 0x3c, 0, 0, 0, 0x31, 0xff, 0x0f, 0x05])
      #else
        let (machine, code): (UInt16, [UInt8]) = (183, [0xa8, 0x0b, 0x80, 0xd2, 0, 0, 0x80, 0xd2, 1, 0, 0, 0xd4])
      #endif
      var data = Data(magic + [2, 1, 1] + [UInt8](repeating: 0, count: 9))
      func add<Value: FixedWidthInteger>(_ value: Value) {
        withUnsafeBytes(of: value.littleEndian) { data.append(contentsOf: $0) }
      }
      let base: UInt64 = 0x40_0000
      let entry = 64 + UInt64(56 * (kinds.count + 1))
      for half in [2, machine] { add(half) }
      add(UInt32(1))
      for word in [base + entry, 64, 0] { add(word) }
      add(UInt32(0))
      for half in [64, entrySize, UInt16(count ?? kinds.count + 1), 0, 0, 0] { add(half) }
      for kind in [1] + kinds {
        add(kind)
        add(UInt32(5))
        for word in [0, base, base, entry + UInt64(code.count), entry + UInt64(code.count), 0x1000] { add(word) }
      }
      return data + Data(code)
    }

    @Test func aStaticProgramIsTold() async throws {
      let program = try PreloadedProgram(unmatched: "fail")
      let interpreter: UInt32 = 3
      let note: UInt32 = 4
      let rows: [(String, Data, Bool)] = [
        ("static", self.program(), true), ("noted", self.program(kinds: [note, note]), true),
        ("dynamic", self.program(kinds: [note, interpreter]), false),
        ("ld-own.so", self.program(), false), ("aold", self.program(), true),
        ("other", self.program(magic: [0x7f, 0x45, 0x4c, 0x47]), false),
        ("odd", self.program(entrySize: 55), false), ("bare", self.program(count: 0), false),
        ("cut", self.program().prefix(100), false),
        ("short", self.program().prefix(63), false), ("empty", Data(), false),
      ]
      for (name, data, isTold) in rows {
        let source = URL(fileURLWithPath: "\(program.place.path)/source")
        try data.write(to: source)
        let file = try program.place.executable(name, copying: source.path)
        _ = try await program.run("start", "execve", "whole", file, "x")
        #expect(try program.noted() == (isTold ? ["session-maker static \(file)"] : []), "\(name)")
      }
    }

    @Test func aSpawnedStaticProgramIsToldOfAndRuns() async throws {
      let program = try PreloadedProgram(unmatched: "fail")
      let source = URL(fileURLWithPath: "\(program.place.path)/source")
      try self.program().write(to: source)
      let file = try program.place.executable("tool", copying: source.path)
      for way in ["posix_spawn", "posix_spawnp", "execvp"] {
        let (lines, status) = try await program.run("start", way, "whole", file, "x")
        #expect(status == 0 && lines.count == (way == "execvp" ? 0 : 1), "\(way)")
        #expect(try program.noted() == ["session-maker static \(file)"], "\(way)")
        // An environment that is not ours comes first.
        _ = try await program.run("start", way, "-PATCHBAY_HOOK", file, "x")
        #expect(try program.noted() == ["session-maker cleared-environment \(file)"], "\(way)")
      }
    }

    /// With Swift's sections in it and without Swift's library beside it.
    @Test(arguments: [
      ("swift5_types", "fail", true), ("swift5_types", "hold", true), ("swift5_types", "pass", false),
      ("swift4_types", "fail", false), (".swift5_types", "fail", false), ("swift5", "fail", false),
    ])
    func aProgramWithItsOwnRuntimeTellsOfItself(_ section: String, _ unmatched: String, _ isTold: Bool) async throws {
      let program = try PreloadedProgram(unmatched: unmatched)
      var data = try Data(contentsOf: URL(fileURLWithPath: "/bin/sh").resolvingSymlinksInPath())
      let names = Data("\0\(section)\0names\0".utf8)
      let place = UInt64(data.count)
      data += names
      let table = UInt64(data.count)
      func header(_ name: UInt32, _ offset: UInt64, _ size: UInt64) -> Data {
        var header = Data()
        for half in [name, name == 0 ? 0 : 3] {
          withUnsafeBytes(of: half.littleEndian) { header.append(contentsOf: $0) }
        }
        for word in [0, 0, offset, size, 0, 1, 0] as [UInt64] {
          withUnsafeBytes(of: word.littleEndian) { header.append(contentsOf: $0) }
        }
        return header
      }
      data += header(0, 0, 0) + header(1, place, 1) + header(UInt32(section.utf8.count + 2), place, UInt64(names.count))
      withUnsafeBytes(of: table.littleEndian) { data.replaceSubrange(40..<48, with: $0) }
      data.replaceSubrange(58..<64, with: [64, 0, 3, 0, 2, 0])
      let source = URL(fileURLWithPath: "\(program.place.path)/source")
      try data.write(to: source)
      let file = try program.place.executable("own", copying: source.path)
      let recorder = try CommandRecorder(
        [ByteString(file), "-c", "echo runs"], environment: program.environment, path: file)
      let (status, output) = await recorder.end()
      #expect(status == 0 && output.contains("runs"))
      #expect(try program.noted() == (isTold ? ["own static-runtime \(file)"] : []))
    }
  }
#endif
