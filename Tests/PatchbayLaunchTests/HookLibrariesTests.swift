import Foundation
import PatchbaySystem
import PatchbayTestSupport
import Testing

@testable import PatchbayLaunch

@Suite(.bounded) struct HookLibrariesTests {
  let place: TemporaryFolder

  init() throws {
    place = try TemporaryFolder("libs")
  }

  @Test func theyLieBesideTheProgramOrInItsLibFolder() throws {
    let missing = #expect(throws: LaunchError.self) { try HookLibraries.find(beside: "\(place.path)/bin/patchbay") }
    #expect(missing?.description.contains("\(place.path)/bin nor in \(place.path)/lib/patchbay") == true)
    #expect(missing?.description.contains("swift build -c release") == true)
    let folder = try place.folder("lib/patchbay")
    _ = try place.file("lib/patchbay/\(HookLibraries.preloadName)")
    #expect(throws: LaunchError.self, "one of the two is not enough") {
      try HookLibraries.find(beside: "\(place.path)/bin/patchbay")
    }
    _ = try place.file("lib/patchbay/\(HookLibraries.hookName)")
    #expect(try HookLibraries.find(beside: "\(place.path)/bin/patchbay").hook == "\(folder)/\(HookLibraries.hookName)")
  }

  @Test func aPathThatTheLinkerWouldSplitGetsALink() throws {
    let odd = try place.folder("a b")
    let preload = try place.file("a b/lib.so")
    let runtime = try place.folder("run")
    let folders = PrivateFolders(environment: { $0 == "XDG_RUNTIME_DIR" ? runtime : nil })
    let libraries = HookLibraries(preload: preload, hook: "\(odd)/hook.so")
    let link = try libraries.preloadPath(in: folders)
    #expect(link.hasPrefix("\(runtime)/patchbay/preload-"))
    #expect(Path.resolved(link) == preload)
    #expect(try libraries.preloadPath(in: folders) == link)
    // A stale one is replaced.
    unlink(link)
    symlink("/nowhere", link)
    #expect(try libraries.preloadPath(in: folders) == link)
    #expect(Path.resolved(link) == preload)
    let plain = HookLibraries(preload: "/opt/lib.so", hook: "/opt/hook.so")
    #expect(try plain.preloadPath(in: folders) == "/opt/lib.so")
  }

  @Test(arguments: [
    ("", "LD_PRELOAD=/p.so"), ("/asan.so", "LD_PRELOAD=/asan.so:/p.so"),
    ("/a.so /b.so", "LD_PRELOAD=/a.so /b.so:/p.so"), ("/p.so:/a.so", "LD_PRELOAD=/p.so:/a.so"),
  ])
  func whatIsPreloadedAlreadyStaysFirst(_ before: String, _ after: String) {
    var environment = ChildEnvironment(entries: ["A=1", ByteString("LD_PRELOAD=\(before)"), "B=2"])
    environment.preload("/p.so")
    #expect(environment.entries.map(\.description) == ["A=1", after, "B=2"])
  }

  @Test func whereNothingIsPreloadedOursIsTheOnlyOne() {
    var environment = ChildEnvironment(entries: ["A=1", "OLD_PRELOAD=/x.so"])
    environment.preload("/p.so")
    #expect(environment.entries.map(\.description) == ["A=1", "OLD_PRELOAD=/x.so", "LD_PRELOAD=/p.so"])
  }

  @Test func aLinkThatIsRightStaysAndOneHalfMadeIsNoHindrance() throws {
    _ = try place.folder("c d")
    let preload = try place.file("c d/lib.so")
    let runtime = try place.folder("again")
    let folders = PrivateFolders(environment: { $0 == "XDG_RUNTIME_DIR" ? runtime : nil })
    let libraries = HookLibraries(preload: preload, hook: "/opt/hook.so")
    let link = try libraries.preloadPath(in: folders)
    let first = try #require(FileIdentity(path: link))
    #expect(try libraries.preloadPath(in: folders) == link)
    #expect(FileIdentity(path: link) == first)
    // Of one with our number that was killed on the way.
    #expect(unlink(link) == 0 && symlink("/nowhere", "\(link).\(getpid())") == 0)
    #expect(try libraries.preloadPath(in: folders) == link)
    #expect(Path.resolved(link) == preload)
    #expect(Path.names(in: "\(runtime)/patchbay") == [Path.name(of: link)])
  }

  @Test func theRuntimeIsTheHooksOwnOrElseTheOneThatThisProcessRunsOn() throws {
    let folder = try place.folder("swift")
    let core = MadeElf(notes: [.init(value: [0xab, 0xcd])])
    try Data(core.bytes).write(to: URL(fileURLWithPath: "\(folder)/libswiftCore.so"))
    let hook = "\(place.path)/hook.so"
    let file = MadeElf(dynamic: [(.needed, "libswiftCore.so"), (.runpath, folder)])
    try Data(file.bytes).write(to: URL(fileURLWithPath: hook))
    #expect(HookLibraries(preload: "", hook: hook).runtime().environmentValue == "libswiftCore.so=abcd")
    let search = LibrarySearch(libraryPath: ChildEnvironment.current()["LD_LIBRARY_PATH"])
    let own = SwiftRuntime(loadedBy: "/proc/self/exe", search)
    #expect(HookLibraries(preload: "", hook: "/nowhere/hook.so").runtime() == own)
  }

  @Test func entriesStayAsTheyAreByteByByte() {
    let odd = ByteString(bytes: Array("ODD=".utf8) + [0xff, 0xfe])
    var environment = ChildEnvironment(entries: [odd, "NAMELESS", "A=1", "A=2", "AB=3"])
    environment["A"] = "9"
    environment["NEW"] = "x=y"
    environment["AB"] = nil
    #expect(environment.entries == [odd, "NAMELESS", "A=9", "NEW=x=y"])
    #expect(environment["A"] == "9")
    #expect(environment["NAMELESS"] == nil)
  }

  @Test func aCommandGetsOurEnvironmentAndWhatTheHookNeeds() throws {
    let runtime = try place.folder("environment")
    let folders = PrivateFolders(environment: { $0 == "XDG_RUNTIME_DIR" ? runtime : nil })
    let libraries = HookLibraries(preload: "/opt/p.so", hook: "/opt/h.so")
    let base = ChildEnvironment(entries: [
      "A=1", "PATCHBAY_NOTES=old", "PATCHBAY_RUNTIME=old", "LD_PRELOAD=/asan.so", "PATCHBAY_UNMATCHED=old",
      "PATCHBAY_SOCKET=old", "PATCHBAY_HOOK=old",
    ])
    let known = libraries.runtime(environment: base).environmentValue
    func entries(_ notes: String?, _ unmatched: String?) throws -> [String] {
      try libraries.environment(base, socket: "/s", notes: notes, unmatched: unmatched, folders: folders)
        .entries.map(\.description).filter { !$0.hasPrefix("PATCHBAY_RUNTIME=") || known.isEmpty }
    }
    #expect(
      try entries("/n", "fail") == [
        "A=1", "PATCHBAY_NOTES=/n", "LD_PRELOAD=/asan.so:/opt/p.so", "PATCHBAY_UNMATCHED=fail", "PATCHBAY_SOCKET=/s",
        "PATCHBAY_HOOK=/opt/h.so",
      ])
    #expect(
      try entries(nil, nil) == [
        "A=1", "LD_PRELOAD=/asan.so:/opt/p.so", "PATCHBAY_SOCKET=/s", "PATCHBAY_HOOK=/opt/h.so",
      ])
    let whole = try libraries.environment(base, socket: "/s", folders: folders)
    #expect(whole["PATCHBAY_RUNTIME"] == (known.isEmpty ? nil : known))
    #expect(base["PATCHBAY_SOCKET"] == "old")
  }

  @Test(arguments: [
    ("/a.so", true), ("a.so", false), ("", false), ("/a b.so", false), ("/a:b.so", false), ("/$LIB/a.so", false),
    ("/a\tb", false), ("/a!b", true), ("/a\u{1F}b", false), ("/日", true),
  ])
  func whichPathsCanBePreloaded(_ path: String, _ expected: Bool) {
    #expect(HookLibraries.canBePreloaded(path) == expected)
  }

  @Test func aHookWhosePathWouldBeExpandedGetsALink() throws {
    let runtime = try place.folder("links")
    let folders = PrivateFolders(environment: { $0 == "XDG_RUNTIME_DIR" ? runtime : nil })
    _ = try place.folder("$LIB")
    let hook = try place.file("$LIB/h.so")
    let odd = HookLibraries(preload: "/opt/p.so", hook: hook)
    let loadable = try odd.loadable(in: folders)
    #expect(loadable.preload == "/opt/p.so" && loadable.hook.hasPrefix("\(runtime)/patchbay/hook-"))
    #expect(Path.resolved(loadable.hook) == hook)
    let plain = HookLibraries(preload: "/opt/p.so", hook: "/opt/a b:h.so")
    #expect(try plain.hookPath(in: folders) == "/opt/a b:h.so")
  }
}
